"""Results of two versions side by side: of tasks on the same items, by metrics of the same signature, and no others."""

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
    rows: list[dict[str, Any]] = field(default_factory=list)
    """A number of a system, with the version that made it."""
    apart: list[str] = field(default_factory=list)
    """What may not be compared after all, and why."""
    printed: dict[str, list[list[str]]] = field(default_factory=dict)

    def tables(self) -> list[Table]:
        heads = ["system", "version", "number", "value"]
        return [
            Table.of(f"{task}: what both versions have in common", heads, rows) for task, rows in self.printed.items()
        ]


def compare_versions(old: StoredVersion, new: StoredVersion, common: Difference) -> VersionComparison:
    """The numbers of all systems of both; what is held back stays so."""
    found = VersionComparison()
    for task, specs in common.equal.items():
        seen: dict[str, str] = {}
        opened = [version.manifest.task(task).signatures for version in (old, new)]
        own = [spec for spec in specs if all(spec in each for each in opened)]
        for version in (old, new):
            for record in version.records():
                run = version.results / task / record.system
                if not own or task not in record.tasks or not is_run(run):
                    continue
                try:
                    result = load_run(run, own)
                except AssayError as error:
                    found.apart.append(str(error))
                    continue
                for name in result.shown:
                    score = result.scores[name]
                    if seen.setdefault(name, score.signature) != score.signature:
                        found.apart.append(
                            f"{task}: {name} of {record.system} in {version.manifest.title} has another signature "
                            f"({score.signature}), so it is left out"
                        )
                        continue
                    place = {"task": task, "system": record.system, "version": version.manifest.version, "number": name}
                    found.rows.append(place | {"value": score.value, "low": score.low, "high": score.high})
                    cells = [record.system, version.manifest.version, result.labels[name]]
                    found.printed.setdefault(task, []).append([*cells, scored(score, result.parts[name][1])])
    return found
