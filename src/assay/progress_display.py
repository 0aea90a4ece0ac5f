"""Displays of progress: a bar in a terminal, lines in a notebook, JSON lines for programs, or nothing."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress

    from assay.progress import Line, State

DELAY = 1.0
"""Seconds before a bar appears."""
PER_SECOND = 2
BAR = 20
"""Largest width of the bar."""


class Display(Protocol):
    """Shows states of a task."""

    def show(self, state: State) -> None: ...
    def end(self) -> None: ...


class NoDisplay:
    def show(self, state: State) -> None: ...

    def end(self) -> None: ...


class JsonLines:
    """One JSON object per line."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def show(self, state: State) -> None:
        with suppress(OSError, ValueError):  # a closed pipe or a full disk must not stop the work
            print(json.dumps(state.to_dict(), allow_nan=False), file=self.stream, flush=True)

    def end(self) -> None: ...


class Bar:
    """A transient progress bar in the terminal, with a line for each metric that is not finished."""

    def __init__(self) -> None:
        self.bar: Progress | None = None

    def show(self, state: State) -> None:
        if state.seconds < DELAY or state.done:
            return
        from rich.markup import escape

        if self.bar is None:
            self.bar = _start_bar()
            self.bar.add_task(escape(printable(state.label)), total=state.total, state=state, line=None)
            for line in state.lines:
                self.bar.add_task(
                    f"  {escape(printable(line.name))}", total=line.total, state=state, line=line, start=False
                )
        whole, *lines = self.bar.task_ids
        self.bar.update(whole, completed=state.shards)
        for task, line in zip(lines, state.lines, strict=True):
            self.bar.update(task, completed=line.items, visible=line.is_open)

    def end(self) -> None:
        if self.bar is not None:
            self.bar.stop()
        self.bar = None


class Notebook:
    """Lines below the cell of a notebook, replaced as the work goes on."""

    def __init__(self) -> None:
        self.handle: Any = None

    def show(self, state: State) -> None:
        if state.seconds < DELAY:
            return
        try:
            from IPython.display import DisplayHandle
        except ImportError:  # another shell by this name
            return
        lines = [] if state.done else [line for line in state.lines if line.is_open]
        texts = [f"{state.label}: {about(state)}", *(f"  {line.name}: {about(state, line)}" for line in lines)]
        content = {"text/plain": printable("\n".join(texts), "\n")}
        if self.handle is None:
            self.handle = DisplayHandle()  # type: ignore[no-untyped-call]
            self.handle.display(content, raw=True)
        else:
            self.handle.update(content, raw=True)

    def end(self) -> None:
        self.handle = None


def in_notebook() -> bool:
    """Return whether this is the kernel of a notebook, which has no terminal but can show progress."""
    shell = sys.modules.get("IPython")
    current = shell.get_ipython() if shell is not None else None
    return current is not None and hasattr(current, "kernel")


def printable(text: str, also: str = "") -> str:
    """Return a label without control characters: it may contain file names."""
    return "".join(letter if letter.isprintable() or letter in also else " " for letter in text)


def about(state: State, line: Line | None = None) -> str:
    """Return numbers of a task, or of one of its lines, as of now."""
    left = state.seconds_left if line is None else line.seconds_left
    rate = state.items_per_second if line is None else line.items_per_second
    if line is None:
        parts = [f"{state.shards:,.0f} of {state.total:,} shards"] if state.total else []
    else:
        parts = [f"{line.items:,} of {line.total:,} items"]
    parts += [] if rate is None else [f"{rate:,.1f} items/s" if rate < 10 else f"{rate:,.0f} items/s"]
    if state.done:
        parts.append(f"{_clock(state.seconds)} in all")
    elif left is not None and (line is None or line.items or line.is_current):
        since = time.monotonic() - state.updated if line is None or line.is_current else 0.0
        parts.append(f"{_clock(max(0.0, left - since))} left")
    if line is None:  # memory is last: a narrow terminal cuts the end
        parts += [f"cost {state.cost:,.4f}"] if state.cost is not None else []
        parts += [f"{state.failures} failed"] if state.failures else []
        parts += [f"{state.memory_mb:,} MB of memory"] if state.memory_mb else []
    return " · ".join(parts)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _start_bar() -> Progress:
    from rich import progress
    from rich.console import Console
    from rich.table import Column
    from rich.text import Text

    class Numbers(progress.ProgressColumn):
        """Computed at each refresh, so that the time left counts down within a shard."""

        def render(self, task: progress.Task) -> Text:
            return Text(about(task.fields["state"], task.fields["line"]))

    # In a narrow terminal the bar gets shorter, and no line is wrapped.
    columns = (
        progress.TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis")),
        progress.BarColumn(bar_width=None, table_column=Column(max_width=BAR)),
        Numbers(table_column=Column(no_wrap=True, overflow="ellipsis")),
    )
    bar = progress.Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=PER_SECOND)
    bar.start()
    return bar
