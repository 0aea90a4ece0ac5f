"""What nobody foresaw: one line, exit 1, and a file without texts or secrets."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay.cli.everyday.score
from assay.cli.last_resort import PYTHONS, scrubbed
from tests.conftest import Call

Run = Callable[..., Call]
SECRET = "sk-4f9a Thornbeck"


def _odd_dict() -> None:
    {}[SECRET]  # type: ignore[index]


def _odd_number() -> None:
    float(SECRET)


def _odd_value() -> None:
    raise ValueError(SECRET)


def _odd_cause() -> None:
    try:
        _odd_value()
    except ValueError as error:
        raise RuntimeError(f"no shard of {SECRET}") from error


class PanicError(BaseException):
    """As the libraries in Rust raise: no Exception."""


def _panic() -> None:
    raise PanicError(SECRET)


@pytest.mark.parametrize("break_it", [_odd_dict, _odd_number, _odd_value, _odd_cause, _panic])
def test_one_line_and_a_file_that_may_be_sent(
    here: Run, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, break_it: Callable[[], None]
) -> None:
    def broken(*given: Any, **more: Any) -> None:
        hidden = SECRET  # a local variable
        assert hidden
        break_it()

    monkeypatch.setattr(assay.cli.everyday.score, "score_each", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    call = here("score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "--metrics=rouge")
    assert call.code == 1
    assert call.err.count("\n") == 1
    assert call.err.startswith("assay: internal error (")
    assert "please report" in call.err
    (file,) = tmp_path.glob("assay-mistake-*.txt")
    assert str(file) in call.err
    assert file.stat().st_mode & 0o077 == 0
    text = file.read_text(encoding="utf-8")
    for part in ("sk-", "4f9a", "Thornbeck", str(toy), "outputs.jsonl"):
        assert part not in text + call.err.replace(str(file), "")
    assert "command: assay score … -r … --metrics\n" in text
    assert re.search(r"cli/everyday/score\.py:\d+ in command", text)
    assert break_it.__name__ in text


def test_without_room_for_a_file_the_line_is_there(
    here: Run, toy: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(assay.cli.everyday.score, "score_each", lambda *given, **more: _odd_dict())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    call = here("score", toy / "outputs.jsonl")
    assert (call.code, call.err.count("\n")) == (1, 1)
    assert "KeyError at" in call.err
    assert "please report this line" in call.err


FORESEEN = [
    (MemoryError(), "out of memory"),
    (RecursionError(), "nested too deeply"),
    (OSError(28, "No space left on device"), "disk: No space left on device; free space in the output folder or in "),
    (OSError(28, "No space left on device"), "set TMPDIR to use another folder"),
    (OSError(28, "No space left on device", "/there/run"), "assay: /there/run: No space left on device\n"),
    (OSError(5, "Input/output error"), "assay: disk: Input/output error\n"),
]


@pytest.mark.parametrize(("error", "said"), FORESEEN)
def test_what_has_a_name_of_its_own(
    here: Run, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, said: str
) -> None:
    def broken(*given: Any, **more: Any) -> None:
        raise error

    monkeypatch.setattr(assay.cli.everyday.score, "score_each", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    call = here("score", toy / "outputs.jsonl")
    assert (call.code, call.err.count("\n")) == (1, 1)
    assert said in call.err
    assert not list(tmp_path.glob("assay-mistake-*"))


def test_messages_keep_the_words_of_the_code() -> None:
    known = PYTHONS | {"shard"}
    assert (
        scrubbed("could not convert string to float: 'Thornbeck 4'", known) == "could not convert string to float: '…'"
    )
    assert scrubbed("list index out of range", known) == "list index out of range"
    assert scrubbed("shard 17 of geheim\n\x1b[31m", known) == "shard … of …[…"


def test_a_full_disk_behind_stdout_is_one_line(toy: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "assay", "score", "outputs.jsonl", "-r", "references.jsonl", "-m", "rouge1"],
            stdout=full, stderr=subprocess.PIPE, text=True, cwd=toy, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("assay: disk: No space left on device; free space")


def test_names_of_files_that_are_no_utf8(here: Run, toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read, named in lines and in JSON, saved as a run: nowhere a traceback."""
    odd = os.fsdecode(b"\xff\xfe.jsonl")
    (toy / "outputs.jsonl").rename(toy / odd)
    monkeypatch.chdir(toy)
    monkeypatch.setattr(sys, "argv", ["assay", "score", odd])  # kept with the run
    for more in ([], ["--json"], ["--save", os.fsdecode(b"run-\xff")]):
        call = here("score", odd, "-r", "references.jsonl", "-m", "rouge1", *more)
        assert (call.code, call.err) == (0, "")
        if more == ["--json"]:
            assert call.json["n"] == 3
    for wrong in ([f"{odd}x"], [os.fsdecode(b"\xff")], [odd, "-r", os.fsdecode(b"\xfe")]):
        call = here("score", *wrong)
        assert (call.code, call.err.count("\n")) == (1, 1)
        assert call.err.startswith("assay: ")


def test_a_terminal_that_knows_few_letters(run: Run, toy: Path) -> None:
    done = run("score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "-m", "rouge1", PYTHONIOENCODING="ascii")
    assert (done.code, done.err) == (0, "")
    assert "3 outputs" in done.out
