"""Work on uploads in processes of their own, with limits on time, memory and the number of waiting requests.

A parser that needs too long or too much memory ends its own process, not the server: threads of the server share one
interpreter, and cannot be stopped. A process is kept for the next call; one that exceeds a limit is replaced.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import IO, Any

from assay.errors import AssayError
from assay.serving.app import RefusedError

SECONDS = 20.0
"""Processor time of a call. By the clock, a busy machine would refuse uploads that are in order."""
PATIENCE = 10
"""Times the limit that a call may take by the clock."""
MEMORY = 2_000_000_000
"""Bytes of address space of a process; most of it is used by libraries."""
PROCESSES = 2
WAITING = 16
"""Requests that wait for a process; further ones get 503."""
RETRY_AFTER = {"Retry-After": "10"}
LENGTH = struct.Struct("<Q")
BUSY = "The server is busy with other uploads. Try again in a few seconds."
SLOW = "Reading this took longer than {seconds:g} s. Send less, or simpler text."
STOPPING = "The server is stopping. Send this again when it has started."
LARGE = "Reading this needs more memory than the server allows. Send less at once."


class BoundedCalls:
    """Calls functions by name in other processes.

    Args:
        processes: Number of processes, started when needed.
        seconds: Processor time that a call may take; by the clock `PATIENCE` times as much. Where the system cannot
            count processor time (Windows), only the clock counts.
        memory: Limit of the address space of a process in bytes, where the system supports it.
        waiting: Number of calls that may wait.
    """

    def __init__(
        self, processes: int = PROCESSES, seconds: float = SECONDS, memory: int = MEMORY, waiting: int = WAITING
    ) -> None:
        self.seconds, self.memory = seconds, memory
        self._free = threading.Semaphore(processes)
        self._places = threading.Semaphore(processes + waiting)
        self._idle: list[subprocess.Popen[bytes]] = []
        self._called: list[subprocess.Popen[bytes]] = []
        self._stopped = False
        self._lock = threading.Lock()

    def call(self, function: str, *args: Any) -> Any:
        """Return `module:function` of the arguments. All of them must be picklable.

        Raises:
            RefusedError: 503 if too many calls wait or the server stops, 413 if a limit was exceeded.
            AssayError: As raised by the function.
        """
        with self._process() as process:
            return self._ask(process, pickle.dumps((function, args, self.seconds)))

    @contextmanager
    def _process(self) -> Iterator[subprocess.Popen[bytes]]:
        if not self._places.acquire(blocking=False):
            raise RefusedError(BUSY, 503, RETRY_AFTER)
        try:
            with self._free:
                with self._lock:  # also while it starts: `stop` must know it
                    if self._stopped:
                        raise RefusedError(STOPPING, 503, RETRY_AFTER)
                    process = self._idle.pop() if self._idle else None
                    if process is None or process.poll() is not None:
                        process = self._start()
                    self._called.append(process)
                try:
                    yield process
                finally:
                    with self._lock:
                        self._called.remove(process)
                        if process.poll() is None:
                            self._idle.append(process)
        finally:
            self._places.release()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "assay.serving.bounded", str(self.memory)]
        # Threads of numerical libraries reserve address space for each processor.
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def _ask(self, process: subprocess.Popen[bytes], request: bytes) -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(PATIENCE * self.seconds, expire)
        timer.start()
        try:
            _send(process.stdin, request)
            kind, value = pickle.loads(_receive(process.stdout))  # written by our own process
        except (EOFError, OSError):
            _end(process)
            if self._stopped:
                raise RefusedError(STOPPING, 503, RETRY_AFTER) from None
            slow = expired.is_set() or process.returncode == -getattr(signal, "SIGPROF", 0)
            raise RefusedError(SLOW.format(seconds=self.seconds) if slow else LARGE, 413) from None
        except BaseException:  # its answer would be taken for that of the next call
            _end(process)
            raise
        finally:
            timer.cancel()
        if kind == "value":
            return value
        if kind == "memory":
            _end(process)
            raise RefusedError(LARGE, 413)
        raise AssayError(value) if kind == "error" else RuntimeError(value)

    def stop(self) -> None:
        """End all processes: their calls, waiting ones and all later ones are refused with 503."""
        with self._lock:
            self._stopped = True
            for process in self._called:
                process.kill()  # its streams belong to the thread that waits for the answer
        self.close()

    def close(self) -> None:
        """End all idle processes."""
        with self._lock:
            while self._idle:
                _end(self._idle.pop())


SHARED = BoundedCalls()
"""The processes of this server."""
atexit.register(SHARED.close)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):
            if stream is not None:
                stream.close()


def _send(stream: IO[bytes], content: bytes) -> None:
    stream.write(LENGTH.pack(len(content)) + content)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(head)
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content


def serve_calls(source: IO[bytes], target: IO[bytes]) -> None:
    """Answer calls until the source ends; run by the other process."""
    while True:
        try:
            name, args, seconds = pickle.loads(_receive(source))
        except EOFError:
            return
        module, _, function = name.partition(":")
        _limit_processor_time(seconds)
        try:
            answer = ("value", getattr(import_module(module), function)(*args))
        except AssayError as error:
            answer = ("error", str(error))
        except (MemoryError, RecursionError):
            answer = ("memory", None)
        except Exception as error:
            answer = ("fault", f"{type(error).__name__}: {error}")
        _limit_processor_time(0)
        try:
            _send(target, pickle.dumps(answer))
        except MemoryError:
            _send(target, pickle.dumps(("memory", None)))


def _limit_processor_time(seconds: float) -> None:
    """End this process after so much more processor time; 0 removes the limit."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C reaches all processes of a terminal; the server ends this one
    with suppress(ImportError, ValueError, OSError):  # not on Windows; a lower limit may be set already
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
    target = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints must not end up among the answers
    with suppress(BrokenPipeError):  # the server was killed
        serve_calls(sys.stdin.buffer, target)


if __name__ == "__main__":
    main()
