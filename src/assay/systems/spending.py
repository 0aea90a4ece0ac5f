"""The pace and the cost of calls: a rate limit, a limit of cost, and a ledger that survives a killed process."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock

from assay.records.locks import FLAGS
from assay.records.size_limit import read_regular


@dataclass
class Pace:
    """At most `rate` calls per second (0: no limit), evenly spaced over all threads."""

    rate: float
    _next: float = field(default=0.0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def wait(self, stop: Event) -> None:
        """Wait for the next free slot, or until `stop` is set."""
        if not self.rate:
            return
        with self._lock:
            now = time.monotonic()
            self._next = max(self._next, now)
            pause, self._next = self._next - now, self._next + 1 / self.rate
        if pause > 0:
            stop.wait(pause)


@dataclass
class Spending:
    """Tokens of all calls, and a limit of their cost that calls under way cannot exceed."""

    price_in: float
    price_out: float
    limit: float | None = None
    path: Path | None = None
    """Ledger: one line when a call starts and one when it ends, so that calls lost in a kill are known."""
    tokens_in: int = field(default=0, init=False)
    tokens_out: int = field(default=0, init=False)
    calls: int = field(default=0, init=False)
    lost: int = field(default=0, init=False)
    """Calls that were started by a process that was killed before their answer."""
    _reserved: float = field(default=0.0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)
    _handle: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.path is not None:
            self._read(self.path)
            self._handle = os.open(self.path, FLAGS | os.O_APPEND, 0o666)

    def _read(self, path: Path) -> None:
        started = 0
        for line in read_regular(path).split(b"\n") if path.is_file() else ():
            try:
                row = json.loads(line) if line.strip() else {}
            except ValueError:  # the last line of a killed process
                continue
            if row == "start":
                started += 1
            elif isinstance(row, list) and len(row) == 2 and all(isinstance(n, int) and n >= 0 for n in row):
                started -= 1
                self._add(*row)
            elif row == "failed":
                started -= 1
        self.lost = max(0, started)

    def _add(self, tokens_in: int, tokens_out: int) -> None:
        self.calls += 1
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def _cost(self, tokens_in: float, tokens_out: float) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6

    @property
    def cost(self) -> float:
        """Cost of all answers; a lost call counts as the mean of the others, because the server has charged it."""
        known = self._cost(self.tokens_in, self.tokens_out)
        return known + (known / self.calls * self.lost if self.calls else 0.0)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _write(self, line: str) -> None:
        if self._handle is not None:
            os.write(self._handle, f"{line}\n".encode())

    @contextmanager
    def call(self, most_in: float, most_out: float) -> Iterator[list[int] | None]:
        """Reserve the largest cost of a call; yields a list for its two token counts, or None at the limit."""
        reserve = self._cost(most_in, most_out)
        with self._lock:
            if self.limit is not None and self.cost + self._reserved + reserve > self.limit:
                full = True
            else:
                full = False
                self._reserved += reserve
                self._write('"start"')
        if full:
            yield None
            return
        used: list[int] = []
        try:
            yield used
        finally:
            with self._lock:
                self._reserved -= reserve
                if used:
                    self._add(*used)
                self._write(json.dumps(used) if used else '"failed"')
