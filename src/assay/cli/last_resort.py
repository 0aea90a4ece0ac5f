"""Unexpected errors: one line for the user, and a report file that contains none of their texts.

The report has error types and code locations, never local variables. Of a message it keeps words that occur in the
code or are Python's own; anything else may be a text or a key.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, TracebackType

from assay.version import VERSION

TRACEBACK = "ASSAY_TRACEBACK"
"""Environment variable for developers: show the full traceback, texts included."""
WHERE = "https://assay.readthedocs.io/en/latest/internal-errors/"
PYTHONS = frozenset(
    """a an and are argument arguments as at attribute be bool bytes callable cannot convert could count depth dict
    division exceeded expected error filled float for found from function generator got has have in index int
    integer invalid is iterable item items key keys keyword length list literal many maximum method missing
    module must named no none nonetype not object of operand operation operands out overflow positional range
    recursion required result sequence set shape shapes size slice str string subscriptable supported takes than
    the to too tuple type types unexpected unhashable unpack unsupported value values was were while width with
    zero polars panicked column dtype""".split()
)
PIECE = re.compile(r"[A-Za-z_]+|\s+|[!-/:-@\[-`{-~]|.", re.DOTALL)
LONGEST = 400


def one_line(error: BaseException, arguments: Sequence[str]) -> str:
    """Return one line about an internal error; details are in the report file that it names."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    last = next(reversed(list(_places(error.__traceback__))), "nowhere")
    what = f"internal error ({type(error).__name__} at {last})"
    try:
        handle, name = tempfile.mkstemp(prefix="assay-mistake-", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
            stream.write(described(error, arguments))
    except OSError:  # a full disk is a good reason to end up here
        return f"{what}; please report this line, see {WHERE}"
    return f"{what}; please report {name}, which contains none of your texts; see {WHERE}"


def described(error: BaseException, arguments: Sequence[str]) -> str:
    """Return the report: versions, command with option names, and every error of the chain."""
    from importlib.metadata import PackageNotFoundError, version

    versions = []
    for name in ("numpy", "polars", "msgspec", "click", "torch", "transformers"):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    lines = [
        f"assay {VERSION}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        ", ".join(versions),
        f"command: assay {' '.join(_options(arguments))}",
    ]
    known = PYTHONS | {word.lower() for one in _chain(error) for word in _words(one.__traceback__)}
    for one in _chain(error):
        lines += ["", f"{type(one).__module__}.{type(one).__qualname__}: {scrubbed(str(one), known)}"]
        lines += [f"  {place}" for place in _places(one.__traceback__)]
    return "\n".join(lines) + "\n"


def _options(arguments: Sequence[str]) -> Iterator[str]:
    """Return the command and the names of its options, without their values."""
    for place, argument in enumerate(arguments):
        if place == 0 and re.fullmatch(r"[a-z]+", argument):
            yield argument
        elif option := re.match(r"--?[a-z][a-z-]*", argument):
            yield option[0]
        else:
            yield "…"


def scrubbed(message: str, known: Iterable[str]) -> str:
    """Return a message without anything that is not in the code: `could not convert string to float: '…'`."""
    kept: list[str] = []
    for piece in PIECE.findall(message[:LONGEST]):
        plain = piece.isascii() and piece.isprintable() and (piece.lower() in known or not piece[0].isalnum())
        kept.append(" " if piece.isspace() else piece if plain and piece != "_" else "…")
    return re.sub(r"…(?:\s*…)+", "…", "".join(kept)).strip()


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, then its causes, each once."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _places(at: TracebackType | None) -> Iterator[str]:
    """Yield locations like `results/compare.py:120 in compare`: paths within packages, never the user's folders."""
    for frame in traceback.extract_tb(at):
        path = Path(frame.filename)
        inside = [i for i, part in enumerate(path.parts) if part in ("assay", "site-packages") or part == "lib"]
        name = "/".join(path.parts[inside[-1] + 1 :]) if inside else path.name
        yield f"{name}:{frame.lineno} in {frame.name}"


def _words(at: TracebackType | None) -> Iterator[str]:
    """Return the words of all strings in the code of a traceback."""
    while at is not None:
        yield from _constants(at.tb_frame.f_code)
        at = at.tb_next


def _constants(code: CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield from re.findall(r"[A-Za-z_]+", constant)
        elif isinstance(constant, CodeType):
            yield from _constants(constant)


def say_of_thread(arguments: Sequence[str]) -> None:
    """Report errors in threads, which are not caught elsewhere."""
    import threading

    def hook(failure: threading.ExceptHookArgs) -> None:
        if failure.exc_value is not None and not isinstance(failure.exc_value, SystemExit):
            print(f"assay: {one_line(failure.exc_value, arguments)}", file=sys.stderr, flush=True)

    threading.excepthook = hook
