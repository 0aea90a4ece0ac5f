"""Pages whose tests take seconds, kept in the results folder and computed again when anything they use changes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from assay.errors import AssayError
from assay.records.files import digest_of, replacing
from assay.store.library import DatasetResults, inside
from assay.version import VERSION

T = TypeVar("T")
FOLDER = ".pages"
"""Folder in a results folder; it can be deleted at any time."""


def content_of(dataset: DatasetResults) -> str:
    """Return a digest of everything that tests and correlations of a dataset use: statistics, items, judgements."""
    runs = [
        [name, run.manifest, [] if run.result is None else [run.result.n, *run.result.values]]
        for name, run in sorted(dataset.runs.items())
    ]
    return digest_of(VERSION, dataset.name, runs, dataset.judgements)


class PageCache:
    """The cached pages of one dataset. A folder that cannot be written is no problem: nothing is kept then."""

    def __init__(self, dataset: DatasetResults) -> None:
        self.root = dataset.root
        self.content = content_of(dataset)

    def get(self, kind: type[T], make: Callable[[], T], *arguments: str) -> T:
        """Return a page from the folder, or compute and keep it."""
        name = f"{digest_of(self.content, kind.__name__, *arguments)}.json"
        with suppress(OSError, AssayError, msgspec.MsgspecError):  # not there yet, damaged, or not ours to read
            return msgspec.json.decode(self._file(name).read_bytes(), type=kind)
        page = make()
        with suppress(OSError, AssayError), replacing(self._file(name), "wb") as stream:
            stream.write(msgspec.json.encode(page))
        return page

    def _file(self, name: str) -> Path:
        """Return the path of a page; a link that leaves the results folder is refused."""
        return inside(self.root, FOLDER, name)
