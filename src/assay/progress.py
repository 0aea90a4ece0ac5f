"""How far we are: a bar on stderr where somebody is looking, or a stream of JSON objects for programs.

Whoever works through things calls `track`; what is shown, and where, is chosen once for a command by `shown_as`. The
bar appears only for work that takes longer than a second.
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
PATIENCE = 1.0
EVERY = 0.5
"""Seconds from one report to the next."""
MEGABYTE = 1 << 20


class Step(NamedTuple):
    """What one thing that went by stands for."""

    shards: float = 1.0
    items: float = 0.0
    failures: int = 0


@dataclass
class State:
    """How far a piece of work is; what a line of the JSON stream says."""

    label: str
    total: int | None
    """Shards."""
    shards: float = 0.0
    items: float = 0.0
    failures: int = 0
    seconds: float = 0.0
    items_per_second: float | None = None
    seconds_left: float | None = None
    memory_mb: int | None = None
    """Of this process and those it has started, on this machine."""
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


class _Nothing:
    def show(self, state: State) -> None:
        """Nobody looks."""

    def end(self) -> None: ...


class _Lines:
    """A JSON object a line."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def show(self, state: State) -> None:
        row = asdict(state) | {"shards": round(state.shards, 2)}
        with suppress(OSError, ValueError):  # who looks on may have gone, or the disk be full: the work goes on
            print(json.dumps(row | {"items": round(state.items)}, allow_nan=False), file=self.stream, flush=True)

    def end(self) -> None: ...


class _Bar:
    """A line of the terminal that is gone at the end."""

    def __init__(self) -> None:
        self.bar: Progress | None = None

    def show(self, state: State) -> None:
        if state.seconds < PATIENCE or state.done:
            return
        from rich.markup import escape

        # names stand in it, and brackets are markup
        label = escape("".join(letter if letter.isprintable() else " " for letter in state.label))
        if self.bar is None:
            self.bar = _made_bar()
            self.bar.add_task(label, total=state.total, said="")
        self.bar.update(self.bar.task_ids[0], completed=state.shards, said=str(state))

    def end(self) -> None:
        if self.bar is not None:
            self.bar.stop()
        self.bar = None


def _made_bar() -> Progress:
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"), progress.BarColumn(), progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[said]}"), progress.TimeRemainingColumn(),
    )  # fmt: skip
    bar = progress.Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar


_lines: _Lines | _Nothing | None = None
"""What a command has chosen; None: a bar, if stderr is a terminal."""


@contextmanager
def shown_as(how: str) -> Iterator[None]:
    """`auto`, `none`, `json` (on stderr) or `json:FILE`, for whatever is tracked meanwhile."""
    global _lines
    kind, colon, file = how.partition(":")
    if kind not in ("auto", "none", "json") or (colon and (kind != "json" or not file)):
        raise UsageError(f"--progress {how}: write auto, none, json or json:FILE")
    before = _lines
    with ExitStack() as stack:
        if kind == "json":
            try:
                _lines = _Lines(stack.enter_context(_opened(Path(file))) if file else sys.stderr)
            except OSError as error:
                raise UsageError(f"--progress {how}: {error.strerror}; name a file that can be written") from None
        else:
            _lines = _Nothing() if kind == "none" else None
        try:
            yield
        finally:
            _lines = before


@contextmanager
def _opened(file: Path) -> Iterator[IO[str]]:
    stream = file.open("a", encoding="utf-8")
    try:
        yield stream
    finally:
        with suppress(OSError):  # of what could not be written before
            stream.close()


def track(
    things: Iterable[T], label: str, total: int | None = None, step: Callable[[T], Step] = lambda thing: Step()
) -> Iterator[T]:
    """The things themselves; how far we are is shown as they go by, by what each of them stands for."""
    if _lines is None and not sys.stderr.isatty():
        yield from things
        return
    view = _Bar() if _lines is None else _lines
    state, start, last = State(label, total), time.monotonic(), 0.0
    try:
        for thing in things:
            state.add(step(thing), start)
            if state.seconds - last > EVERY:
                last = state.seconds
                state.memory_mb = memory() // MEGABYTE or None
                view.show(state)
            yield thing
        state.done, state.memory_mb = True, memory() // MEGABYTE or None
        view.show(state)
    finally:
        view.end()
