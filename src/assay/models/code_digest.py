"""Digests of files and of the code of commands, functions and classes: results of changed code are not reused."""

from __future__ import annotations

import ast
import errno
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from pathlib import Path
from types import CellType, CodeType
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.records.files import digest_of
from assay.version import VERSION

OURS = __name__.partition(".")[0]


def file_digest(name: str | Path) -> str | None:
    """Return the digest of a file; None if it does not exist or may not be read."""
    made = hashlib.blake2b(digest_size=10)
    try:
        if not Path(name).is_file():
            return None
        with Path(name).open("rb") as stream:
            while piece := stream.read(1 << 20):
                made.update(piece)
    except (ValueError, PermissionError):  # an invalid name, or a program that is executable but not readable
        return None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return None
        raise unreadable(name, error) from error
    return made.hexdigest()


def large_digest(path: Path) -> str | None:
    """Return the digest of a large file; an unchanged file is not read again."""
    about = path.stat()
    return _digest_of(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=8)
def _digest_of(path: Path, changed: int, size: int) -> str | None:
    return file_digest(path)


def unreadable(file: str | Path, error: OSError) -> AssayError:
    """Return the error for a file that exists and cannot be read, so that it has no digest."""
    return AssayError(f"{file}: cannot be read ({error.strerror or error}), so its results cannot be cached")


def command_file_digests(words: list[str]) -> list[tuple[str, str]]:
    """Return each file that a command line names, as an argument or after `=`, with its digest."""
    names = [name for word in words for name in (word, word.partition("=")[2])]
    return [(name, content) for name in names if (content := file_digest(name))]


def code_digest(thing: Callable[..., Any]) -> str | None:
    """Return the digest of the file that defines a function or class, and of the files of its package it imports.

    In a notebook the source lines are used. A class also depends on its base classes.
    """
    plain = inspect.unwrap(thing)
    written: Any = plain if inspect.isroutine(plain) or inspect.isclass(plain) else type(plain)
    family = inspect.getmro(written) if inspect.isclass(written) else ()
    digest_of_module: dict[str, str | None] = {}
    for one in [base for base in family if is_foreign(base)] or [written]:
        modules = list(_with_imports(_module_of(one)))
        digest_of_module |= {module.name: file_digest(module.file) for module in modules}
        if not modules:
            digest_of_module[f"{one.__module__}.{one.__qualname__}"] = _digest_of_lines(one)
    digests = list(digest_of_module.values())
    return digests[0] if len(digests) == 1 else digest_of(sorted(digest_of_module.items()))


def callable_digest(make: Callable[..., Any]) -> str | None:
    """Return the digest of the code that computes a value; None if some of the code is in no file.

    It covers the function and the functions and objects it refers to (the instance of a method, closure variables,
    defaults), each with its file and what that file imports from its own package. Modules of assay count with file and
    version, installed libraries with their version.
    """
    known_code: dict[str, str | None] = {}
    waiting: list[Any] = [make]
    seen: set[int] = set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        parts, definitions = _references(thing)
        waiting += parts
        known_code |= dict(known for one in definitions if (known := _code_version(one)))
    return None if None in known_code.values() else digest_of(sorted(known_code.items()))[:12]


def _references(thing: Any) -> tuple[list[Any], list[Any]]:
    """Return the objects that an object refers to, and the functions and classes that define it."""
    if isinstance(thing, partial):
        return [thing.func, *thing.args, *thing.keywords.values()], []
    if inspect.ismethod(thing):
        return [thing.__func__, thing.__self__], []
    if inspect.isfunction(thing):
        cells = [cell.cell_contents for cell in thing.__closure__ or () if _is_filled(cell)]
        more = [*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
        return [*cells, *more, *([thing.__wrapped__] if hasattr(thing, "__wrapped__") else [])], [thing]
    if inspect.isclass(thing):
        return [], list(inspect.getmro(thing))
    if inspect.isroutine(thing):  # compiled; a method has no module name
        owner = getattr(thing, "__self__", getattr(thing, "__objclass__", None))
        return ([], [thing]) if getattr(thing, "__module__", None) else ([owner], [])
    top, state = _top(type(thing).__module__), dict(getattr(thing, "__dict__", {}))
    if _is_python(top) or _installed_version(top):  # the state of library objects is not part of the code
        state = {"": state["__wrapped__"]} if "__wrapped__" in state else {}
    return list(state.values()), list(inspect.getmro(type(thing)))


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _code_version(thing: Any) -> tuple[str, str | None] | None:
    """Return a name and the digest or version of the code of a function or class; None for the standard library."""
    name = str(thing.__globals__.get("__name__") if inspect.isfunction(thing) else thing.__module__)
    top = _top(name)
    if _is_python(top):
        return None
    if version := _installed_version(top):
        return top, version
    if top == OURS:
        content = _own_digest(name)
        return name, content and f"{VERSION} {content}"
    module = _module_of(thing)
    file = module.file if module else Path(_loaded_from(name))
    return name, _package_digest(Module(name, file)) if file.is_file() else None


def _top(module: str) -> str:
    return module.partition(".")[0]


def _loaded_from(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""


@cache
def _own_digest(module: str) -> str | None:
    return file_digest(_loaded_from(module))


@cache
def _package_digest(module: Module) -> str:
    """Return the digest of a module and its imports, computed once: a loaded module does not change."""
    return digest_of(sorted((each.name, file_digest(each.file)) for each in _with_imports(module)))


@cache
def _installed_version(top: str) -> str | None:
    """Return the version of an installed library; None for other folders and for plug-ins, whose files are read."""
    installed = {"site-packages", "dist-packages"} & {*Path(_loaded_from(top)).parts}
    if not installed or top == OURS or top in _plugin_packages():
        return None
    version = getattr(sys.modules.get(top), "__version__", None)
    return str(version) if version else None


@cache
def _plugin_packages() -> set[str]:
    """Return the packages with entry points of assay."""
    from importlib.metadata import distributions

    points = [point for distribution in distributions() for point in distribution.entry_points]
    return {_top(point.value.partition(":")[0]) for point in points if point.group.startswith(f"{OURS}.")}


def is_foreign(cls: type) -> bool:
    """Return whether a class belongs neither to assay nor to the standard library."""
    top = _top(cls.__module__)
    return top != OURS and not _is_python(top)


def _is_python(top: str) -> bool:
    return top in sys.stdlib_module_names and top != "__main__"


class Module(NamedTuple):
    name: str
    file: Path


def _module_of(thing: Any) -> Module | None:
    try:
        file = inspect.getsourcefile(thing)
    except TypeError:  # built in, or defined at a prompt
        return None
    return Module(thing.__module__, Path(file)) if file and Path(file).is_file() else None


def _with_imports(first: Module | None) -> Iterator[Module]:
    """Yield a module and all modules it imports from its own package, or from its folder if it is in no package."""
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
        return  # the other files in that folder are unrelated
    try:
        tree = ast.parse(module.file.read_bytes())
    except (SyntaxError, ValueError, PermissionError):  # compiled or not readable
        return
    except OSError as error:
        raise unreadable(module.file, error) from error
    for name in _names(tree, parents):
        if alone or name.partition(".")[0] == parents[0]:
            place = top.joinpath(*name.split("."))
            files = [place.with_name(f"{place.name}.py"), *([] if alone else [place / "__init__.py"])]
            yield from (Module(name, file) for file in files if file.is_file())


def _names(tree: ast.AST, parents: list[str]) -> Iterator[str]:
    """Yield every dotted name in the imports of a file that may be a module, and its parent packages."""
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
    """Return the digest of the source lines of a function or class; of the bytecode of a class without source."""
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
