"""What a target is: bytes that somebody else wrote, and what reads them. It may refuse them with an `AssayError`;
whatever else happens is a finding."""

from __future__ import annotations

import atexit
import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from assay.errors import AssayError

SEEDS = Path(__file__).parent / "seeds"
"""What was found once, one folder a target."""
TEXTS = ["Wexley has a harbour .", "The kettle – is old .", "Nobody sings here ."]


@lru_cache(maxsize=1)
def home() -> Path:
    made = Path(mkdtemp(prefix="assay-fuzz-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


class Target:
    """One kind of file, and what reads it."""

    def __init__(self, name: str, seeds: Callable[[], list[bytes]], read: Callable[[bytes], object]) -> None:
        self.name = name
        self._seeds, self._read = seeds, read

    @property
    def seeds(self) -> list[bytes]:
        return _seeds_of(self)

    def kept(self) -> list[bytes]:
        """Files that were mended for once; kept so that they stay so."""
        return [file.read_bytes() for file in sorted((SEEDS / self.name).glob("*"))]

    def try_bytes(self, data: bytes) -> None:
        """Raises what is a finding."""
        with suppress(AssayError):
            self._read(data)


@lru_cache(maxsize=200)
def _seeds_of(target: Target) -> list[bytes]:
    return target._seeds()


def lines(*rows: Any) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def in_file(read: Callable[[Path], object], name: str = "file") -> Callable[[bytes], object]:
    """A reader of files, given bytes."""

    def given(data: bytes) -> object:
        path = home() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return read(path)

    return given


def every(*reads: Callable[[Path], object]) -> Callable[[Path], None]:
    """Each of them, whatever the others say."""

    def read(path: Path) -> None:
        for one in reads:
            with suppress(AssayError):
                one(path)

    return read
