"""Commands of assay in forks of one process that has everything imported: a hundredth of the time of fresh ones.

Started with the interposer preloaded. A line in: what to run, where, and which fault at which call; a line out: how it
ended. Nothing runs in the process itself, so that no thread and no state of one command is there for the next.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib
import json
import os
import signal
import sys
import time
from typing import Any

NEEDED = ("numpy", "polars", "msgspec", "sacrebleu", "jinja2", "rich.progress", "xml.etree.ElementTree")
COMMANDS = (
    "everyday.score", "everyday.run", "system.generate", "everyday.report", "system.train", "everyday.compare",
)  # fmt: skip


def run(job: dict[str, Any]) -> None:
    """In the fork: the command with its output in files; never returns."""
    code = 120
    try:
        for target, name in ((1, "out"), (2, "err")):
            handle = os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, target)
            os.close(handle)
        os.environ.update(job["environment"])
        os.chdir(job["folder"])
        sys.argv = ["assay", *job["arguments"]]
        if job["kind"] or job["log"]:
            arm = ctypes.CDLL(None).faults_arm
            arm(job["folder"].encode(), ctypes.c_long(job["at"]), job["kind"], job["log"].encode())
        try:
            called(job["arguments"])
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1 if end.code else 0
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # as the interpreter would end
        import traceback

        traceback.print_exc()
        code = 1
    finally:
        os._exit(code)


def called(arguments: list[str]) -> None:
    """A command of assay, or `main` of a module of the tests that stands for a client."""
    from assay.cli import main

    if arguments[0].startswith("tests."):
        importlib.import_module(arguments[0]).main()
    else:
        main(arguments)


def waited(child: int, seconds: float) -> int:
    """How a fork ended: its exit code, less than zero for a signal; 999 where it had to be ended."""
    end = time.monotonic() + seconds
    pause = 0.002
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return 999
        time.sleep(pause)
        pause = min(pause * 1.2, 0.05)


def main() -> None:
    for name in (*NEEDED, *(f"assay.cli.{command}" for command in COMMANDS), *sys.argv[1:]):
        importlib.import_module(name)
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if not child:
            run(job)
        print(json.dumps({"code": waited(child, job["seconds"])}), flush=True)


if __name__ == "__main__":
    main()
