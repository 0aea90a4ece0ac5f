"""One writer of a journal at a time: sheets that are collected at once, and annotators who are deleted meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.records.locks import Lock
from assay.studies import forget as forgetting
from assay.studies.design import read_design
from tests.conftest import Call, read_jsonl, write_jsonl
from tests.studies.test_sheets import assign
from tests.studies.test_sheets import files as files

Run = Callable[..., Call]


def collect(here: Run, folder: Path) -> Call:
    sheets = sorted((folder / "sheets").iterdir())
    return here("study", "collect", folder / "j.jsonl", "--design", folder / "design.toml", *sheets)


@pytest.fixture
def assigned(here: Run, files: Path) -> Path:
    assert assign(here, files, "--people", 3, "--sheets", files / "sheets").code == 0
    return files


def test_a_second_writer_names_the_first_and_changes_nothing(here: Run, assigned: Path) -> None:
    journal = assigned / "j.jsonl"
    before = journal.read_bytes()
    with Lock.of_file(journal):
        for call in (
            collect(here, assigned),
            here("study", "forget", journal, "--design", assigned / "design.toml", "--person", "person-1"),
        ):
            assert call.code == 1
            assert "is being written by process" in " ".join(call.err.split())
    assert journal.read_bytes() == before
    assert collect(here, assigned).code == 0


def test_a_journal_that_would_not_be_valid_is_not_replaced(
    here: Run, assigned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is read as a study before it replaces the journal."""
    journal = assigned / "j.jsonl"
    before = journal.read_bytes()
    monkeypatch.setattr(forgetting, "events_without", lambda events, _: [*events, events[-1]])
    with pytest.raises(AssayError, match="does not follow from the events before it"):
        forgetting.forget(journal, read_design(assigned / "design.toml"), "person-1")
    assert journal.read_bytes() == before


def test_completed_sheets_are_not_overwritten(here: Run, assigned: Path) -> None:
    sheet = assigned / "sheets" / "person-1.jsonl"
    rows = read_jsonl(sheet)
    rows[0]["answers"]["fluency"][0] = 4
    write_jsonl(sheet, rows)
    (assigned / "j.jsonl").rename(assigned / "first.jsonl")
    again = assign(here, assigned, "--people", 3, "--sheets", assigned / "sheets")
    assert again.code == 1
    assert "person-1.jsonl: has answers" in " ".join(again.err.split())
    assert read_jsonl(sheet) == rows
    assert not (assigned / "j.jsonl").exists()


def test_an_edited_journal_is_one_clear_line(here: Run, assigned: Path) -> None:
    """Lines removed, doubled and exchanged: each gives a study or one line."""
    journal = assigned / "j.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    refused = 0
    for i in range(len(lines)):
        for changed in ([*lines[:i], *lines[i + 1 :]], [*lines[: i + 1], *lines[i:]], [*lines[i:], *lines[:i]]):
            journal.write_bytes(b"".join(changed))
            call = here("study", "status", journal, "--design", assigned / "design.toml")
            assert "mistake in assay" not in call.err
            assert "Traceback" not in call.err
            refused += call.code
    assert refused > len(lines)


def test_a_missing_or_unreadable_tasks_file_opens_no_study(here: Run, files: Path) -> None:
    pytest.importorskip("fastapi")
    serve = ("study", "serve", files / "design.toml", "--folder", files / "server", "--add", "--tasks")
    missing = here(*serve, files / "none.jsonl")
    assert missing.code == 1
    assert "none.jsonl: no such file" in " ".join(missing.err.split())
    assert not (files / "server").exists()
    (files / "bad.jsonl").write_text("{}\n")
    assert here(*serve, files / "bad.jsonl").code == 1
    assert not (files / "server").exists()
