"""A submission store: the submissions to each version of a benchmark, and their results.

VERSION/benchmark.toml                       frozen manifest
VERSION/cards/TASK.md                        data cards of the tasks
VERSION/submissions/SYSTEM/submission.json   file as submitted
VERSION/submissions/SYSTEM/record.json       name, date, tasks, anonymity
VERSION/submissions/SYSTEM/card.md           model card
VERSION/submissions/SYSTEM/TASK.jsonl        outputs by item id
VERSION/results/                             results folder with the public metrics
VERSION/held-back/                           results folder with the held-back metrics

A submission is stored atomically: written to a temporary folder and renamed. Scoring can be interrupted and is resumed
by the next call.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

import msgspec

from assay.benchmark.cards.card import parse_card, read_card
from assay.benchmark.cards.check import written_text
from assay.benchmark.freezing import STORED, require_same_metrics
from assay.benchmark.manifest import BenchmarkManifest, Task, read_manifest, write_manifest
from assay.benchmark.submission import Submission
from assay.benchmark.submission_record import SubmissionRecord, system_name
from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.records.digests import FileDigest
from assay.records.documents import read_json
from assay.records.files import sync_folder, to_json, write_jsonl, write_text
from assay.records.items import Items
from assay.records.read import ExampleFile
from assay.records.temporary import remove_abandoned
from assay.records.types import Output
from assay.store.config_records import Config, Dataset, System
from assay.store.results_manifest import Entry
from assay.store.results_record import folder_lock
from assay.store.run_manifest import EXAMPLES
from assay.store.written_cards import CARDS

MANIFEST = "benchmark.toml"
INCOMING = ".incoming-"
"""Prefix of the folder that a submission is written to before it has its name."""


class StoredVersion:
    """A version of a benchmark in a submission store."""

    def __init__(self, folder: Path, manifest: BenchmarkManifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self.results = folder / STORED
        self.held_back = folder / "held-back"
        self.submissions = folder / "submissions"

    @staticmethod
    def of(folder: Path) -> StoredVersion:
        """Open the folder of a version."""
        return StoredVersion(folder, read_manifest(folder / MANIFEST, frozen=True))

    def prepare(self, examples: Mapping[str, ExampleFile], base: Path) -> None:
        """Create the folder of the version, or verify an existing one.

        Args:
            examples: Items by task.
            base: Folder that the paths of the manifest are relative to.

        Raises:
            AssayError: The store contains another benchmark or another manifest of this version.
        """
        require_same_metrics(self.manifest, examples)
        for other in versions_in(self.folder.parent):
            if other.manifest.name != self.manifest.name:
                raise AssayError(
                    f"{self.folder.parent}: contains benchmark {other.manifest.name}. Use another store for "
                    f"{self.manifest.name}."
                )
        if (self.folder / MANIFEST).exists():
            stored = read_manifest(self.folder / MANIFEST, frozen=True)
            if stored.digest != self.manifest.digest:
                raise AssayError(f"{self.folder}: contains a different {stored.title}. Create a new version.")
        self.results.mkdir(parents=True, exist_ok=True)
        with folder_lock(self.folder):
            for task in self.manifest.tasks:
                file = self.results / task.name / EXAMPLES
                if not file.exists():
                    write_jsonl(file, examples[task.name].records)
                elif FileDigest.of(file).sha256 != task.sha256:
                    raise AssayError(f"{file}: damaged (differs from the frozen items). Delete it and submit again.")
                self._keep_card(task, base)
            write_manifest(self.folder / MANIFEST, self.manifest)

    def _keep_card(self, task: Task, base: Path) -> None:
        own = self.data_card(task.name)
        source = base / (task.card or self.manifest.task(task.parent or task.name).card)
        if not own.exists() and source.is_file():
            write_text(own, read_card(source).markdown())

    def data_card(self, task: str) -> Path:
        """Return the file of a task's data card."""
        return self.folder / "cards" / f"{task}.md"

    def records(self) -> list[SubmissionRecord]:
        """Return the submissions in order of arrival."""
        records = []
        for file in sorted(self.submissions.glob("*/record.json")):
            if not file.parent.name.startswith("."):
                try:
                    records.append(msgspec.convert(read_json(file), SubmissionRecord))
                except msgspec.ValidationError as error:
                    raise AssayError(f"{file}: damaged ({error}). Submit it again.") from None
        return sorted(records, key=lambda record: (record.received, record.system))

    def put(
        self, submission: Submission, sent: bytes, items: Mapping[str, Items], card: str, digest: str
    ) -> SubmissionRecord:
        """Store a submission; storing the same one again changes nothing.

        Args:
            submission: The submission.
            sent: Its file as submitted.
            items: The joined items by task.
            card: The model card as Markdown.
            digest: SHA-256 of the file.

        Raises:
            AssayError: Another submission has the same name.
        """
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
                    f"{self.manifest.title}: submission {submission.name} exists. Choose another submission_name."
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
        """Write a submission under the lock of the folder, so that every unfinished one is of a killed process."""
        self.submissions.mkdir(parents=True, exist_ok=True)
        remove_abandoned(self.submissions, INCOMING, age=0.0)
        made = Path(mkdtemp(prefix=INCOMING, dir=self.submissions))
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
        """Copy a submission of another version with its outputs for unchanged tasks; None if there are none."""
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
        card = source.model_card(record.system).read_text(encoding="utf-8")
        with folder_lock(self.folder):
            self._place(carried, sent, outputs, card)
        return carried

    def score(self, record: SubmissionRecord, executor: Executor = SERIAL, *, cards: bool = True) -> list[Entry]:
        """Score a stored submission, or resume its scoring; return the failed tasks.

        Args:
            record: The submission.
            executor: How to run the computation.
            cards: Also write the cards of all systems to the results; slow if there are many.
        """
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
                entries += run(config(kind, metrics), self.results, out, only=[system.name], executor=executor).entries
        if cards:
            self.write_cards()
        return [entry for entry in entries if entry.why is not None and entry.system == record.system]

    def write_cards(self) -> None:
        """Write the cards of all tasks and systems to the results folder."""
        write_text(self.results / CARDS, to_json(self.shown_cards(self.records())) + "\n")

    def model_card(self, system: str) -> Path:
        """Return the file of a system's model card."""
        return self.submissions / system / "card.md"

    def shown_cards(self, records: Sequence[SubmissionRecord]) -> dict[str, dict[str, list[tuple[str, str]]]]:
        """Return title and text of each written section, by kind and name of the card."""
        datasets = {task.name: file for task in self.manifest.tasks if (file := self.data_card(task.name)).is_file()}
        systems = {record.system: self.model_card(record.system) for record in records}
        return {
            kind: {name: _sections(file) for name, file in files.items()}
            for kind, files in (("systems", systems), ("datasets", datasets))
        }


def _sections(file: Path) -> list[tuple[str, str]]:
    card = parse_card(file.read_text(encoding="utf-8"), str(file))
    return [(section.title, text) for section in card.sections if (text := written_text(section.text))]


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
    """Yield the versions in a store."""
    for file in sorted(store.glob(f"*/{MANIFEST}")):
        yield StoredVersion.of(file.parent)


def open_version(store: Path, version: str | None = None) -> StoredVersion:
    """Return a version of a store (default: the only one)."""
    versions = {each.manifest.version: each for each in versions_in(store)}
    if not versions:
        raise AssayError(f"{store}: not a submission store. `assay benchmark submit` creates one.")
    if version is None and len(versions) > 1:
        raise AssayError(f"{store}: several versions ({', '.join(versions)}). Choose one with --version.")
    if version is not None and version not in versions:
        raise AssayError(f"{store}: no version {version}. Choose one of: {', '.join(versions)}")
    return versions[version or next(iter(versions))]
