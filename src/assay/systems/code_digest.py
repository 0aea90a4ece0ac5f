"""Digests of the code behind a command or a function: answers of a program that has changed are not used again."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.records.files import digest_of


def file_content(name: str) -> str | None:
    """Digest of a file; None if there is no file of that name."""
    made = hashlib.blake2b(digest_size=10)
    try:
        if not Path(name).is_file():
            return None
        with Path(name).open("rb") as stream:
            while piece := stream.read(1 << 20):
                made.update(piece)
    except (OSError, ValueError):  # too long for a name, or not to be read
        return None
    return made.hexdigest()


def line_content(words: list[str]) -> list[tuple[str, str]]:
    """Every file that a command line names, be it as a word or behind a `=`, with its digest."""
    names = [name for word in words for name in (word, word.partition("=")[2])]
    return [(name, content) for name in names if (content := file_content(name))]


def function_content(function: Callable[..., Any]) -> str | None:
    """Digest of the file where a function stands, or of its own lines if they stand in a notebook."""
    plain = inspect.unwrap(function)
    written = plain if inspect.isroutine(plain) or inspect.isclass(plain) else type(plain)
    try:
        return file_content(inspect.getsourcefile(written) or "") or digest_of(inspect.getsource(written))
    except (TypeError, OSError):  # built in, or typed at a prompt
        return None
