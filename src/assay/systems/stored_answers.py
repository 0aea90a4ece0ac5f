"""Integrity checks of stored answers; no system is called."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from assay.records.digests import FileDigest, broken_seal
from assay.records.size_limit import read_regular
from assay.systems.journal import Journal, kept_row, read_row


def is_answers(file: Path) -> bool:
    """Return whether a file holds answers written by assay, finished or unfinished."""
    return Journal(file, {}, []).info.is_file() or Journal(file, {}, []).part.is_file()


def answers_problems(file: Path) -> Iterator[tuple[str, str]]:
    """Yield each problem of stored answers with its remedy."""
    journal = Journal(file, {}, [])
    again = "run the same command again with --force, or restore the file"
    if journal.part.is_file():
        first, *lines = read_regular(journal.part).split(b"\n")[:-1] or [b"{}"]
        if damaged := sum(kept_row(line) is None for line in lines):
            yield f"{journal.part.name}: {damaged} lines are damaged", "the same command asks about them again"
        if read_row(first) is None:
            yield f"{journal.part.name}: damaged in its first line", "delete it to begin again"
        elif not file.is_file():
            yield f"not finished: {len(lines) - damaged} answers are kept", "run the same command again; it goes on"
    if not file.is_file():
        return
    info = read_row(read_regular(journal.info)) if journal.info.is_file() else None
    if info is None or broken_seal(info):
        yield f"{journal.info.name}: missing or damaged", again
    elif "file" in info and (why := msgspec.convert(info["file"], FileDigest).change(file)):
        yield f"not what was answered: {why}", again
