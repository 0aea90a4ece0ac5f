"""Diagnosis of dependence: which items share something, and whether their scores or differences agree because of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError
from assay.records.id_column import PLAIN, TAG
from assay.results.index import INDEPENDENT, cluster_codes, column_of
from assay.results.shared_fields import CATEGORIES, UNLESS, may_be_origin, names_origin, without_trend
from assay.results.text_groups import FIELDS, ID_PREFIX, by_id
from assay.stats.dependence import dependence, design_effect, intraclass_correlation
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.engine.statistics import Floats
    from assay.results.result import Result

    Codes = NDArray[np.int64]

LEVEL = 0.01
"""Significance level of a diagnosis over all groupings of a set."""
MATERIAL = 1.2
"""Smallest design effect that is reported: a test at .05 then rejects 7 % of true null hypotheses."""
STRONG = 0.3
"""Intraclass correlation from which items that share a property, such as a category, are taken for copies."""
FEWEST_GROUPS = 5
"""Groups of two or more items from which agreement within groups is measured, unless they hold a quarter of all items:
fewer may agree because all have a score of 0."""
MOST_COLUMNS = 8
"""Metrics whose values are examined."""
WORDS = {
    "parent": "an original item",
    "source": "a source",
    "input": "an input",
    "references": "references",
    "contexts": "a context",
    "messages": "the beginning of a conversation",
    "id-prefix": "the beginning of their ids",
    "similar-source": "similar sources",
    "similar-references": "similar references",
}


@dataclass(frozen=True)
class Diagnosis:
    """How far items that share something depend on each other."""

    field: str
    """Name of the grouping, as `--cluster` takes it."""
    metric: str
    """The metric on which items of a group agree most."""
    n: int
    groups: int
    items_per_group: float
    """Items in the group of an average item."""
    icc: float
    design_effect: float
    effective_n: float
    p: float
    """p of the hypothesis that groups are random, corrected for the number of groupings (Bonferroni)."""
    origin: bool = True
    """Whether items that share it may have the same origin. Other tags describe items: their values were chosen."""

    @property
    def alike(self) -> bool:
        """Whether items of a group agree significantly, and enough to matter."""
        return self.p < LEVEL and self.design_effect >= MATERIAL

    @property
    def dependent(self) -> bool:
        """Whether items of a group depend on each other: they agree, and have the same origin, or agree so far that
        they cannot be different members of a category."""
        return self.alike and (self.origin or self.icc >= STRONG)

    def sentence(self) -> str:
        """Return the warning."""
        what = WORDS.get(self.field, f"a value of {self.field}")
        times = f"{self.items_per_group:.1f}".removesuffix(".0")
        return (
            f"Items are not independent: on average, {times} share {what} (n = {self.n:,}, effective n = "
            f"{self.effective_n:.0f}, design effect {self.design_effect:.1f} on {self.metric}): p may be far too small "
            f"and intervals too narrow. Use --cluster {self.field}{'' if names_origin(self.field) else UNLESS}."
        )

    def to_dict(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return vars(self) | {"dependent": self.dependent}


def codes_of(result: Result, field: str) -> Codes:
    """Return the cluster of each item by a field of items, or by identical or similar texts.

    Raises:
        AssayError: There is no such field, or the texts are not stored.
    """
    if field not in FIELDS or field in result.index.columns or TAG + field in result.index.columns:
        return cluster_codes(result.index, field)
    codes = _by_text(result, field)
    if codes is None and field == ID_PREFIX:
        raise AssayError(
            f"--cluster {field}: too few ids end in a number of their own, as doc12-3. Name a field of items."
        )
    if codes is None:
        raise AssayError(f"--cluster {field}: the texts of {result.system} are not available. Name a field of items.")
    return codes


def _by_text(result: Result, field: str) -> Codes | None:
    if field == ID_PREFIX:
        return by_id(result.index.ids)
    groups = getattr(result.digest, "text_groups", None)
    return groups.codes(field, result.index.ids) if groups else None


def groupings(result: Result) -> Iterator[tuple[str, Codes]]:
    """Yield the groupings of items in which any two items share something, each partition once.

    Texts are read if they are available. A tag with fewer than 10 values is a category, unless its name says otherwise.
    """
    seen: set[bytes] = set()
    for field in _fields(result):
        codes = _by_text(result, field) if field in FIELDS else cluster_codes(result.index, field)
        if codes is None or not 2 <= int(codes.max(initial=-1)) + 1 < len(codes):
            continue
        sizes = np.bincount(codes)
        if (sizes > 1).sum() < FEWEST_GROUPS and 4 * sizes[sizes > 1].sum() < len(codes):
            continue
        key = group_codes(codes).tobytes()
        if key not in seen:
            seen.add(key)
            yield field, codes


def _fields(result: Result) -> Iterator[str]:
    if "parent" in result.index.columns and any(value is not None for value in result.index.values("parent")):
        yield "parent"
    for name in (name for name in result.index.columns if name not in PLAIN):
        tag = name.removeprefix(TAG)
        if column_of(result.index, tag) != name or tag in FIELDS:
            continue
        if names_origin(tag) or len(set(result.index.values(name)) - {None}) >= CATEGORIES:
            yield tag
    yield from FIELDS


def diagnose(results: Sequence[Result], material: bool = False) -> list[Diagnosis]:
    """Measure dependence by every grouping that the clusters in use do not cover, the largest design effect first.

    Args:
        results: One result (its scores are examined) or several on the same items (differences from the first).
        material: Only return groupings whose design effect is large enough to be reported.
    """
    first = results[0]
    if len(first.kinds) > 1 or first.n < 2:
        return []
    candidates = [(field, codes) for field, codes in groupings(first) if _uncovered(first.codes, codes)]
    if not candidates:
        return []
    names, values = unit_values(results)
    diagnoses = []
    for field, codes in candidates:
        places = np.arange(first.n) if first.codes is None else np.unique(first.codes, return_index=True)[1]
        try:
            numbers = [] if names_origin(field) else first.index.values(column_of(first.index, field))
            detrended = without_trend(values, numbers, places)
            measured = dependence(detrended, codes[places], least=MATERIAL if material else 0.0)
        except UndefinedStatistic:
            continue
        if material and measured.design_effect < MATERIAL:
            continue
        sizes = np.bincount(codes)
        diagnoses.append(
            Diagnosis(
                field, names[measured.column], first.n, int(codes.max()) + 1, float((sizes**2).sum() / first.n),
                measured.icc, measured.design_effect, measured.effective_n, min(1.0, measured.p * len(candidates)),
                may_be_origin(field),
            )
        )  # fmt: skip
    return sorted(diagnoses, key=lambda each: -each.design_effect)


def _uncovered(clusters: Codes | None, codes: Codes) -> bool:
    """Return whether whole clusters share a group; groups within clusters, or across them, are not examined."""
    if clusters is None:
        return True
    units = int(clusters.max()) + 1
    together = int(group_codes(clusters, codes).max()) + 1
    return together == units and int(codes.max()) + 1 < units


def unit_values(results: Sequence[Result], most: int | None = MOST_COLUMNS) -> tuple[list[str], Floats]:
    """Return metrics and their scores or differences: one row per item or cluster, at most `most` columns."""
    first, *others = results
    wanted = [name for name in first.shown if len(first.contributions.get(name, ())) == first.units]
    names: list[str] = []
    columns: list[Floats] = []
    for other in others or (None,):
        for name in wanted:
            mine = first.contributions[name]
            theirs = None if other is None else other.contributions.get(name)
            if (most is None or len(names) < most) and (
                other is None or (theirs is not None and len(theirs) == len(mine))
            ):
                names.append(name)
                columns.append(mine if theirs is None else theirs - mine)
    return names, np.column_stack(columns) if columns else np.zeros((first.units, 0))


def dependence_warnings(results: Sequence[Result], compared: str | None = None) -> list[str]:
    """Return a warning about the grouping with the largest design effect, if items depend on each other.

    Args:
        results: As in `diagnose`.
        compared: A field whose values are compared with each other, so that it is no cluster.
    """
    diagnoses = diagnose(results, material=True)
    return [each.sentence() for each in diagnoses if each.dependent and each.field != compared][:1]


def effective_sizes(results: Sequence[Result], dependent: Sequence[Diagnosis]) -> dict[str, float]:
    """Return the effective number of items by metric, of the scores of one result or the difference of two.

    Empty if items are independent; metrics without contributions of single items have none.

    Args:
        results: One result, or two on the same items.
        dependent: Groupings by which items depend on each other in addition to the clusters in use, worst first.
    """
    first = results[0]
    codes = codes_of(first, dependent[0].field) if dependent else first.codes
    if codes is None:
        return {}
    names, values = unit_values([result.clustered(INDEPENDENT) for result in results], most=None)
    sizes = {}
    for name, column in zip(names, values.T, strict=True):
        try:
            sizes[name] = first.n / design_effect(intraclass_correlation(column, codes), codes)
        except UndefinedStatistic:
            continue
    return sizes
