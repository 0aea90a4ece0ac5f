"""The same clusters for several results on the same items, also if only one of them has the field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.records.id_column import TAG
from assay.results.index import INDEPENDENT, cluster_keys, column_of

if TYPE_CHECKING:
    from assay.results.result import Result


def with_same_clusters(results: Sequence[Result], cluster: str | None) -> list[Result]:
    """Return results on the same items, all with the clusters of the first result that has any.

    Args:
        results: Results on the same items in the same order.
        cluster: As in `Result.clustered`.

    Raises:
        AssayError: No result has the field.
    """
    clustered = [result.clustered(cluster) for result in results]
    if len({id(result.index) for result in clustered}) == 1 and len({result.cluster for result in clustered}) == 1:
        return clustered
    owner = _owner([result for result in clustered if result.clusters_by])
    return clustered if owner is None else [_clustered_like(owner, result) for result in clustered]


def _owner(results: Sequence[Result]) -> Result | None:
    """Return the first result whose clusters are known."""
    for result in results:
        try:
            _ = result.kinds
        except AssayError:
            if result is results[-1]:
                raise
        else:
            return result
    return None


def _clustered_like(owner: Result, result: Result) -> Result:
    if result is owner:
        return result
    columns: dict[str, list[str | None]] = {}
    for key, codes in zip(cluster_keys(owner.clusters_by), owner.kinds, strict=True):
        try:
            column = column_of(owner.index, key)
            columns[column] = owner.index.values(column)
        except AssayError:  # a grouping by text
            columns[TAG + key] = list(map(str, codes.tolist()))
    return replace(result, index=result.index.with_columns(columns), cluster=owner.clusters_by or INDEPENDENT)
