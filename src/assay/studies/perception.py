"""Who seems to have written it: items by source and by what people took them for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import AssayError
from assay.records import Judgement
from assay.stats.interval import share_interval


@dataclass(frozen=True)
class Perceived:
    """One source: how many of its items people took for human ones."""

    system: str
    items: int
    human: int
    low: float
    high: float
    mean: float
    """Of the items' means; low is human."""

    @property
    def share(self) -> float:
        return self.human / self.items


def perception_matrix(judgements: Sequence[Judgement], threshold: float = 3.0) -> list[Perceived]:
    """An item is taken for human if the mean of its answers is strictly below the threshold."""
    answers: dict[str, dict[str, list[float]]] = {}
    for judgement in judgements:
        if isinstance(judgement.value, str):
            raise AssayError(f"{judgement.id} of {judgement.system}: '{judgement.value}' is no number")
        answers.setdefault(judgement.system, {}).setdefault(judgement.id, []).append(float(judgement.value))
    if not answers:
        raise AssayError("there are no judgements of who has written a text")
    found = []
    for system, items in sorted(answers.items()):
        means = [sum(given) / len(given) for given in items.values()]
        human = sum(mean < threshold for mean in means)
        low, high = share_interval(human, len(means))
        found.append(Perceived(system, len(means), human, low, high, sum(means) / len(means)))
    return found
