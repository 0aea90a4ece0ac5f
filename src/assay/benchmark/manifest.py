"""The manifest of a benchmark: which tasks a version of it has, on which items, by which metrics, under which cards.

People write names, paths and metrics; `freeze` adds what the data, the cards and the metrics are, and seals it all.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.execution.config import NAME
from assay.records.digests import SEAL, broken_seal, seal
from assay.records.documents import read_toml, to_toml
from assay.records.files import write_text
from assay.records.recognize import gem_name
from assay.specs import did_you_mean

AT_LEAST = 50.0
"""How complete the card of a task must be, in percent, unless the manifest says otherwise."""


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """Items to be answered and how answers are measured; the lower part is written by `freeze`."""

    name: str
    about: str = ""
    examples: str = ""
    """A file of examples or DATASET:PATH, relative to the manifest."""
    card: str = ""
    """The data card, relative to the manifest; a challenge set has that of the task it is made from."""
    suite: str | None = None
    metrics: list[str] = []
    held_back: list[str] = []
    """Metrics that are computed of submissions alone, and that submitters do not see."""
    challenge: str = ""
    """Instead of examples: how the items of `parent` are altered, `scramble`."""
    parent: str = ""
    size: int = 500
    seed: int = 0

    since: str = ""
    """The version in which it joined as it is."""
    items: int = 0
    sha256: str = ""
    """Of its examples, one JSON object a line, whatever file they came from."""
    card_sha256: str = ""
    card_complete: float = 0.0
    signatures: dict[str, str] = {}
    held_back_signatures: dict[str, str] = {}
    held_back_digest: str = ""
    """In what is published stands only this of what is held back, so that nobody can change it later unseen; the salt
    keeps others from guessing."""
    held_back_salt: str = ""


class Retired(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A task that a version has no more, as it was."""

    name: str
    in_version: str
    """The first version without it."""
    why: str = ""
    sha256: str = ""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    name: str
    version: str
    about: str = ""
    before: str = ""
    """The version it was made from."""
    cards_at_least: float = AT_LEAST
    tasks: list[Task] = []
    retired: list[Retired] = []
    published_from: str = ""
    """The digest of the manifest of which this is the public copy."""
    digest: str = ""
    """Of all the rest, once it is frozen."""

    @property
    def is_frozen(self) -> bool:
        return bool(self.digest)

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}"

    def task(self, name: str) -> Task:
        by_name = {task.name: task for task in self.tasks}
        if name not in by_name:
            near = did_you_mean(name, list(by_name)) or f"; there is {', '.join(by_name) or 'none yet'}"
            raise AssayError(f"{self.title}: no task called {name}{near}")
        return by_name[name]


def read_manifest(path: Path, *, frozen: bool = False) -> Manifest:
    """A manifest from its file; one that was changed after it was frozen is refused."""
    raw = read_toml(path)
    try:
        manifest = msgspec.convert(raw, Manifest)
    except msgspec.ValidationError as error:
        raise AssayError(f"{path}: {error}; `assay benchmark new --help` shows a manifest") from None
    _check_names(manifest, path)
    if broken_seal(raw):
        raise AssayError(
            f"{path}: was changed after it was frozen, and results belong to what it said; put it back, or make a new "
            "version from it with `assay benchmark add|retire --version`"
        )
    if frozen and not manifest.is_frozen:
        raise AssayError(f"{path}: is not frozen, so its numbers could not be attached to it; `assay benchmark freeze`")
    return manifest


def _check_names(manifest: Manifest, path: Path) -> None:
    names = [task.name for task in manifest.tasks]
    for kind, name in (("name", manifest.name), ("version", manifest.version), *(("task", name) for name in names)):
        if not NAME.fullmatch(name):
            raise AssayError(f"{path}: the {kind} '{name}' cannot be a folder; use letters, digits, . and _")
    for name in names:
        if name != gem_name(name):
            raise AssayError(f"{path}: task {name}: submissions call it {gem_name(name)}; rename it")
        if names.count(name) > 1:
            raise AssayError(f"{path}: two tasks are called {name}; rename one")
    for task in manifest.tasks:
        if task.challenge and (task.parent not in names or task.parent == task.name or task.examples):
            raise AssayError(f"{path}: task {task.name}: a challenge needs a parent among the tasks, and no examples")
        if not task.challenge and not task.examples and not manifest.published_from:
            raise AssayError(f"{path}: task {task.name} has no examples; name a file, or DATASET:PATH")
        if task.suite and task.metrics:
            raise AssayError(f"{path}: task {task.name} has metrics and a suite; keep one")


def write_manifest(path: Path, manifest: Manifest) -> None:
    _check_names(manifest, path)
    write_text(path, to_toml(msgspec.to_builtins(manifest)))


def sealed(manifest: Manifest) -> Manifest:
    """The same, to be changed no more."""
    plain = msgspec.to_builtins(msgspec.structs.replace(manifest, digest=""))
    return msgspec.structs.replace(manifest, digest=seal(plain)[SEAL])


def published(manifest: Manifest) -> Manifest:
    """What everybody may read: of metrics that are held back only their digest, of paths nothing."""
    tasks = [
        msgspec.structs.replace(task, held_back=[], held_back_signatures={}, held_back_salt="", examples="", card="")
        for task in manifest.tasks
    ]
    return sealed(msgspec.structs.replace(manifest, tasks=tasks, published_from=manifest.digest))
