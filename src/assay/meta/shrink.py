"""A smaller test set: items on which known systems have the means of all items, and what a new system loses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars

from assay.errors import AssayError, UsageError
from assay.meta.joined_scores import like_key, read_frame
from assay.meta.score_files import NEEDED, read_scores
from assay.specs import did_you_mean
from assay.stats.adjust import holm
from assay.stats.balanced_subset import balanced_subset, kept_order, leave_out_systems
from assay.stats.distributions import t_quantile
from assay.stats.significance import paired_t
from assay.stats.validation import UndefinedStatistic

LEVEL = 0.05


class Shrunk(NamedTuple):
    """The kept items, and how well they replace all."""

    ids: list[str]
    score: str
    items: int
    systems: list[dict[str, Any]]
    """By system: mean of all items, of the kept ones, and the error with items chosen without it."""
    error: float
    """Root mean squared error of the mean of a system that was not used."""
    random: float
    """The same of as many random items."""
    reach: float
    """Half the width of the 95 % confidence interval of a new system's mean on all items."""
    significant: int
    pairs: int
    same_order: float | None
    """Share of the significant pairs that keep their order, on items chosen without both."""
    notes: list[str]

    @property
    def worth(self) -> float:
        """Number of random items with the same error."""
        n, keep = self.items, len(self.ids)
        ratio = (self.random / self.error) ** 2 if self.error else float("inf")
        return float(n / (1 + (n / keep - 1) / ratio))

    def sentence(self) -> str:
        """Return the answer in words."""
        kept = f"{len(self.ids)} of {self.items:,} items"
        text = f"{kept}: the mean of a new system on all items is within ± {self.reach:.3g} of that on these (95 %)"
        if self.same_order is not None:
            text += f"; {self.same_order:.0%} of the {self.significant} significant differences keep their sign"
        return text

    def record(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {**self._asdict(), "worth": self.worth, "sentence": self.sentence()}


def shrink(scores: Sequence[Any], keep: int, score: str | None = None, seed: int = 0) -> Shrunk:
    """Choose the items of a smaller test set.

    Args:
        scores: Scores of the same items by several systems, one row for each output; tables may be divided.
        keep: Number of items to keep.
        score: Column of the scores (default: the only numeric one).
        seed: Random seed.

    Raises:
        AssayError: Fewer than four systems, or no items that all of them have.
    """
    table, notes = read_scores(scores)
    frame = like_key(read_frame(table, "scores"), polars.DataFrame({"id": [""], "system": [""]}))
    if not {"id", "system"} <= {*frame.columns}:
        raise AssayError(NEEDED)
    numeric = [name for name in frame.columns if name not in ("id", "system") and frame[name].dtype.is_numeric()]
    if score is None and len(numeric) != 1:
        raise UsageError(f"--score: choose one of {', '.join(numeric)}")
    if score is not None and score not in numeric:
        raise UsageError(f"--score {score}: no such score{did_you_mean(score, numeric)}; there is {', '.join(numeric)}")
    name = score or numeric[0]
    if frame.select("id", "system").is_duplicated().any():
        raise AssayError("The scores have two rows for the same id and system. Keep one of each.")
    wide = frame.pivot("system", index="id", values=name, maintain_order=True)
    whole = wide.drop_nulls()
    notes = list(notes)
    if len(whole) < len(wide):
        notes.append(f"{len(wide) - len(whole)} of {len(wide)} items are left out: not every system has a score")
    systems = [column for column in whole.columns if column != "id"]
    values = whole.select(systems).to_numpy().astype(np.float64)
    left = leave_out_systems(values, keep, seed)
    kept = balanced_subset(values, keep, seed)
    random = float(np.sqrt((left.random**2).mean()))
    if left.error > random:
        notes.append("these items are no better than random ones for a new system: the known systems differ too much")
    significant = _significant(values)
    rows = [
        {"system": system, "mean": float(values[:, i].mean()), "kept": float(values[kept, i].mean()),
         "error": float(left.of_system[i])}
        for i, system in enumerate(systems)
    ]  # fmt: skip
    same = kept_order(values, keep, significant, seed) if len(systems) > 4 else None
    many = len(systems)
    return Shrunk(
        [str(whole["id"][int(place)]) for place in kept], name, len(whole),
        sorted(rows, key=lambda row: -float(str(row["mean"]))), left.error, random,
        t_quantile(0.975, many - 1) * left.error, int(significant.sum()) // 2, many * (many - 1) // 2, same, notes,
    )  # fmt: skip


def _significant(values: Any) -> Any:
    """Return which pairs of systems differ on all items (paired t-tests, Holm)."""
    pairs = list(combinations(range(values.shape[1]), 2))
    raw = []
    for a, b in pairs:
        try:
            raw.append(paired_t(values[:, a], values[:, b]).p)
        except UndefinedStatistic:
            raw.append(1.0)
    matrix = np.zeros((values.shape[1], values.shape[1]), dtype=bool)
    for (a, b), p in zip(pairs, holm(raw).tolist(), strict=True):
        matrix[a, b] = matrix[b, a] = p < LEVEL
    return matrix
