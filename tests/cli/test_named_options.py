"""Options that messages advise: the command has them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.test_commands import LEAVES
from tests.conftest import Call

Run = Callable[..., Call]
SOURCE = Path(__file__).parents[2] / "src" / "assay"
OPTION = re.compile(r"(?<![\w-])(?<!var\()--[a-z][a-z-]*[a-z]")  # not a custom property of a style sheet
OPTIONS = {
    path: {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    for path, command in LEAVES
}
EVERY = set().union(*OPTIONS.values()) | {"--version"}
OTHERS = {"--completion", "--help-all", "--input", "--head", "--address", "--no-deps", "--log-format"}
"""Options of the program itself, and of other programs: boxer, ray, pip, inspect_ai."""


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the string literals of a module that are not docstrings, those inside f-strings too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
        if isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.lineno, node.value


def raised(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of errors that a module raises."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and node.exc is not None:
            texts = [one.value for one in ast.walk(node.exc) if isinstance(one, ast.Constant)]
            yield node.lineno, " ".join(text for text in texts if isinstance(text, str))


def test_every_option_in_any_string_exists() -> None:
    modules = sorted(SOURCE.rglob("*.py"))
    assert len(modules) > 300
    unknown = [
        f"{path.relative_to(SOURCE)}:{line}: {option}"
        for path in modules
        for line, text in strings(path)
        for option in OPTION.findall(text)
        if option not in EVERY | OTHERS
    ]
    assert unknown == []


def test_an_error_of_a_command_names_its_own_options() -> None:
    """Errors that a command module raises itself; another command is named by `assay` before its option."""
    modules: dict[str, set[str]] = {}
    for path, command in LEAVES:
        module = getattr(command.callback, "__module__", "")
        modules.setdefault(module, set()).update(OPTIONS[path])
    wrong = []
    for module, options in modules.items():
        if not module.startswith("assay.cli."):
            continue
        file = SOURCE / (module.removeprefix("assay.").replace(".", "/") + ".py")
        for line, text in raised(file):
            if "assay " in text:
                continue
            wrong += [f"{file.name}:{line}: {one}" for one in OPTION.findall(text) if one not in options]
    assert len(modules) > 40
    assert not wrong


BAD = '{"id": 3}\n'


@pytest.mark.parametrize(
    "arguments",
    [
        ("data", "markup", "targets", "bad.jsonl", "-o", "o.jsonl"),
        ("data", "entities", "extract", "entities.jsonl", "-o", "o.jsonl"),
        ("data", "entities", "crowd", "crowd.csv", "--instances", "i.jsonl", "-o", "o.jsonl"),
        ("metric", "traps", "probe", "bad.jsonl", "--documents", "bad.jsonl"),
        ("data", "read", "fomc", "bad.jsonl", "-o", "o.jsonl"),
        ("data", "read", "asset", "bad.jsonl", "-o", "o.jsonl"),
    ],
    ids=lambda arguments: " ".join(arguments[:3]),
)
def test_what_a_message_advises_can_be_done(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.jsonl").write_text(BAD)
    Path("i.jsonl").write_text('{"id": "i"}\n')
    Path("entities.jsonl").write_text(json.dumps({"id": "d", "text": "t", "entities": [{"name": 1}]}) + "\n")
    Path("crowd.csv").write_text(
        "Input.id_,WorkerId,WorkTimeInSeconds,Answer.utterance_1,Answer.utterance_2,Answer.box_impossible.on\n"
        "i,w,soon,a,b,\n"
    )
    call = here(*arguments)
    assert call.code in (1, 2)
    assert call.err
    own = next((options for path, options in OPTIONS.items() if path == arguments[: len(path)]), None)
    assert own is not None, arguments
    assert not [option for option in OPTION.findall(call.err) if option not in own], call.err
