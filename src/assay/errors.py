"""The errors a person may see: one line that names what is wrong, where, and what to do."""

from __future__ import annotations


class AssayError(Exception):
    """Work that could not be done; its text is shown as is, so it must name the file, line or id and the fix.

    >>> try:
    ...     assay.score(["a"], ["a"], metrics="ruoge")
    ... except assay.AssayError as error:
    ...     print(error)
    no metric called ruoge (did you mean rouge?); `assay metrics` lists them all
    """


class UsageError(AssayError):
    """The call itself is wrong (an option that does not exist, two that exclude each other): exit code 2."""


def first_line(error: Exception) -> str:
    """What an error of another library says, short enough to stand in ours."""
    return (str(error).strip() or type(error).__name__).split("\n")[0][:160]
