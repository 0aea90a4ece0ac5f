"""What the runs of one dataset share: its examples and human judgements.

They are written once. Runs were scored against them, so others are refused unless all such runs are replaced too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.records.digests import FileDigest
from assay.records.files import jsonl_chunks, sync_folder, write_jsonl
from assay.records.read import read_examples
from assay.records.types import Example, Judgement
from assay.store.results_manifest import JUDGEMENTS
from assay.store.run_manifest import EXAMPLES, is_run

STARTED = ("content", ".lock", "answers.jsonl", "answers.jsonl.part")
"""Files that show that a run was started here."""


class DatasetFolder:
    """The folder of one dataset in a results folder."""

    def __init__(self, path: Path, examples: Sequence[Example], judgements: Sequence[Judgement] | None) -> None:
        self.path = path
        self.examples = examples
        self.judgements = judgements
        self.digests = {EXAMPLES: FileDigest.of_chunks(jsonl_chunks(examples))}
        """Digests of the shared files."""
        if judgements is not None:
            self.digests[JUDGEMENTS] = FileDigest.of_chunks(jsonl_chunks(judgements))

    def prepare(self, systems: Collection[str], force: bool, recorded: FileDigest | None) -> None:
        """Write what is missing; refuse, before anything is written, to leave runs with examples they were not scored
        against. `systems` are to be run, `recorded` is the digest of the examples when they were written."""
        if not self._same():
            others = sorted(folder.name for folder in self.path.glob("*") if _holds_run(folder))
            if others and recorded != self.digests[EXAMPLES]:  # otherwise the file is damaged and is written again
                self._refuse(others, systems, force)
            write_jsonl(self.path / EXAMPLES, self.examples)
        if self.judgements is not None and not self._is_there(JUDGEMENTS):
            write_jsonl(self.path / JUDGEMENTS, self.judgements)
        sync_folder(self.path)

    def _refuse(self, others: list[str], systems: Collection[str], force: bool) -> None:
        if not force:
            raise AssayError(
                f"{self.path}: contains runs on other examples ({', '.join(others)}); give another results folder, "
                "or replace them with --force"
            )
        if left := [name for name in others if name not in systems]:
            raise AssayError(
                f"{self.path}: {', '.join(left)} would be left with other examples. Run all systems, or delete them."
            )

    def _same(self) -> bool:
        """Return whether the stored examples are these, perhaps as written by an earlier version."""
        file = self.path / EXAMPLES
        if self._is_there(EXAMPLES):
            return True
        try:
            same: Any = file.is_file() and read_examples(file).examples == list(self.examples)
        except AssayError:
            return False
        if same:
            self.digests[EXAMPLES] = FileDigest.of(file)
        return bool(same)

    def _is_there(self, name: str) -> bool:
        file = self.path / name
        return file.is_file() and self.digests[name].change(file) is None

    def changed(self) -> str | None:
        """Return why runs scored here do not match the stored examples, if another process replaced them."""
        if self._is_there(EXAMPLES):
            return None
        return f"{self.path / EXAMPLES} was replaced by another process. Run again."


def _holds_run(folder: Path) -> bool:
    started = is_run(folder) or any((folder / name).exists() for name in STARTED)
    return started and not folder.name.startswith(".")
