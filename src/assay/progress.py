"""Progress: a bar on stderr if it is a terminal, or JSON lines for programs.

Code that iterates calls `track`; a command chooses the display once with `shown_as`. The bar appears only for work that
takes longer than a second.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, TypeVar

from assay.errors import UsageError
from assay.processes import memory

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")
DELAY = 1.0
"""Seconds before the bar appears."""
INTERVAL = 0.5
"""Seconds between two reports."""
MEGABYTE = 1 << 20


class Step(NamedTuple):
    """Progress that one element of an iteration makes."""

    shards: float = 1.0
    items: float = 0.0
    failures: int = 0


@dataclass
class State:
    """Progress of a task; the fields of a JSON line."""

    label: str
    total: int | None
    """Number of shards."""
    shards: float = 0.0
    items: float = 0.0
    failures: int = 0
    seconds: float = 0.0
    items_per_second: float | None = None
    seconds_left: float | None = None
    memory_mb: int | None = None
    """Memory of this process and its children, on this machine."""
    done: bool = False

    def add(self, step: Step, since: float) -> None:
        self.shards += step.shards
        self.items += step.items
        self.failures += step.failures
        self.seconds = round(time.monotonic() - since, 3)
        if self.seconds and self.items:
            self.items_per_second = round(self.items / self.seconds, 1)
        if self.total and self.shards:
            self.seconds_left = round(max(0.0, self.seconds * (self.total / self.shards - 1)), 1)

    def __str__(self) -> str:
        parts = [] if self.items_per_second is None else [f"{self.items_per_second:,.0f} items/s"]
        parts += [f"{self.memory_mb:,} MB"] if self.memory_mb else []
        parts += [f"{self.failures} failed"] if self.failures else []
        return " · ".join(parts)


class _NoDisplay:
    def show(self, state: State) -> None: ...

    def end(self) -> None: ...


class _JsonLines:
    """One JSON object per line."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def show(self, state: State) -> None:
        row = asdict(state) | {"shards": round(state.shards, 2)}
        with suppress(OSError, ValueError):  # a closed pipe or a full disk must not stop the work
            print(json.dumps(row | {"items": round(state.items)}, allow_nan=False), file=self.stream, flush=True)

    def end(self) -> None: ...


class _Bar:
    """A transient progress bar in the terminal."""

    def __init__(self) -> None:
        self.bar: Progress | None = None

    def show(self, state: State) -> None:
        if state.seconds < DELAY or state.done:
            return
        from rich.markup import escape

        # labels contain file names, and brackets are markup
        label = escape("".join(letter if letter.isprintable() else " " for letter in state.label))
        if self.bar is None:
            self.bar = _start_bar()
            self.bar.add_task(label, total=state.total, details="")
        self.bar.update(self.bar.task_ids[0], completed=state.shards, details=str(state))

    def end(self) -> None:
        if self.bar is not None:
            self.bar.stop()
        self.bar = None


def _start_bar() -> Progress:
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"), progress.BarColumn(), progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[details]}"), progress.TimeRemainingColumn(),
    )  # fmt: skip
    bar = progress.Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar


_display: _JsonLines | _NoDisplay | None = None
"""Display that the command has chosen; None is a bar, if stderr is a terminal."""


@contextmanager
def shown_as(how: str) -> Iterator[None]:
    """Choose the display for everything that is tracked in this context.

    Args:
        how: `auto`, `none`, `json` (on stderr) or `json:FILE` (appended to a file).
    """
    global _display
    kind, colon, file = how.partition(":")
    if kind not in ("auto", "none", "json") or (colon and (kind != "json" or not file)):
        raise UsageError(f"--progress {how}: use auto, none, json or json:FILE")
    before = _display
    with ExitStack() as stack:
        if kind == "json":
            try:
                _display = _JsonLines(stack.enter_context(_opened(Path(file))) if file else sys.stderr)
            except OSError as error:
                raise UsageError(f"--progress {how}: {error.strerror}; name a writable file") from None
        else:
            _display = _NoDisplay() if kind == "none" else None
        try:
            yield
        finally:
            _display = before


@contextmanager
def _opened(file: Path) -> Iterator[IO[str]]:
    stream = file.open("a", encoding="utf-8")
    try:
        yield stream
    finally:
        with suppress(OSError):  # closing flushes, which fails again if a write failed before
            stream.close()


def track(
    things: Iterable[T], label: str, total: int | None = None, step: Callable[[T], Step] = lambda thing: Step()
) -> Iterator[T]:
    """Yield the things unchanged and show the progress.

    Args:
        label: Name of the task in the display.
        total: Number of shards, if it is known.
        step: Progress that a thing makes (default: one shard).
    """
    if _display is None and not sys.stderr.isatty():
        yield from things
        return
    view = _Bar() if _display is None else _display
    state, start, last = State(label, total), time.monotonic(), 0.0
    try:
        for thing in things:
            state.add(step(thing), start)
            if state.seconds - last > INTERVAL:
                last = state.seconds
                state.memory_mb = memory() // MEGABYTE or None
                view.show(state)
            yield thing
        state.done, state.memory_mb = True, memory() // MEGABYTE or None
        view.show(state)
    finally:
        view.end()
