"""Every command: help with an example, exit code 2 for wrong usage, the new name for an old one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import assay
from assay.cli import group
from assay.cli.tree import COMMANDS, GROUPS, RENAMED, SECTIONS
from tests.conftest import Call

Run = Callable[..., Call]


def leaves(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command below one, with the words that call it."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), name)
            assert below is not None, name
            yield from leaves(below, (*path, name))
    else:
        yield path, command


LEAVES = list(leaves(group, ()))
PATHS = [path for path, _ in LEAVES] + [("run", "status"), ("metric", "reproduce", "fetch")]


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_has_an_example_and_fits_a_screen(here: Run, path: tuple[str, ...]) -> None:
    call = here(*path, "--help")
    assert call.code == 0
    calls = re.findall(r"^ +(?:Example: +)?(assay .*)", call.out, flags=re.MULTILINE)
    own = [each for each in calls if each.startswith(f"assay {' '.join(path)}")]
    assert own
    assert len(path) < 3 or own == calls  # a group inside a group has many commands
    assert len(call.out.splitlines()) <= 60


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_an_unknown_option_is_wrong_usage(here: Run, path: tuple[str, ...]) -> None:
    call = here(*path, "--no-such-option")
    assert (call.code, call.out) == (2, "")
    assert "--no-such-option" in call.err
    assert "Traceback" not in call.err


def test_the_tree_fits_one_screen(here: Run) -> None:
    call = here("--help")
    assert len(COMMANDS) <= 18
    assert len(call.out.splitlines()) <= 30
    assert {name for names in SECTIONS.values() for name in names} == set(COMMANDS)
    for name in COMMANDS:
        assert f" {name} " in call.out


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_alone_shows_its_commands(here: Run, name: str) -> None:
    call = here(name)
    assert all(f"  {verb}" in call.out + call.err for verb in GROUPS[name][1])


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_answers_with_the_new_one(here: Run, old: str) -> None:
    call = here(old, "x")
    assert (call.code, call.out) == (2, "")
    assert f"`assay {old}` is now `assay {RENAMED[old]}`" in call.err
    assert tuple(RENAMED[old].split()) in {path[:2] for path in PATHS}


@pytest.mark.parametrize(
    ("words", "there"),
    [
        (("lint",), "`assay judge lint`, `assay study lint`"),
        (("data", "generate"), "`assay system generate`"),
        (("study", "score"), "`assay score`"),
    ],
)
def test_a_command_of_another_group_is_named(here: Run, words: tuple[str, ...], there: str) -> None:
    call = here(*words, "x")
    assert (call.code, call.out) == (2, "")
    assert f"no command called {words[-1]}; there is {there}\n" in call.err


@pytest.mark.parametrize(("option", "kind"), [("--seed", "an integer"), ("--samples", "an integer")])
def test_a_value_of_another_kind_is_named_in_words(here: Run, option: str, kind: str) -> None:
    call = here("compare", "a", "b", option, "x")
    assert call.code == 2
    assert f"'x' is not {kind}." in call.err


@pytest.mark.parametrize("old", ["challenge", "judge"])
def test_a_command_that_became_a_group_names_its_verb(here: Run, old: str) -> None:
    call = here(old, "typos.jsonl")
    assert call.code == 2
    assert f"`assay {old} …` is now `assay {old} {'make' if old == 'challenge' else 'run'} …`" in call.err


def test_version_says_how_kernels_run(here: Run) -> None:
    assert here("--version").out.startswith(f"assay {assay.__version__} (kernels ")


def test_an_unknown_command_is_wrong_usage(here: Run) -> None:
    call = here("sore")
    assert (call.code, call.out) == (2, "")
    assert "did you mean" in call.err


def test_every_command_has_its_test_file() -> None:
    tests = Path(__file__).parent
    for path, _ in LEAVES:
        room = path[0] if path[0] in GROUPS else "everyday"
        assert any((tests / room).glob("test_*.py")), path


def every(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from every(command.get_command(context, name) or command, (*path, name))


def test_every_option_is_described_and_names_its_default_once() -> None:
    wrong = []
    for path, command in every(group, ()):
        for option in command.params:
            record = option.get_help_record(click.Context(command))
            if not isinstance(option, click.Option) or option.hidden or record is None:
                continue
            text = record[1]
            if not (option.help or "").strip() or text.count("default:") > 1 or text.count("required") > 1:
                wrong.append((" ".join(path), option.opts, text))
    assert wrong == []


def test_groups_list_whole_sentences(here: Run) -> None:
    nested = [path for path, command in every(group, ()) if isinstance(command, click.Group) and len(path) > 1]
    assert nested
    for path in nested:
        commands = here(*path, "--help").out.partition("Commands:")[2]
        assert commands
        assert "..." not in commands.partition("Example")[0], path


def test_values_of_options_are_nouns() -> None:
    free = {"--about", "--caption", "--label", "--title", "--why"}
    wrong = [
        (" ".join(path), option.opts, record[0])
        for path, command in every(group, ())
        for option in command.params
        if isinstance(option, click.Option) and not free & set(option.opts)
        if (record := option.get_help_record(click.Context(command)))
        if re.search(r"\b(TEXT|INTEGER|FLOAT|RANGE)\b", record[0])
    ]
    assert wrong == []
