"""A store of submissions: what was sent in for each version of a benchmark, and what came of it.

VERSION/benchmark.toml                       the frozen manifest
VERSION/cards/TASK.md                        the data cards of its tasks
VERSION/submissions/SYSTEM/submission.json   as it was sent
VERSION/submissions/SYSTEM/record.json       whose it is, when it came, until when it is anonymous
VERSION/submissions/SYSTEM/card.md           its model card
VERSION/submissions/SYSTEM/TASK.jsonl        its outputs, by the ids of the items
VERSION/results/                             a results folder with what everybody may see
VERSION/held-back/                           a results folder with the metrics that are held back

A submission is there as a whole or not at all: it is put together beside its place and renamed. Scoring may be stopped
at any time and goes on with the next call.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

import msgspec

from assay.benchmark.cards.card import parse_card, read_card
from assay.benchmark.cards.check import said
from assay.benchmark.freezing import STORED, refuse_other_metrics
from assay.benchmark.manifest import Manifest, Task, read_manifest, write_manifest
from assay.benchmark.submission import Submission
from assay.benchmark.submission_record import SubmissionRecord, system_name
from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.records.digests import FileDigest
from assay.records.documents import read_json
from assay.records.files import sync_folder, to_json, write_jsonl, write_text
from assay.records.items import Items
from assay.records.read import ExampleFile
from assay.records.types import Output
from assay.store.config_records import Config, Dataset, System
from assay.store.results_manifest import Entry
from assay.store.results_record import folder_lock
from assay.store.run_manifest import EXAMPLES
from assay.store.written_cards import CARDS

MANIFEST = "benchmark.toml"


class StoredVersion:
    """One version of a benchmark in a store."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self.results = folder / STORED
        self.held_back = folder / "held-back"
        self.submissions = folder / "submissions"

    @staticmethod
    def of(folder: Path) -> StoredVersion:
        return StoredVersion(folder, read_manifest(folder / MANIFEST, frozen=True))

    def prepare(self, examples: Mapping[str, ExampleFile], base: Path) -> None:
        """Make its place; refuse one that another manifest has taken. `base`: where the paths of the manifest begin."""
        refuse_other_metrics(self.manifest, examples)
        for other in versions_in(self.folder.parent):
            if other.manifest.name != self.manifest.name:
                raise AssayError(
                    f"{self.folder.parent}: holds {other.manifest.name}; give {self.manifest.name} its own"
                )
        if (self.folder / MANIFEST).exists():
            held = read_manifest(self.folder / MANIFEST, frozen=True)
            if held.digest != self.manifest.digest:
                raise AssayError(f"{self.folder}: holds another {held.title}; what changed needs another version")
        self.results.mkdir(parents=True, exist_ok=True)
        with folder_lock(self.folder):
            for task in self.manifest.tasks:
                file = self.results / task.name / EXAMPLES
                if not file.exists():
                    write_jsonl(file, examples[task.name].records)
                elif FileDigest.of(file).sha256 != task.sha256:
                    raise AssayError(f"{file}: damaged (not the items that were frozen); delete it and submit again")
                self._keep_card(task, base)
            write_manifest(self.folder / MANIFEST, self.manifest)

    def _keep_card(self, task: Task, base: Path) -> None:
        own = self.data_card(task.name)
        given = base / (task.card or self.manifest.task(task.parent or task.name).card)
        if not own.exists() and given.is_file():
            write_text(own, read_card(given).markdown())

    def data_card(self, task: str) -> Path:
        return self.folder / "cards" / f"{task}.md"

    def records(self) -> list[SubmissionRecord]:
        """What was sent in, in the order in which it came."""
        found = []
        for file in sorted(self.submissions.glob("*/record.json")):
            if not file.parent.name.startswith("."):
                try:
                    found.append(msgspec.convert(read_json(file), SubmissionRecord))
                except msgspec.ValidationError as error:
                    raise AssayError(f"{file}: damaged ({error}); submit it again") from None
        return sorted(found, key=lambda record: (record.received, record.system))

    def put(
        self, submission: Submission, sent: bytes, items: Mapping[str, Items], card: str, digest: str
    ) -> SubmissionRecord:
        """Keep a submission; the same one again changes nothing, another of its name is refused."""
        with folder_lock(self.folder):
            return self._put(submission, sent, items, card, digest)

    def _put(
        self, submission: Submission, sent: bytes, items: Mapping[str, Items], card: str, digest: str
    ) -> SubmissionRecord:
        system = system_name(submission.name)
        for known in self.records():
            if known.system == system and known.sha256 == digest and sorted(known.tasks) == sorted(items):
                return known
            if known.system == system:
                raise AssayError(
                    f"{self.manifest.title}: a submission called {submission.name} is stored already; give this one "
                    "another submission_name"
                )
        taken = {known.pseudonym for known in self.records()}
        number = next(i for i in range(1, len(taken) + 2) if f"anonymous-{i}" not in taken)
        record = SubmissionRecord(
            name=submission.name, system=system, received=datetime.now(UTC).isoformat(timespec="microseconds"),
            pseudonym=f"anonymous-{number}", tasks=list(items), sha256=digest, benchmark=self.manifest.digest,
            parameters=submission.parameters, description=submission.description, anonymous=submission.anonymous,
            anonymous_until=submission.anonymous_until,
        )  # fmt: skip
        self._place(record, sent, {task: _outputs(each, system) for task, each in items.items()}, card)
        return record

    def _place(self, record: SubmissionRecord, sent: bytes, outputs: Mapping[str, list[Output]], card: str) -> None:
        self.submissions.mkdir(parents=True, exist_ok=True)
        made = Path(mkdtemp(prefix=".incoming-", dir=self.submissions))
        try:
            (made / "submission.json").write_bytes(sent)
            write_text(made / "card.md", card)
            for task, rows in outputs.items():
                write_jsonl(made / f"{task}.jsonl", rows)
            write_text(made / "record.json", to_json(record) + "\n")
            sync_folder(made)
            made.rename(self.submissions / record.system)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
        sync_folder(self.submissions)

    def carry(self, record: SubmissionRecord, source: StoredVersion) -> SubmissionRecord | None:
        """A submission of another version with its answers to the tasks that are the same here; None without any."""
        then = {task.name: task.sha256 for task in source.manifest.tasks}
        same = [task.name for task in self.manifest.tasks if then.get(task.name) == task.sha256]
        tasks = [task for task in record.tasks if task in same]
        place = source.submissions / record.system
        if not tasks or (self.submissions / record.system).exists():
            return None
        outputs = {task: _read_outputs(place / f"{task}.jsonl") for task in tasks}
        carried = msgspec.structs.replace(
            record, tasks=tasks, benchmark=self.manifest.digest,
            from_version=record.from_version or source.manifest.version,
        )  # fmt: skip
        sent = (place / "submission.json").read_bytes()
        self._place(carried, sent, outputs, source.model_card(record.system).read_text(encoding="utf-8"))
        return carried

    def score(self, record: SubmissionRecord, executor: Executor = SERIAL, *, cards: bool = True) -> list[Entry]:
        """Score a stored submission, or go on where that was stopped; what failed. `cards`: write those of all systems
        beside the results, which takes the longer the more there are."""
        from assay.execution.run_config import run

        answered = [task for task in self.manifest.tasks if task.name in record.tasks]
        system = System(
            name=record.system, outputs=f"../submissions/{record.system}/{{dataset}}.jsonl", about=record.description
        )

        def config(kind: str, metrics: Mapping[str, list[str]]) -> Config:
            datasets = [_dataset(task, metrics[task.name]) for task in answered if metrics[task.name]]
            return Config(name=f"{self.manifest.title}{kind}", datasets=datasets, systems=[system])

        entries: list[Entry] = []
        kinds = (
            (self.results, "", {task.name: list(task.signatures) for task in answered}),
            (self.held_back, " held back", {task.name: list(task.held_back_signatures) for task in answered}),
        )
        for out, kind, metrics in kinds:
            if any(metrics.values()):
                asked = config(kind, metrics)
                entries += run(asked, self.results, out, only=[system.name], executor=executor).entries
        if cards:
            self.write_cards()
        return [entry for entry in entries if entry.why is not None and entry.system == record.system]

    def write_cards(self) -> None:
        """The cards of all systems beside their results, for whoever opens these."""
        write_text(self.results / CARDS, to_json(self.shown_cards(self.records())) + "\n")

    def model_card(self, system: str) -> Path:
        return self.submissions / system / "card.md"

    def shown_cards(self, records: Sequence[SubmissionRecord]) -> dict[str, dict[str, list[tuple[str, str]]]]:
        """What the cards of the tasks and of these systems say, section by section."""
        datasets = {task.name: file for task in self.manifest.tasks if (file := self.data_card(task.name)).is_file()}
        systems = {record.system: self.model_card(record.system) for record in records}
        return {
            kind: {name: _sections(file) for name, file in files.items()}
            for kind, files in (("systems", systems), ("datasets", datasets))
        }


def _sections(file: Path) -> list[tuple[str, str]]:
    card = parse_card(file.read_text(encoding="utf-8"), str(file))
    return [(section.title, words) for section in card.sections if (words := said(section.text))]


def _dataset(task: Task, metrics: list[str]) -> Dataset:
    return Dataset(name=task.name, examples=f"{task.name}/{EXAMPLES}", about=task.about, metrics=metrics)


def _outputs(items: Items, system: str) -> list[Output]:
    pairs = zip(items.ids, items.outputs, strict=True)
    return [Output(id=id, output=text, system=system) for id, text in pairs]


def _read_outputs(path: Path) -> list[Output]:
    from assay.records.read import read_outputs

    file = read_outputs(path)
    return [Output(id=id, output=text, system=file.system) for id, text in zip(file.ids, file.texts, strict=True)]


def versions_in(store: Path) -> Iterator[StoredVersion]:
    """The versions that a store has submissions of."""
    for file in sorted(store.glob(f"*/{MANIFEST}")):
        yield StoredVersion.of(file.parent)


def open_version(store: Path, version: str | None = None) -> StoredVersion:
    """A version of a store: the one that is named, or the only one."""
    found = {each.manifest.version: each for each in versions_in(store)}
    if not found:
        raise AssayError(f"{store}: no store of submissions; `assay benchmark submit` makes one")
    if version is None and len(found) > 1:
        raise AssayError(f"{store}: holds versions {', '.join(found)}; choose one with --version")
    if version is not None and version not in found:
        raise AssayError(f"{store}: no version {version}; there is {', '.join(found)}")
    return found[version or next(iter(found))]
