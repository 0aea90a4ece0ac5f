"""A progress bar on stderr, only when somebody is looking and only for work that takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

T = TypeVar("T")
PATIENCE = 1.0


def track(things: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """The things themselves; how far we are is shown as they go by."""
    if not sys.stderr.isatty():
        yield from things
        return
    start = time.monotonic()
    bar: Progress | None = None
    task: TaskID | None = None
    try:
        for done, thing in enumerate(things):
            if bar is None and time.monotonic() - start > PATIENCE:
                from rich.console import Console
                from rich.markup import escape
                from rich.progress import Progress as RichProgress

                bar = RichProgress(console=Console(stderr=True), transient=True)
                bar.start()
                shown = "".join(letter if letter.isprintable() else " " for letter in label)
                task = bar.add_task(escape(shown), total=total)  # names stand in it, and brackets are markup
            if bar is not None and task is not None:
                bar.update(task, completed=done)
            yield thing
    finally:
        if bar is not None:
            bar.stop()
