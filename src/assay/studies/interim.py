"""What a running study says so far: means of systems, and the texts that annotators disagree on most."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import mean
from typing import Any

from assay.errors import AssayError
from assay.meta.ranking import rank_systems, scale_ends, unit_values
from assay.records import Judgement
from assay.studies.judgements import study_judgements
from assay.studies.kinds import direction
from assay.studies.study import Study

DISPUTED = 5
"""Number of texts with the most disagreement on the dashboard."""
SAMPLES = 200


def disputed(study: Study, most: int = DISPUTED) -> list[dict[str, Any]]:
    """Return the texts with the most disagreement: mean distance of two judgements, as a share of the widest one."""
    texts: dict[tuple[str, str, str, str], list[Judgement]] = {}
    for judgement in study_judgements(study):
        texts.setdefault((judgement.criterion, judgement.id, judgement.system, judgement.unit), []).append(judgement)
    widest = _widest(texts.values())
    rated: list[dict[str, Any]] = []
    for (criterion, id, system, unit), rows in texts.items():
        pairs = list(combinations([row.value for row in rows], 2))
        share = mean(_distance(a, b, widest[criterion]) for a, b in pairs) if pairs else 0.0
        if share > 0:
            values = [f"{row.value:g}" if isinstance(row.value, int | float) else row.value for row in rows]
            text = _text_of(study, id, system, unit)
            rated.append({"criterion": criterion, "id": id, "values": values, "share": share, "text": text})
    rated.sort(key=lambda row: (-row["share"], -len(row["values"])))
    return rated[:most]


def _widest(groups: Any) -> dict[str, float]:
    """Return the widest distance of two numeric judgements of each criterion."""
    ends: dict[str, list[float]] = {}
    for rows in groups:
        for row in rows:
            known = ends.setdefault(row.criterion, [])
            if isinstance(row.value, int | float):
                known.append(float(row.value))
    return {criterion: max(values) - min(values) if values else 0.0 for criterion, values in ends.items()}


def _distance(a: Any, b: Any, widest: float) -> float:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) / widest if widest else 0.0
    return float(a != b)


def _text_of(study: Study, id: str, system: str, unit: str) -> str:
    for task in study.tasks.values():
        for text in task.texts:
            if (text.id, text.system) == (id, system):
                number = unit.removeprefix("sentence:")
                place = int(number) if unit.startswith("sentence:") and number.isdecimal() else -1
                return text.sentences[place] if 0 <= place < len(text.sentences) else text.text
    return ""


def results_so_far(study: Study) -> list[dict[str, Any]]:
    """Return mean and interval of each system and criterion with numbers; criteria of other kinds are left out."""
    judgements: Sequence[Judgement] = list(study_judgements(study))
    rated = []
    questions = {question.criterion: question for question in study.design.questions}
    for criterion in dict.fromkeys(judgement.criterion for judgement in judgements):
        try:
            scores = unit_values(judgements, criterion)
            question = questions.get(criterion)
            better = direction(question.kind if question else "", question)
            ends = scale_ends(judgements, criterion, question.values if question else ())
            ranked = rank_systems(scores, SAMPLES, better=better, ends=ends) if len(scores) > 1 else []
        except AssayError:
            continue
        rows = [{"system": one.system, "mean": one.mean, "low": one.low, "high": one.high, "n": one.items}
                for one in ranked]  # fmt: skip
        if rows:
            rated.append({"criterion": criterion, "systems": rows})
    return rated
