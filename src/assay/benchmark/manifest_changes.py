"""Changes of a benchmark between versions: add, replace and retire tasks; compare two manifests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from assay.benchmark.manifest import BenchmarkManifest, Retired, Task
from assay.errors import AssayError, UsageError


def next_version(manifest: BenchmarkManifest, version: str | None) -> BenchmarkManifest:
    """Return a manifest that can be edited: a draft as it is, a frozen manifest as the draft of a new version."""
    if not manifest.is_frozen:
        if version not in (None, manifest.version):
            return msgspec.structs.replace(manifest, version=version)
        return manifest
    if version is None or version == manifest.version:
        raise UsageError(f"{manifest.title} is frozen. Name the new version with --version and its file with -o.")
    return msgspec.structs.replace(manifest, version=version, before=manifest.version, digest="")


def add_task(manifest: BenchmarkManifest, task: Task, *, replace: bool = False) -> BenchmarkManifest:
    """Return the manifest with a task added, or (`replace`) with the task of the same name replaced."""
    names = [each.name for each in manifest.tasks]
    if task.name in names and not replace:
        raise AssayError(f"{manifest.title}: task {task.name} exists. Choose another name, or use --replace.")
    if task.name not in names and replace:
        manifest.task(task.name)
    tasks = [task if each.name == task.name else each for each in manifest.tasks]
    tasks += [] if task.name in names else [task]
    return msgspec.structs.replace(manifest, tasks=tasks)


def retire_task(manifest: BenchmarkManifest, name: str, why: str) -> BenchmarkManifest:
    """Return the manifest without a task; the task and the reason are listed as retired."""
    task = manifest.task(name)
    children = [each.name for each in manifest.tasks if each.parent == name]
    if children:
        raise AssayError(f"{manifest.title}: {', '.join(children)} is derived from {name}. Retire it first.")
    entry = Retired(name=name, in_version=manifest.version, why=why, sha256=task.sha256)
    tasks = [each for each in manifest.tasks if each.name != name]
    return msgspec.structs.replace(manifest, tasks=tasks, retired=[*manifest.retired, entry])


@dataclass
class Difference:
    """The differences between two versions, and what is comparable between them."""

    old: str
    new: str
    added: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    """Tasks with the same name and different items."""
    metrics: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """By common task: metrics that were added or dropped, or whose signature changed."""
    equal: dict[str, list[str]] = field(default_factory=dict)
    """By task with the same items: metrics with the same signature. Only these scores are comparable."""

    def plain(self) -> dict[str, Any]:
        """Return the difference as JSON."""
        return {
            "old": self.old, "new": self.new, "added": self.added, "retired": self.retired, "replaced": self.replaced,
            "metrics": self.metrics, "comparable": self.equal,
        }  # fmt: skip


def difference(old: BenchmarkManifest, new: BenchmarkManifest) -> Difference:
    """Compare two frozen manifests: tasks by the hash of their items, metrics by their signatures."""
    for each in (old, new):
        if not each.is_frozen:
            raise AssayError(f"{each.title} is not frozen. Run `assay benchmark freeze` first.")
    if old.name != new.name:
        raise AssayError(f"{old.title} and {new.title} are versions of different benchmarks.")
    before, after = ({task.name: task for task in each.tasks} for each in (old, new))
    result = Difference(old.title, new.title)
    result.added = [name for name in after if name not in before]
    result.retired = [name for name in before if name not in after]
    for name in (name for name in after if name in before):
        if before[name].sha256 != after[name].sha256:
            result.replaced.append(name)
            continue
        then, now = _all_signatures(before[name]), _all_signatures(after[name])
        result.equal[name] = [spec for spec, signature in now.items() if then.get(spec) == signature]
        changed = {
            "added": [spec for spec in now if spec not in then],
            "dropped": [spec for spec in then if spec not in now],
            "computed otherwise": [spec for spec, signature in now.items() if then.get(spec, signature) != signature],
        }
        if any(changed.values()):
            result.metrics[name] = {kind: specs for kind, specs in changed.items() if specs}
    return result


def _all_signatures(task: Task) -> dict[str, str]:
    return {**task.signatures, **task.held_back_signatures}
