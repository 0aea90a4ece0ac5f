"""Model judges among the judgements of a dataset: their validation against the annotators of the same outputs."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assay.errors import AssayError
from assay.explorer.human_payloads import CalibrationStep, JudgeBias, JudgeOnSystem, JudgePage
from assay.meta.judge_biases import ABOUT, OF_SYSTEM
from assay.meta.judge_validation import JudgeValidation, ValidationRequest, validate_judges
from assay.records import Judgement
from assay.records.types import JUDGE_METHOD


def of_annotators(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return the judgements that are not by a model."""
    return [each for each in judgements if each.method != JUDGE_METHOD]


def judge_pages(judgements: Sequence[Judgement], criterion: str, warnings: list[str]) -> list[JudgePage]:
    """Return the validation of each judge on one criterion; what cannot be measured is a warning."""
    rows = [each for each in judgements if each.criterion == criterion]
    if not any(each.method == JUDGE_METHOD for each in rows):
        return []
    try:
        return [_page(each) for each in validate_judges(rows, ValidationRequest(criterion=criterion)).values()]
    except AssayError as why:
        warnings.append(f"judges are not validated: {why}")
        return []


def _page(each: JudgeValidation) -> JudgePage:
    biases = [
        JudgeBias(name=bias.name, about=ABOUT.get(bias.name, OF_SYSTEM), value=bias.value, low=bias.low, high=bias.high,
                  significant=bias.significant)
        for bias in each.biases
    ]  # fmt: skip
    return JudgePage(
        judge=each.judge, answer=each.answer, reasons=each.reasons, n=each.n, agreement=each.agreement,
        human_agreement=each.human_agreement, winning_rate=each.test.winning_rate if each.test else None,
        advantage=each.test.advantage_probability if each.test else None, biases=biases,
        systems=msgspec.convert(each.systems, list[JudgeOnSystem]),
        calibration=msgspec.convert(each.calibration, list[CalibrationStep]), notes=each.notes,
    )  # fmt: skip
