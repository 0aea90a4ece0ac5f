"""Human-likeness: how many items of each source annotators took for human-written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import AssayError
from assay.meta.ranking import Direction
from assay.records import Judgement
from assay.stats.interval import wilson_interval


@dataclass(frozen=True)
class Perceived:
    """One source, and how many of its items annotators took for human-written."""

    system: str
    items: int
    human: int
    low: float
    high: float
    mean: float
    """Mean of the items' means."""

    @property
    def share(self) -> float:
        return self.human / self.items


def perception_matrix(
    judgements: Sequence[Judgement], threshold: float = 3.0, better: Direction = "lower"
) -> list[Perceived]:
    """Count an item as human if the mean of its judgements is on the human side of the threshold: below it if lower
    values are human, above it if higher ones are."""
    answers: dict[str, dict[str, list[float]]] = {}
    for judgement in judgements:
        if isinstance(judgement.value, str):
            raise AssayError(f"{judgement.id} of {judgement.system}: '{judgement.value}' is not a number")
        answers.setdefault(judgement.system, {}).setdefault(judgement.id, []).append(float(judgement.value))
    if not answers:
        raise AssayError("no judgements of human-likeness")
    rows = []
    for system, items in sorted(answers.items()):
        means = [sum(values) / len(values) for values in items.values()]
        human = sum(mean < threshold if better == "lower" else mean > threshold for mean in means)
        low, high = wilson_interval(human, len(means))
        rows.append(Perceived(system, len(means), human, low, high, sum(means) / len(means)))
    return rows
