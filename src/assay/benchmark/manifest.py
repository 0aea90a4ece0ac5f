"""The manifest of a benchmark version: its tasks with their items, metrics and cards.

Organisers write names, paths and metrics; `assay benchmark freeze` adds hashes of data and cards and signatures of
metrics, and seals the manifest with a digest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from assay.errors import AssayError
from assay.execution.config import NAME
from assay.records.digests import SEAL, broken_seal, seal
from assay.records.documents import read_toml, to_toml
from assay.records.files import write_text
from assay.records.key_problems import key_problem
from assay.records.recognize import gem_name
from assay.specs import did_you_mean

AT_LEAST = 50.0
"""Default of `cards_at_least`: required completeness of the data card of a task, in percent."""


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A task: its items and metrics. The fields from `since` on are written by `freeze`."""

    name: str
    about: str = ""
    examples: str = ""
    """File of examples, or DATASET:PATH, relative to the manifest."""
    card: str = ""
    """Data card, relative to the manifest (default of a challenge set: that of its parent)."""
    suite: str | None = None
    metrics: list[str] = []
    held_back: list[str] = []
    """Held-back metrics: computed for submissions and shown to organisers only."""
    ladder: dict[str, float] = {}
    """Held-back metrics of which authors see their best score so far, and the step by which it has to improve."""
    show_references: Literal["", "public", "signed-in", "hidden"] = ""
    """Who may read the references (default: hidden for a test split with held-back metrics, else public)."""
    show_inputs: Literal["", "public", "signed-in", "hidden"] = ""
    """Who may read the inputs (same default)."""
    challenge: str = ""
    """Instead of examples: the perturbation applied to the items of `parent`, e.g. `scramble`."""
    parent: str = ""
    size: int = 500
    seed: int = 0

    since: str = ""
    """First version with these items."""
    items: int = 0
    sha256: str = ""
    """Hash of the examples as JSON Lines, independent of the format of their file."""
    card_sha256: str = ""
    card_complete: float = 0.0
    signatures: dict[str, str] = {}
    held_back_signatures: dict[str, str] = {}
    held_back_digest: str = ""
    """Salted digest of the held-back metrics: it is published, so that later changes are detectable."""
    held_back_salt: str = ""


class Retired(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A task that was removed from the benchmark."""

    name: str
    in_version: str
    """First version without the task."""
    why: str = ""
    sha256: str = ""


class BenchmarkManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A version of a benchmark."""

    name: str
    version: str
    about: str = ""
    before: str = ""
    """Previous version."""
    cards_at_least: float = AT_LEAST
    tasks: list[Task] = []
    retired: list[Retired] = []
    published_from: str = ""
    """In the public copy of a manifest: digest of the original."""
    digest: str = ""
    """Digest of all other fields, once frozen."""

    @property
    def is_frozen(self) -> bool:
        return bool(self.digest)

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}"

    def task(self, name: str) -> Task:
        """Return the task of this name."""
        by_name = {task.name: task for task in self.tasks}
        if name not in by_name:
            near = did_you_mean(name, list(by_name)) or f"; tasks: {', '.join(by_name) or 'none'}"
            raise AssayError(f"{self.title}: no task {name}{near}")
        return by_name[name]


def read_manifest(path: Path, *, frozen: bool = False) -> BenchmarkManifest:
    """Read a manifest.

    Args:
        path: The TOML file.
        frozen: Require a frozen manifest.

    Raises:
        AssayError: The file is not a manifest, was edited after it was frozen, or is not frozen.
    """
    raw = read_toml(path)
    try:
        manifest = msgspec.convert(raw, BenchmarkManifest)
    except msgspec.ValidationError as error:
        raise AssayError(
            f"{path}: {key_problem(error, BenchmarkManifest)}. `assay benchmark new --help` has an example."
        ) from None
    _check_names(manifest, path)
    if broken_seal(raw):
        raise AssayError(
            f"{path}: edited after it was frozen. Restore the file, or create a new version with "
            "`assay benchmark add|retire --version`."
        )
    if frozen and not manifest.is_frozen:
        raise AssayError(f"{path}: not frozen. Run `assay benchmark freeze` first.")
    return manifest


def _check_names(manifest: BenchmarkManifest, path: Path) -> None:
    names = [task.name for task in manifest.tasks]
    for kind, name in (("name", manifest.name), ("version", manifest.version), *(("task", name) for name in names)):
        if not NAME.fullmatch(name):
            raise AssayError(f"{path}: {kind} '{name}' is not valid. Use letters, digits, . and _.")
    for name in names:
        if name != gem_name(name):
            raise AssayError(f"{path}: task {name}: rename it to {gem_name(name)}, its name in submissions.")
        if names.count(name) > 1:
            raise AssayError(f"{path}: duplicate task {name}. Rename one.")
    for task in manifest.tasks:
        if task.challenge and (task.parent not in names or task.parent == task.name or task.examples):
            raise AssayError(f"{path}: task {task.name}: a challenge requires a parent task and no examples.")
        if not task.challenge and not task.examples and not manifest.published_from:
            raise AssayError(f"{path}: task {task.name} has no examples. Name a file, or DATASET:PATH.")
        if task.suite and task.metrics:
            raise AssayError(f"{path}: task {task.name} has metrics and a suite. Keep one of them.")


def write_manifest(path: Path, manifest: BenchmarkManifest) -> None:
    """Write a manifest as TOML."""
    _check_names(manifest, path)
    write_text(path, to_toml(msgspec.to_builtins(manifest)))


def sealed(manifest: BenchmarkManifest) -> BenchmarkManifest:
    """Return the manifest with its digest, i.e. frozen."""
    plain = msgspec.to_builtins(msgspec.structs.replace(manifest, digest=""))
    return msgspec.structs.replace(manifest, digest=seal(plain)[SEAL])


def published(manifest: BenchmarkManifest) -> BenchmarkManifest:
    """Return the public copy: without paths, and with visibility and digest of held-back metrics of each task."""
    from assay.benchmark.visibility import stated

    tasks = [
        msgspec.structs.replace(task, held_back=[], held_back_signatures={}, held_back_salt="", examples="", card="")
        for task in stated(manifest)
    ]
    return sealed(msgspec.structs.replace(manifest, tasks=tasks, published_from=manifest.digest))
