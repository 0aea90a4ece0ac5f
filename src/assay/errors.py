"""The errors a person may see: one line that names what is wrong, where, and what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class AssayError(Exception):
    """Work that could not be done; its text is shown as is, so it must name the file, line or id and the fix.

    >>> try:
    ...     assay.score(["a"], ["a"], metrics="ruoge")
    ... except assay.AssayError as error:
    ...     print(error)
    no metric called ruoge (did you mean rouge?); `assay metric list` lists them all
    """


class ChangedError(AssayError):
    """What is stored is of other outputs, examples or settings, and would have to be replaced."""


class UsageError(AssayError):
    """The call itself is wrong (an option that does not exist, two that exclude each other): exit code 2."""


def first_line(error: BaseException) -> str:
    """What an error of another library says, short enough to stand in ours."""
    return (str(error).strip() or type(error).__name__).split("\n")[0][:160]


def fault(error: Exception, of: object) -> str:
    """`KeyError: 'x' (in change, my_plug.py:56)`: what broke, and the deepest line of the module of `of` on the way
    there; of whatever module where it is none of its lines."""
    import traceback

    cls = of if isinstance(of, type) else type(of)
    own = getattr(sys.modules.get(cls.__module__), "__file__", None)
    places = traceback.extract_tb(error.__traceback__)
    place = next((place for place in reversed(places) if place.filename == own), places[-1] if places else None)
    where = f" (in {place.name}, {place.filename.rsplit('/', 1)[-1]}:{place.lineno})" if place else ""
    return f"{type(error).__name__}: {error}".removesuffix(": ") + where


SIGNALLED = ("assay.cli.stopping", "ray")
"""Whose code ends a process because a signal asks for it."""


class ExitError(Exception):
    """A contributor's code wanted to end the program."""


@contextmanager
def no_exit() -> Iterator[None]:
    """Where code of a contributor is called: `sys.exit` in it is an error like others, or the command would end without
    a word, perhaps as if all were well. Whoever is told to end by a signal ends."""
    try:
        yield
    except SystemExit as error:
        at = error.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        module = str(at.tb_frame.f_globals.get("__name__")) if at else ""
        if any(f"{module}.".startswith(f"{name}.") for name in SIGNALLED):
            raise
        said = f"it wanted to end the program (SystemExit: {first_line(error)})"
        raise ExitError(said).with_traceback(error.__traceback__) from None


@contextmanager
def blaming(what: str, of: object) -> Iterator[None]:
    """Where code of a contributor is called: whatever breaks in it is one line that says on what, and where."""
    try:
        with no_exit():
            yield
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(f"{what}: {fault(error, of)}") from error
