"""Digests of the code behind a command, a function or a class: what was made by code that has changed is not reused."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from assay.records.files import digest_of

OURS = __name__.partition(".")[0]


def file_digest(name: str | Path) -> str | None:
    """Digest of a file; None if there is no file of that name."""
    made = hashlib.blake2b(digest_size=10)
    try:
        if not Path(name).is_file():
            return None
        with Path(name).open("rb") as stream:
            while piece := stream.read(1 << 20):
                made.update(piece)
    except (OSError, ValueError):  # too long for a name, or not to be read
        return None
    return made.hexdigest()


def line_digests(words: list[str]) -> list[tuple[str, str]]:
    """Every file that a command line names, be it as a word or behind a `=`, with its digest."""
    names = [name for word in words for name in (word, word.partition("=")[2])]
    return [(name, content) for name in names if (content := file_digest(name))]


def code_digest(thing: Callable[..., Any]) -> str | None:
    """Digest of the file where a function or class stands and of the files of its package that this one imports, or of
    its own lines if they stand in a notebook. A class also depends on the classes it derives from."""
    plain = inspect.unwrap(thing)
    written: Any = plain if inspect.isroutine(plain) or inspect.isclass(plain) else type(plain)
    family = inspect.getmro(written) if inspect.isclass(written) else ()
    found: dict[str, str | None] = {}
    for one in [base for base in family if is_foreign(base)] or [written]:
        modules = list(_with_imports(_module_of(one)))
        found |= {module.name: file_digest(module.file) for module in modules}
        if not modules:
            found[f"{one.__module__}.{one.__qualname__}"] = _digest_of_lines(one)
    digests = list(found.values())
    return digests[0] if len(digests) == 1 else digest_of(sorted(found.items()))


def is_foreign(cls: type) -> bool:
    """Whether a class is neither ours nor Python's own."""
    return cls.__module__.partition(".")[0] not in {OURS, *sys.stdlib_module_names} or cls.__module__ == "__main__"


class Module(NamedTuple):
    name: str
    file: Path


def _module_of(thing: Any) -> Module | None:
    try:
        file = inspect.getsourcefile(thing)
    except TypeError:  # built in, or typed at a prompt
        return None
    return Module(thing.__module__, Path(file)) if file and Path(file).is_file() else None


def _with_imports(first: Module | None) -> Iterator[Module]:
    """A module and all that it imports from its own package, or from beside it where it has none."""
    waiting = [first] if first else []
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module.name not in seen:
            seen.add(module.name)
            yield module
            waiting += _imports(module)


def _imports(module: Module) -> Iterator[Module]:
    is_package = module.file.name == "__init__.py"
    parents = module.name.split(".") if is_package else module.name.split(".")[:-1]
    top = module.file.parents[len(parents)] if len(module.file.parents) > len(parents) else module.file.parent
    alone = not parents
    if alone and str(top) in sysconfig.get_paths().values():
        return  # what stands beside it there has nothing to do with it
    try:
        tree = ast.parse(module.file.read_bytes())
    except (SyntaxError, ValueError, OSError):  # compiled, or not to be read
        return
    for name in _names(tree, parents):
        if alone or name.partition(".")[0] == parents[0]:
            place = top.joinpath(*name.split("."))
            files = [place.with_name(f"{place.name}.py"), *([] if alone else [place / "__init__.py"])]
            yield from (Module(name, file) for file in files if file.is_file())


def _names(tree: ast.AST, parents: list[str]) -> Iterator[str]:
    """Whatever may be a module in the imports of a file, with the packages that it lies in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = parents[: len(parents) + 1 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [f"{base}.{alias.name}".strip(".") for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _digest_of_lines(thing: Any) -> str | None:
    """Of the lines of a function or class; of what a class was compiled to where there are none."""
    try:
        return digest_of(inspect.getsource(thing))
    except (TypeError, OSError):
        return digest_of(list(_compiled(thing))) if inspect.isclass(thing) else None


def _compiled(cls: type) -> Iterator[str]:
    for name, member in sorted(vars(cls).items()):
        function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
        if code := getattr(function, "__code__", None):
            yield name
            yield from _instructions(code)
        elif isinstance(member, str | int | float | tuple | type(None)):
            yield f"{name}={member!r}"


def _instructions(code: CodeType) -> Iterator[str]:
    yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _instructions(constant)
        else:
            yield str(sorted(map(repr, constant))) if isinstance(constant, frozenset) else repr(constant)
