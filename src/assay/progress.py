"""Progress: a bar on stderr if it is a terminal, lines in a notebook, or JSON lines for programs.

Code that iterates calls `track`; a command chooses the display once with `shown_as`. The bar appears only for work that
takes longer than a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

from assay.errors import UsageError
from assay.processes import memory
from assay.progress_display import Bar, Display, JsonLines, NoDisplay, Notebook, in_notebook

T = TypeVar("T")
INTERVAL = 0.5
"""Seconds between two reports."""
MEGABYTE = 1 << 20


class Step(NamedTuple):
    """Progress that one element of an iteration makes."""

    shards: float = 1.0
    items: float = 0.0
    failures: int = 0
    line: str = ""
    """Line that it belongs to, such as a metric."""
    line_items: int = 0
    """Items of that line."""


@dataclass
class Line:
    """Progress of one metric."""

    name: str
    total: int
    """Number of items."""
    items: int = 0
    seconds: float = 0.0
    first: tuple[int, float] = (0, 0.0)
    """Items and seconds of its first shard, in which a model is loaded."""
    is_current: bool = False

    def add(self, items: int, seconds: float) -> None:
        self.items += items
        self.seconds += seconds
        if not self.first[0]:
            self.first = (self.items, self.seconds)

    @property
    def is_open(self) -> bool:
        return self.items < self.total

    @property
    def items_per_second(self) -> float | None:
        """Return the pace without the first shard, once there is another."""
        items, seconds = self.items, self.seconds
        if items > self.first[0]:
            items, seconds = items - self.first[0], seconds - self.first[1]
        return items / seconds if items and seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        rate = self.items_per_second
        return None if rate is None else (self.total - self.items) / rate

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.name, "items": self.items, "total": self.total,
            "items_per_second": _rounded(self.items_per_second), "seconds_left": _rounded(self.seconds_left),
        }  # fmt: skip


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
    """None until every metric has a pace."""
    memory_mb: int | None = None
    """Memory of this process and its children, on this machine."""
    done: bool = False
    cost: float | None = None
    """What endpoints have cost so far, if they have a price."""
    lines: list[Line] = field(default_factory=list)
    updated: float = field(default_factory=time.monotonic)

    def add(self, step: Step, since: float) -> None:
        now = time.monotonic()
        self.shards += step.shards
        self.items += step.items
        self.failures += step.failures
        self.seconds = round(now - since, 3)
        if self.seconds and self.items:
            self.items_per_second = round(self.items / self.seconds, 1)
        for line in self.lines:
            line.is_current = line.name == step.line
            if line.is_current:
                line.add(step.line_items, now - self.updated)
        self.updated = now
        if self.lines:
            left = [line.seconds_left for line in self.lines if line.is_open]
            known = [seconds for seconds in left if seconds is not None]
            self.seconds_left = round(sum(known), 1) if len(known) == len(left) else None
        elif self.total and self.shards:
            self.seconds_left = round(max(0.0, self.seconds * (self.total / self.shards - 1)), 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of a JSON line."""
        row = asdict(self) | {"shards": round(self.shards, 2), "items": round(self.items)}
        del row["lines"], row["updated"]
        return row | {"metrics": [line.to_dict() for line in self.lines]}


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 1)


_display: JsonLines | NoDisplay | None = None
"""Display that the command has chosen; None is a bar, if stderr is a terminal, or lines in a notebook."""


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
                _display = JsonLines(stack.enter_context(_opened(Path(file))) if file else sys.stderr)
            except OSError as error:
                raise UsageError(f"--progress {how}: {error.strerror}; name a writable file") from None
        else:
            _display = NoDisplay() if kind == "none" else None
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
    things: Iterable[T],
    label: str,
    total: int | None = None,
    step: Callable[[T], Step] = lambda thing: Step(),
    lines: Mapping[str, int] | None = None,
    cost: Callable[[], float | None] = lambda: None,
) -> Iterator[T]:
    """Yield the things unchanged and show the progress.

    Args:
        label: Name of the task in the display.
        total: Number of shards, if it is known.
        step: Progress that a thing makes (default: one shard).
        lines: Number of items of each part that has its own line, such as a metric (default: no lines).
        cost: Cost so far (default: none).
    """
    view: Display
    if _display is not None:
        view = _display
    elif sys.stderr.isatty():
        view = Bar()
    elif in_notebook():
        view = Notebook()
    else:
        yield from things
        return
    state, start, last = State(label, total), time.monotonic(), 0.0
    state.updated = start
    state.lines = [Line(name, items) for name, items in (lines or {}).items()]
    try:
        for thing in things:
            state.add(step(thing), start)
            if state.seconds - last > INTERVAL:
                last = state.seconds
                state.memory_mb, state.cost = memory() // MEGABYTE or None, cost()
                view.show(state)
            yield thing
        state.done, state.memory_mb, state.cost = True, memory() // MEGABYTE or None, cost()
        view.show(state)
    finally:
        view.end()
