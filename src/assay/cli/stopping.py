"""Interruption: ^C once stops in order, ^C twice stops at once with all child processes; SIGTERM and a closed
terminal do the same, after temporary files are removed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType

from assay.processes import descendants

STOPPED = 130
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def listen_to_signals() -> None:
    """Install the signal handlers; only the main thread of a program may do so."""
    if threading.current_thread() is not threading.main_thread() or os.name != "posix":
        return

    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        if interrupted:
            end_everything()
        interrupted = True
        raise KeyboardInterrupt

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # the second time it is meant
        if signal.getsignal(signal.SIGTERM) not in (end, signal.SIG_DFL):
            signal.raise_signal(signal.SIGTERM)  # a server that is running has its own way to end
        else:
            sys.exit(128 + number)

    for number in ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # ignored in the background of a shell
        signal.signal(signal.SIGINT, interrupt)
        signal.signal(signal.SIGURG, lambda number, frame: None)  # only wakes waiting threads
        signals, tell = os.pipe()
        os.set_blocking(tell, False)
        signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
        threading.Thread(target=_watch, args=(signals, threading.get_ident()), daemon=True).start()


def _watch(signals: int, main: int) -> None:
    """Handle each signal, in whichever thread it arrived. polars makes interrupted system calls resume, so a thread
    that reads from a pipe would keep waiting: it is woken by another signal, and notices the interruption."""
    times = 0
    while numbers := os.read(signals, 64):
        for number in numbers:
            if number != signal.SIGINT:
                continue
            times += 1
            if times > 1:
                end_everything()
            signal.pthread_kill(main, signal.SIGURG)


def end_everything() -> None:
    """End this process and its children without waiting."""
    for process in reversed(descendants(os.getpid())):  # the last first: what watches over workers would complain
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)
    with suppress(OSError):
        os.write(2, b"assay: ended at once; what was already written is kept\n")
    os._exit(STOPPED)
