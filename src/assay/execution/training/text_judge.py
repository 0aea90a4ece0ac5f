"""Selection of the best epoch by any metric of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.records.types import Example
from assay.systems.neural.generation_objective import OF_PAIRS, Judge

if TYPE_CHECKING:
    from assay.metrics.engine.base import Part


def named_score(spec: str, request: str) -> Part:
    """Return the score that a metric with options names, for a choice between texts.

    Raises:
        AssayError: No metric has this score, or it has no better end.
    """
    from assay.metrics import resolve

    try:
        parts = [part for one in resolve([spec]) for part in one.metric.parts()]
    except AssayError as error:
        raise AssayError(f"{request}: {error}") from None
    name = spec.partition(":")[0]
    part = next((one for one in parts if one.name == name), None)
    if part is None:
        raise AssayError(f"{request} has several scores; name one: {', '.join(one.name for one in parts)}")
    if part.better is None:
        raise AssayError(f"{request} has no better end; name a score that has one")
    return part


def text_judge(select: str) -> Judge | None:
    """Return the metric that `select` names: one score (`bleu`, `slot_recall`); ROUGE is computed with stemming.

    Raises:
        AssayError: No metric has this score, or it has no better end.
    """
    if select == "loss" or select in OF_PAIRS:
        return None
    spec = f"{select}:stemmer=true" if select.startswith("rouge") else select
    part = named_score(spec, f"recipe: select={select}")

    def score(outputs: list[str], examples: list[Example]) -> float:
        from assay.execution.request import ScoreRequest
        from assay.execution.scoring import score_outputs

        rows = [{"id": example.id, "output": text} for example, text in zip(examples, outputs, strict=True)]
        scores = score_outputs(rows, ScoreRequest(metrics=spec, examples=examples)).result.scores
        if select not in scores:
            raise AssayError(f"recipe: select={select} cannot be computed on the validation examples")
        return float(scores[select].value or 0.0)

    return Judge(score, part.better == "lower")
