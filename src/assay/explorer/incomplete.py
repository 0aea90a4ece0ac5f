"""Metrics on which not every system can be tested: no system is then the best of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.results.table_section import TableSection
    from assay.store.library import DatasetResults


def unread_statistics(stored: DatasetResults) -> dict[str, list[str]]:
    """Return systems that have a score but no readable statistics, by metric."""
    unread: dict[str, list[str]] = {}
    for name, run in stored.runs.items():
        known = run.result.parts if run.result is not None else {}
        for score, record in run.manifest.get("scores", {}).items():
            if score not in known and record["value"] is not None:
                unread.setdefault(score, []).append(name)
    return unread


def without_verdicts(section: TableSection, unread: Mapping[str, Sequence[str]]) -> TableSection:
    """Return a table in which no system is best on a metric that others have a score on but cannot be tested on."""
    if section.rankings is None or not unread:
        return section
    kept = {name: ranking for name, ranking in section.rankings.by_name.items() if name not in unread}
    why = {
        name: f"no statistics of {', '.join(systems)}" for name, systems in unread.items() if name in section.numbers
    }
    rankings = replace(section.rankings, by_name=kept)
    return replace(section, rankings=rankings, left_out={**section.left_out, **why})
