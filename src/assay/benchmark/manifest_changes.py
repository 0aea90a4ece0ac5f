"""Versions of a benchmark: tasks are added, replaced and retired; what two versions have in common may be compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from assay.benchmark.manifest import Manifest, Retired, Task
from assay.errors import AssayError, UsageError


def next_version(manifest: Manifest, version: str | None) -> Manifest:
    """A manifest that may be changed: a draft as it is, a frozen one as the draft of another version."""
    if not manifest.is_frozen:
        if version not in (None, manifest.version):
            return msgspec.structs.replace(manifest, version=version)
        return manifest
    if version is None or version == manifest.version:
        raise UsageError(f"{manifest.title} is frozen: name the version it becomes with --version, and -o its file")
    return msgspec.structs.replace(manifest, version=version, before=manifest.version, digest="")


def add_task(manifest: Manifest, task: Task, *, replace: bool = False) -> Manifest:
    """With one task more, or another one in the place of one of its name."""
    names = [each.name for each in manifest.tasks]
    if task.name in names and not replace:
        raise AssayError(f"{manifest.title}: has a task {task.name}; give it another name, or --replace")
    if task.name not in names and replace:
        manifest.task(task.name)
    tasks = [task if each.name == task.name else each for each in manifest.tasks]
    tasks += [] if task.name in names else [task]
    return msgspec.structs.replace(manifest, tasks=tasks)


def retire_task(manifest: Manifest, name: str, why: str) -> Manifest:
    """Without a task; that it was there, and why it went, stays written."""
    gone = manifest.task(name)
    children = [task.name for task in manifest.tasks if task.parent == name]
    if children:
        raise AssayError(f"{manifest.title}: {', '.join(children)} is made from {name}; retire it first")
    entry = Retired(name=name, in_version=manifest.version, why=why, sha256=gone.sha256)
    tasks = [task for task in manifest.tasks if task.name != name]
    return msgspec.structs.replace(manifest, tasks=tasks, retired=[*manifest.retired, entry])


@dataclass
class Difference:
    """What changed from one version to another, and what did not."""

    old: str
    new: str
    added: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    """Tasks of one name on other items."""
    metrics: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """By task that both have: metrics that were added, dropped, or are computed otherwise."""
    equal: dict[str, list[str]] = field(default_factory=dict)
    """By task on the same items: metrics with the same signature. Nothing else may be compared."""

    def plain(self) -> dict[str, Any]:
        return {
            "old": self.old, "new": self.new, "added": self.added, "retired": self.retired, "replaced": self.replaced,
            "metrics": self.metrics, "comparable": self.equal,
        }  # fmt: skip


def difference(old: Manifest, new: Manifest) -> Difference:
    """Both frozen: tasks are equal by the hash of their items, metrics by their signatures."""
    for each in (old, new):
        if not each.is_frozen:
            raise AssayError(f"{each.title} is not frozen, so nobody knows what it is; `assay benchmark freeze`")
    if old.name != new.name:
        raise AssayError(f"{old.title} and {new.title} are versions of different benchmarks")
    then, now = ({task.name: task for task in each.tasks} for each in (old, new))
    found = Difference(old.title, new.title)
    found.added = [name for name in now if name not in then]
    found.retired = [name for name in then if name not in now]
    for name in (name for name in now if name in then):
        if then[name].sha256 != now[name].sha256:
            found.replaced.append(name)
            continue
        before, after = _all_signatures(then[name]), _all_signatures(now[name])
        found.equal[name] = [spec for spec, said in after.items() if before.get(spec) == said]
        changed = {
            "added": [spec for spec in after if spec not in before],
            "dropped": [spec for spec in before if spec not in after],
            "computed otherwise": [spec for spec, said in after.items() if before.get(spec, said) != said],
        }
        if any(changed.values()):
            found.metrics[name] = {kind: specs for kind, specs in changed.items() if specs}
    return found


def _all_signatures(task: Task) -> dict[str, str]:
    return {**task.signatures, **task.held_back_signatures}
