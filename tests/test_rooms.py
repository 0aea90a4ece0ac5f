"""Who may know whom: data moves down the rooms, and an import the other way round would tie a knot."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "assay"
GROUND = (
    "version",
    "errors",
    "extras",
    "specs",
    "specs_help",
    "registry",
    "processes",
    "progress",
    "progress_display",
    "interruption",
    "seeds",
)
"""Single modules below all rooms."""
ROOMS = (
    "text", "records", "stats", "show", "models", "inputs", "datasets", "challenges", "systems", "judges", "metrics",
    "results", "store", "execution", "meta", "api", "compat", "serving", "studies", "explorer", "benchmark", "server",
    "cli",
)  # fmt: skip
FRONT = ("__init__", "__main__")
"""What only names things of other rooms."""
LONGEST = 14


@cache
def modules() -> dict[str, Path]:
    """Every module of the package, by its dotted name."""
    found = {}
    for file in sorted(SOURCE.rglob("*.py")):
        parts = file.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def imports(name: str, lazy: bool) -> frozenset[str]:
    """Modules of ours that a module imports: when it is loaded, or (`lazy`) at any time, for types too."""
    known = modules()
    tree = ast.parse(known[name].read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree) if lazy else _at_load(tree.body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in known}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("assay"):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in known else str(node.module))
    return frozenset(found - {name})


def _at_load(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            found += _at_load(node.body) + _at_load(node.orelse)
        elif isinstance(node, ast.Try):
            found += _at_load(node.body)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
    return found


def room_of(name: str) -> str:
    return name.split(".")[1] if "." in name else "__init__"


def depth(name: str) -> int:
    """How far down a module stands. The front names things of every room, so it stands below them all."""
    room = room_of(name)
    return 0 if room in GROUND else ROOMS.index(room) + 1 if room in ROOMS else len(ROOMS) + 1


def test_every_module_has_a_room() -> None:
    assert {room_of(name) for name in modules()} <= {*GROUND, *ROOMS, *FRONT, "sample"}


def test_rooms_import_only_upwards() -> None:
    wrong = [
        f"{name} imports {other}"
        for name in modules()
        for other in sorted(imports(name, lazy=True))
        if depth(other) > depth(name)
    ]
    assert not wrong, "\n".join(wrong)


def test_import_chains_are_short() -> None:
    """The longest way from a module down to one that imports nothing of ours."""

    @cache
    def chain(name: str) -> tuple[str, ...]:
        below = [chain(other) for other in imports(name, lazy=False)]
        return (name, *max(below, key=len, default=()))

    longest = max((chain(name) for name in modules()), key=len)
    assert len(longest) <= LONGEST, " -> ".join(longest)


def test_the_architecture_page_names_every_room() -> None:
    page = (SOURCE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)
    present = {entry.name for entry in SOURCE.iterdir() if entry.is_dir() and entry.name in ROOMS}
    assert present <= set(listed), sorted(present - set(listed))
    assert [room for room in listed if room in ROOMS] == [room for room in ROOMS if room in listed]
