"""Model judges on the page of human correlation: validated, and never counted as annotators."""

from __future__ import annotations

import numpy as np

from assay.explorer.judges import judge_pages, of_annotators
from assay.records import Judgement


def ratings(shift: float) -> list[Judgement]:
    """Three annotators and one judge, who adds a shift to outputs of system b."""
    draw = np.random.default_rng(0)
    rows = []
    for item in range(60):
        for system in "ab":
            quality = float(draw.integers(2, 5))
            for who in ("x", "y", "z", "chat:m"):
                extra = shift if who == "chat:m" and system == "b" else 0.0
                value = float(np.clip(np.round(quality + draw.normal(0, 0.5) + extra), 1, 5))
                rows.append(
                    Judgement(id=str(item), system=system, annotator=who, criterion="fluency", value=value,
                              method="judge" if who == "chat:m" else "likert")
                )  # fmt: skip
    return rows


def test_a_judge_is_validated_and_its_kindness_to_a_system_is_shown() -> None:
    warnings: list[str] = []
    (page,) = judge_pages(ratings(1.0), "fluency", warnings)
    assert (page.judge, page.answer, page.n) == ("chat:m", "no", 120)
    (bias,) = (each for each in page.biases if each.name == "system:b")
    assert bias.significant
    assert bias.low > 0
    assert [each.system for each in page.systems] == ["a", "b"]
    assert [step.judge for step in page.calibration] == sorted(step.judge for step in page.calibration)
    assert not warnings


def test_judges_are_no_annotators_and_what_cannot_be_measured_is_said() -> None:
    rows = ratings(0.0)
    assert {each.annotator for each in of_annotators(rows)} == {"x", "y", "z"}
    assert judge_pages(of_annotators(rows), "fluency", []) == []
    warnings: list[str] = []
    assert judge_pages([each for each in rows if each.method == "judge"], "fluency", warnings) == []
    assert "judges are not validated" in warnings[0]
