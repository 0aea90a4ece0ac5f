"""Scores of two benchmark versions: only tasks with the same items and metrics with the same signature."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assay.benchmark.manifest_changes import Difference
from assay.benchmark.submission_store import StoredVersion
from assay.errors import AssayError
from assay.show.numbers import scored
from assay.show.tables import Table
from assay.store.run_manifest import is_run
from assay.store.saved_run import load_run


@dataclass
class VersionComparison:
    """Comparable scores of two versions."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    """One score of a system, with its version."""
    apart: list[str] = field(default_factory=list)
    """Scores that are not comparable, and why."""
    printed: dict[str, list[list[str]]] = field(default_factory=dict)
    """Table rows by task."""

    def tables(self) -> list[Table]:
        """Return a table for each task."""
        heads = ["system", "version", "metric", "score"]
        return [
            Table.of(f"{task}: comparable scores of both versions", heads, rows) for task, rows in self.printed.items()
        ]


def compare_versions(old: StoredVersion, new: StoredVersion, common: Difference) -> VersionComparison:
    """Return the comparable scores of all systems of both versions, without held-back metrics."""
    result = VersionComparison()
    for task, specs in common.equal.items():
        signatures: dict[str, str] = {}
        public = [version.manifest.task(task).signatures for version in (old, new)]
        own = [spec for spec in specs if all(spec in each for each in public)]
        for version in (old, new):
            for record in version.records():
                run = version.results / task / record.system
                if not own or task not in record.tasks or not is_run(run):
                    continue
                try:
                    loaded = load_run(run, own)
                except AssayError as error:
                    result.apart.append(str(error))
                    continue
                for name in loaded.shown:
                    score = loaded.scores[name]
                    if signatures.setdefault(name, score.signature) != score.signature:
                        result.apart.append(
                            f"{task}: {name} of {record.system} in {version.manifest.title} has another signature "
                            f"({score.signature}) and is left out"
                        )
                        continue
                    place = {"task": task, "system": record.system, "version": version.manifest.version, "number": name}
                    result.rows.append(place | {"value": score.value, "low": score.low, "high": score.high})
                    cells = [record.system, version.manifest.version, loaded.labels[name]]
                    result.printed.setdefault(task, []).append([*cells, scored(score, loaded.parts[name][1])])
    return result
