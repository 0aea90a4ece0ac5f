"""Errors that are shown to users: what is wrong, where, and what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class AssayError(Exception):
    """An error whose message is shown as it is. It names the file and line or the id, the problem, and the remedy.

    >>> try:
    ...     assay.score(["a"], ["a"], metrics="ruoge")
    ... except assay.AssayError as error:
    ...     print(error)
    no metric called ruoge (did you mean rouge?); see `assay metric list`
    """


class ChangedError(AssayError):
    """Stored results belong to other outputs, examples or settings and would be overwritten."""


class UsageError(AssayError):
    """A wrong call, such as an unknown option or two options that exclude each other. Exit code 2."""


def location(file: object, where: str) -> str:
    """Return `file:17` for the position `line 17`, and `file WHERE` for any other position.

    >>> location("outputs.jsonl", "line 17"), location("<outputs>", "item 3")
    ('outputs.jsonl:17', '<outputs> item 3')
    """
    line = where.removeprefix("line ")
    return f"{file}:{line}" if line != where else f"{file} {where}".rstrip()


def first_line(error: BaseException) -> str:
    """Return the first line of the message of another library's error, at most 160 characters."""
    return (str(error).strip() or type(error).__name__).split("\n")[0][:160]


def fault(error: Exception, of: object) -> str:
    """Return error type, message and code line: `KeyError: 'x' (in change, my_plug.py:56)`.

    The line is the deepest one in the module of `of`, or the deepest of all if that module is not in the traceback.
    """
    import traceback

    cls = of if isinstance(of, type) else type(of)
    own = getattr(sys.modules.get(cls.__module__), "__file__", None)
    frames = traceback.extract_tb(error.__traceback__)
    frame = next((frame for frame in reversed(frames) if frame.filename == own), frames[-1] if frames else None)
    where = f" (in {frame.name}, {frame.filename.rsplit('/', 1)[-1]}:{frame.lineno})" if frame else ""
    return f"{type(error).__name__}: {error}".removesuffix(": ") + where


SIGNAL_HANDLERS = ("assay.cli.stopping", "ray")
"""Modules that end the process when a signal arrives."""


class ExitError(Exception):
    """Code of a plug-in called `sys.exit`."""


@contextmanager
def no_exit() -> Iterator[None]:
    """Turn `sys.exit` in code of a plug-in into an `ExitError`.

    Otherwise the command would end without a message, perhaps with exit code 0. Exits by a signal handler pass.
    """
    try:
        yield
    except SystemExit as error:
        at = error.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        module = str(at.tb_frame.f_globals.get("__name__")) if at else ""
        if any(f"{module}.".startswith(f"{name}.") for name in SIGNAL_HANDLERS):
            raise
        message = f"it tried to end the program (SystemExit: {first_line(error)})"
        raise ExitError(message).with_traceback(error.__traceback__) from None


@contextmanager
def blaming(what: str, of: object) -> Iterator[None]:
    """Turn any exception in code of a plug-in into an `AssayError` of one line: `WHAT: error (in function, file:line)`.

    Args:
        what: The work that was being done, at the start of the message.
        of: An object of the plug-in, or its class.
    """
    try:
        with no_exit():
            yield
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(f"{what}: {fault(error, of)}") from error
