"""Types of paths on the command line: files and folders that are read or written, and URLs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from assay.errors import UsageError


class PathOrUrl(click.Path):
    """A path or URL (`s3://…`): inputs are downloaded first, folders that are written are uploaded as they grow."""

    def __init__(self, written: bool = False) -> None:
        super().__init__(path_type=Path)
        self.written = written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from assay.records.mirror import mirrored
        from assay.records.remote import fetched, is_url

        if not is_url(value):
            return super().convert(value, param, ctx)
        return ctx.with_resource(mirrored(value)) if self.written and ctx else fetched(value)


class FolderOrUrl(click.Path):
    """A folder to write to; a URL is passed on unchanged."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from assay.records.remote import is_url

        return value if is_url(value) else super().convert(value, param, ctx)


class NewPath(click.Path):
    """A path to write to; URLs are refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from assay.records.remote import is_url

        if is_url(value):
            raise UsageError(f"{value}: output must be a local path; --save and `assay run -o` accept URLs")
        return super().convert(value, param, ctx)


PATH = PathOrUrl()
FOLDER = PathOrUrl(written=True)
"""A folder for a run or results."""
NEW_FILE = NewPath(path_type=Path, dir_okay=False)
"""A file to write; a folder is refused before any work."""
NEW_FOLDER = NewPath(path_type=Path)
"""A folder to write."""


def apart(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse to overwrite an input, or to write two outputs to one file."""
    taken = {path.resolve(): "is an input of this command" for path in inputs if path and str(path) != "-"}
    for path in outputs:
        if path is None or str(path) == "-":
            continue
        if why := taken.get(path.resolve()):
            raise UsageError(f"{path}: {why} and would be overwritten; write to another file")
        taken[path.resolve()] = "is already an output of this command"
