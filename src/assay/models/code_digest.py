"""Digests of the code behind a command, a function or a class: what was made by code that has changed is not reused."""

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
    """Digest of a file; None if there is no file of that name, or none that we may read."""
    made = hashlib.blake2b(digest_size=10)
    try:
        if not Path(name).is_file():
            return None
        with Path(name).open("rb") as stream:
            while piece := stream.read(1 << 20):
                made.update(piece)
    except (ValueError, PermissionError):  # no name at all; or a program that may be run and not read
        return None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return None
        raise unreadable(name, error) from error
    return made.hexdigest()


def large_digest(path: Path) -> str | None:
    """Of a large file that is asked for often: one that has not been touched since is not read again."""
    about = path.stat()
    return _digest_of(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=8)
def _digest_of(path: Path, changed: int, size: int) -> str | None:
    return file_digest(path)


def unreadable(file: str | Path, error: OSError) -> AssayError:
    """Code that a disk does not give is no other code: nothing may be known by it."""
    return AssayError(f"{file}: cannot be read ({error.strerror or error}), so what it makes cannot be known by it")


def command_file_digests(words: list[str]) -> list[tuple[str, str]]:
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


def callable_digest(make: Callable[..., Any]) -> str | None:
    """Digest of the code that makes a value: of a function, of the functions and objects that it holds (what it is a
    method of, what it encloses, its defaults), each with its file and what that imports from its own package. Of our
    own code the file and the version; of a library that is installed its version. None where some of it stands in no
    file: nobody could tell whether it has changed."""
    found: dict[str, str | None] = {}
    waiting: list[Any] = [make]
    seen: set[int] = set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        held, written = _anatomy(thing)
        waiting += held
        found |= dict(known for one in written if (known := _known_by(one)))
    return None if None in found.values() else digest_of(sorted(found.items()))[:12]


def _anatomy(thing: Any) -> tuple[list[Any], list[Any]]:
    """What a thing holds, and the functions and classes it is written in."""
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
    if inspect.isroutine(thing):  # compiled; a method names no module
        owner = getattr(thing, "__self__", getattr(thing, "__objclass__", None))
        return ([], [thing]) if getattr(thing, "__module__", None) else ([owner], [])
    top, held = _top(type(thing).__module__), dict(getattr(thing, "__dict__", {}))
    if _is_python(top) or _installed_version(top):  # made of much that is none of the value's business
        held = {"": held["__wrapped__"]} if "__wrapped__" in held else {}
    return list(held.values()), list(inspect.getmro(type(thing)))


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _known_by(thing: Any) -> tuple[str, str | None] | None:
    """A name and a digest or version for the code of a function or class; None for Python's own."""
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
    """Once in a process: what was loaded stays, whatever becomes of the file."""
    return digest_of(sorted((each.name, file_digest(each.file)) for each in _with_imports(module)))


@cache
def _installed_version(top: str) -> str | None:
    """The version of a library; None for what lies in a folder of its own, and for plug-ins, which are read whole."""
    installed = {"site-packages", "dist-packages"} & {*Path(_loaded_from(top)).parts}
    if not installed or top == OURS or top in _plugin_packages():
        return None
    version = getattr(sys.modules.get(top), "__version__", None)
    return str(version) if version else None


@cache
def _plugin_packages() -> set[str]:
    """Packages that add something to assay."""
    from importlib.metadata import distributions

    points = [point for found in distributions() for point in found.entry_points]
    return {_top(point.value.partition(":")[0]) for point in points if point.group.startswith(f"{OURS}.")}


def is_foreign(cls: type) -> bool:
    """Whether a class is neither ours nor Python's own."""
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
    except (SyntaxError, ValueError, PermissionError):  # compiled, or not to be read
        return
    except OSError as error:
        raise unreadable(module.file, error) from error
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
