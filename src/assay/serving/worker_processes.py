"""Worker processes of a server: restarted when they end, stopped with the server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType

RESTART_SECONDS = 1.0
"""Seconds before a process that ended is restarted."""


class WorkerProcesses:
    """`n` processes that run the `assay` command with these arguments."""

    def __init__(self, arguments: Sequence[str], n: int, environment: Mapping[str, str]) -> None:
        self.command = [sys.executable, "-m", "assay", *arguments]
        self.environment = {**os.environ, **environment}
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._keep, daemon=True) for _ in range(n)]

    def __enter__(self) -> WorkerProcesses:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(10)

    def _keep(self) -> None:
        while not self._ended.is_set():
            low = ["nice", "-n", "5"] if shutil.which("nice") else []
            with subprocess.Popen([*low, *self.command], env=self.environment, stdin=subprocess.DEVNULL) as child:
                while child.poll() is None and not self._ended.wait(0.2):
                    continue
                if child.poll() is None:
                    child.terminate()
                    try:
                        child.wait(5)
                    except subprocess.TimeoutExpired:
                        child.kill()
            self._ended.wait(RESTART_SECONDS)
