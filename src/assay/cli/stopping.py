"""Being told to stop: ^C once ends in order, ^C twice at once and with everything that was started; so does the end
that a system sends (SIGTERM, a terminal that is closed), after which what is temporary is taken away."""

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
    """From now on; only the main thread of a program may ask for it."""
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
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # in the background of a shell it is not for us
        signal.signal(signal.SIGINT, interrupt)
        signal.signal(signal.SIGURG, lambda number, frame: None)  # to wake who sleeps; else of no use here
        told, tell = os.pipe()
        os.set_blocking(tell, False)
        signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
        threading.Thread(target=_watch, args=(told, threading.get_ident()), daemon=True).start()


def _watch(told: int, main: int) -> None:
    """Each signal, whoever received it. polars has the system go on with what ^C interrupts, so that a thread that
    reads from a pipe would sleep on: it is woken by another signal, and finds that it was interrupted."""
    times = 0
    while numbers := os.read(told, 64):
        for number in numbers:
            if number != signal.SIGINT:
                continue
            times += 1
            if times > 1:
                end_everything()
            signal.pthread_kill(main, signal.SIGURG)


def end_everything() -> None:
    """This process and all that it has started, without waiting for anything."""
    for process in reversed(descendants(os.getpid())):  # the last first: what watches over workers would complain
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)
    with suppress(OSError):
        os.write(2, b"assay: ended at once; what was finished is kept\n")
    os._exit(STOPPED)
