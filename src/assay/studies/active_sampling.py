"""Which inputs are judged: random samples with known probabilities, drawn by scores of all outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import polars
from numpy.typing import NDArray

from assay.errors import AssayError, UsageError
from assay.meta.joined_scores import like_key, read_frame
from assay.meta.score_files import NEEDED, read_scores
from assay.seeds import rng_for
from assay.specs import did_you_mean
from assay.studies.sampling import sample

Method = Literal["random", "stratified", "active"]
FLOOR = 0.3
"""Share of the sample that is drawn with equal probabilities: no input is excluded, and weights stay bounded."""
STRATUM = 20
"""Smallest number of sampled inputs of a stratum."""
MOST_STRATA = 5

Values = NDArray[np.float64]


class Drawn(NamedTuple):
    """The drawn inputs, and the scores with the columns that an estimate needs."""

    ids: list[str]
    scores: polars.DataFrame
    columns: str
    """The options of `assay study estimate` for this sample."""


class Frame:
    """Scores of all outputs, from which a sample is drawn."""

    def __init__(self, scores: Sequence[Any], proxies: Sequence[str] = (), cost: str | None = None) -> None:
        table, _ = read_scores(scores)
        keys = polars.DataFrame({"id": [""], "system": [""]})
        self.frame = like_key(read_frame(table, "scores"), keys)
        if not {"id", "system"} <= {*self.frame.columns}:
            raise AssayError(NEEDED)
        numeric = [n for n in self.frame.columns if n not in ("id", "system") and self.frame[n].dtype.is_numeric()]
        for option, name in [*(("--proxy", name) for name in proxies), *([("--cost", cost)] if cost else [])]:
            if name not in numeric:
                raise UsageError(
                    f"{option} {name}: no such score{did_you_mean(name, numeric)}; there are {', '.join(numeric)}"
                )
        self.cost = cost
        if cost is not None and not (self.frame[cost].fill_null(0) > 0).all():
            raise AssayError(f"--cost {cost}: costs must be above 0, for every output.")
        self.proxies = list(dict.fromkeys(proxies)) or [name for name in numeric if name != cost]
        if not self.proxies:
            raise AssayError("The scores have no numeric column, so there is nothing to draw a sample by.")
        for name in self.proxies:
            if self.frame[name].null_count():
                raise AssayError(f"{name}: {self.frame[name].null_count()} outputs have no score. Score all of them.")

    def draw(self, ids: Sequence[str], size: int, method: Method, seed: int) -> Drawn:
        """Draw inputs.

        Args:
            ids: Inputs that every system answered.
            size: Number of inputs.
            method: `stratified` by the mean score, with as many of each stratum as its share; `active` with a
                probability that grows with the disagreement of the scores, and falls with the root of the cost of an
                input, so that the variance is smallest for what is spent (Neyman 1934).
            seed: Random seed.
        """
        known = {*self.frame["id"]}
        if lost := next((id for id in ids if id not in known), None):
            raise AssayError(f"id {lost}: no scores. Score all outputs.")
        if size >= len(ids):
            raise UsageError(f"sample of {size} inputs from {len(ids)}: all are judged, so there is nothing to choose")
        standard = [
            (polars.col(n) - polars.col(n).mean()).over("system") / _spread(self.frame[n]) for n in self.proxies
        ]
        own = self.frame.filter(self.frame["id"].is_in(list(ids))).with_columns(
            each.alias(f"z{number}") for number, each in enumerate(standard)
        )
        names = [f"z{number}" for number in range(len(standard))]
        if method == "stratified":
            means = own.group_by("id").agg(polars.mean_horizontal(names).mean().alias("mean"))
            stratum = _strata(dict(means.iter_rows()), ids, size)
            chosen = sample(list(ids), size, seed, lambda id: stratum[id])
            column = polars.Series("stratum", [f"stratum-{stratum[id]}" for id in own["id"]])
            return Drawn(chosen, own.drop(names).with_columns(column), "--stratum stratum")
        if len(names) < 2:
            raise UsageError("--sample active needs two or more proxies, whose disagreement it follows; use stratified")
        apart = own.with_columns(polars.concat_list(names).list.std().alias("apart"))
        rows = apart.group_by("id").agg((polars.col("apart") ** 2).mean().sqrt())
        doubt = dict(rows.iter_rows())
        price = np.ones(len(ids))
        if self.cost is not None:
            spent = dict(own.group_by("id").agg(polars.col(self.cost).sum()).iter_rows())
            price = np.array([spent[id] for id in ids], dtype=np.float64)
        chance = inclusion(np.array([doubt[id] for id in ids]), size, price)
        places = systematic(chance, seed)
        by_id = dict(zip(ids, chance.tolist(), strict=True))
        column = polars.Series("probability", [by_id[id] for id in own["id"]])
        return Drawn([ids[i] for i in places], own.drop(names).with_columns(column), "--probability probability")


def _spread(column: polars.Series) -> float:
    return float(column.to_numpy().astype(np.float64).std()) or 1.0


def _strata(mean: Mapping[str, float], ids: Sequence[str], size: int) -> dict[str, int]:
    """Return strata of equal size by mean score, each with at least `STRATUM` sampled inputs if possible."""
    many = min(MOST_STRATA, max(1, size // STRATUM))
    order = sorted(ids, key=lambda id: mean[id])
    return {id: place * many // len(order) for place, id in enumerate(order)}


def inclusion(doubt: Values, size: int, cost: Values | None = None) -> Values:
    """Return inclusion probabilities that sum to the size: a common floor, and the rest in proportion to the doubt; all
    are divided by the root of the cost."""
    weight = doubt / doubt.sum() if doubt.sum() > 0 else np.full(len(doubt), 1 / len(doubt))
    weight = (FLOOR / len(doubt) + (1 - FLOOR) * weight) / (1.0 if cost is None else np.sqrt(cost))
    chance = np.zeros(len(doubt))
    free = np.ones(len(doubt), dtype=bool)
    while True:
        left = size - float((~free).sum())
        chance[free] = left * weight[free] / weight[free].sum()
        certain = free & (chance >= 1)
        if not certain.any():
            return chance
        chance[certain] = 1.0
        free &= ~certain


def systematic(chance: Values, seed: int) -> list[int]:
    """Draw a sample of fixed size with exactly these inclusion probabilities (systematic, in random order)."""
    rng = rng_for(seed, "active", len(chance), round(float(chance.sum())))
    order = list(range(len(chance)))
    rng.shuffle(order)
    steps = np.cumsum(chance[order])
    start = rng.random()
    points = start + np.arange(round(float(chance.sum())))
    places = np.searchsorted(steps, points, side="right")
    return sorted({order[min(int(place), len(order) - 1)] for place in places})
