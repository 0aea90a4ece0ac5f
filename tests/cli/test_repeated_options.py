"""An option that is given twice: lists add up, parallel references stand side by side, anything else is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
import sacrebleu

import assay
from assay.cli import COMMANDS, group
from assay.cli.shared.options import ListOption
from tests.conftest import OUTPUTS, REFERENCES, Call, write_jsonl

Run = Callable[..., Call]
OTHERS = [
    "In the old harbour, near Copper Kettle, is Thornbeck, a teahouse.",
    "Thornbeck, in the old harbour, is no place for a child.",
    "Wexley has a garden and a cottage.",
]


@pytest.fixture
def parallel(tmp_path: Path) -> Path:
    for name, texts in (("out", OUTPUTS), ("ref0", REFERENCES), ("ref1", OTHERS)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return tmp_path


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for below in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), below)
            assert found is not None
            yield from leaves(found, f"{name} {below}")


def single_options() -> Iterator[tuple[str, str, list[str]]]:
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        for called, each in leaves(command, name):
            for option in each.params:
                if isinstance(option, click.Option) and not option.multiple:
                    values = [] if option.is_flag else ["7"]
                    yield called, max(option.opts, key=len), values


@pytest.mark.parametrize(("command", "option", "values"), list(single_options()))
def test_what_takes_one_value_refuses_two(here: Run, command: str, option: str, values: list[str]) -> None:
    call = here(*command.split(), option, *values, option, *values)
    assert (call.code, call.out) == (2, "")
    assert f"{option} is given 2 times" in call.err


def test_parallel_references_are_sacrebleus(here: Run, parallel: Path) -> None:
    for order in (("ref0", "ref1"), ("ref1", "ref0")):
        given = [part for name in order for part in ("-r", parallel / f"{name}.txt")]
        call = here("score", parallel / "out.txt", *given, "-m", "bleu", "-m", "chrf,ter", "--json")
        scores = call.json["scores"]
        assert {"bleu", "chrf", "ter"} <= scores.keys()
        for name, peer in (
            ("bleu", sacrebleu.corpus_bleu),
            ("chrf", sacrebleu.corpus_chrf),
            ("ter", sacrebleu.corpus_ter),
        ):
            assert scores[name]["value"] == pytest.approx(peer(OUTPUTS, [REFERENCES, OTHERS]).score)
    shown = here("score", parallel / "out.txt", *given, "-m", "bleu").out
    assert "2 references each" in shown


def test_compare_takes_parallel_references(here: Run, parallel: Path) -> None:
    given = ["-r", parallel / "ref0.txt", "-r", parallel / "ref1.txt", "-m", "bleu", "--json"]
    call = here("compare", parallel / "out.txt", parallel / "ref1.txt", *given)
    wanted = sacrebleu.corpus_bleu(OUTPUTS, [REFERENCES, OTHERS]).score
    assert call.json["metrics"]["bleu"]["a"] == pytest.approx(wanted)
    assert call.json["metrics"]["bleu"]["b"] == pytest.approx(100)


@pytest.mark.parametrize(
    ("command", "more"), [("table", ()), ("analyze null-test", ("--draws", "20")), ("check", ("--margin", "bleu=19"))]
)
def test_whatever_takes_references_takes_parallel_ones(
    here: Run, parallel: Path, command: str, more: tuple[str, ...]
) -> None:
    files = (
        ("out.txt", "--baseline", parallel / "out.txt") if command == "check" else ("out.txt", parallel / "ref1.txt")
    )
    given = ["-r", parallel / "ref0.txt", "-r", parallel / "ref1.txt", "-m", "bleu", *more, "--json"]
    call = here(*command.split(), parallel / files[0], *files[1:], *given)
    assert call.json, call.err
    assert "Traceback" not in call.err


def test_python_takes_a_list_of_paths(parallel: Path) -> None:
    result = assay.score(parallel / "out.txt", [parallel / "ref0.txt", parallel / "ref1.txt"], metrics="bleu")
    assert result.scores["bleu"].value == pytest.approx(sacrebleu.corpus_bleu(OUTPUTS, [REFERENCES, OTHERS]).score)


def test_files_with_ids_are_joined_by_id(here: Run, parallel: Path) -> None:
    out = write_jsonl(parallel / "out.jsonl", [{"id": f"i{i}", "output": text} for i, text in enumerate(OUTPUTS)])
    rows = [{"id": f"i{i}", "references": [text]} for i, text in enumerate(OTHERS)]
    first = write_jsonl(
        parallel / "0.jsonl", [{"id": f"i{i}", "references": [text]} for i, text in enumerate(REFERENCES)]
    )
    second = write_jsonl(parallel / "1.jsonl", reversed(rows))
    call = here("score", out, "-r", first, "-r", second, "-m", "bleu", "--json")
    assert call.json["scores"]["bleu"]["value"] == pytest.approx(
        sacrebleu.corpus_bleu(OUTPUTS, [REFERENCES, OTHERS]).score
    )
    write_jsonl(second, rows[:2])
    call = here("score", out, "-r", first, "-r", second, "-m", "bleu", "--json")
    assert call.code == 1
    assert "1.jsonl: no entry for 1 id of" in call.err
    assert "i2" in call.err


def test_an_empty_line_is_no_reference(here: Run, parallel: Path) -> None:
    (parallel / "ref1.txt").write_text(f"{OTHERS[0]}\n\n{OTHERS[2]}\n", encoding="utf-8")
    call = here(
        "score", parallel / "out.txt", "-r", parallel / "ref0.txt", "-r", parallel / "ref1.txt", "-m", "bleu", "--json"
    )
    wanted = sacrebleu.corpus_bleu(OUTPUTS, [REFERENCES, [OTHERS[0], "", OTHERS[2]]])
    assert call.json["scores"]["bleu"]["value"] == pytest.approx(wanted.score)


def test_parallel_files_must_be_of_one_length(here: Run, parallel: Path) -> None:
    (parallel / "ref1.txt").write_text(f"{OTHERS[0]}\n", encoding="utf-8")
    call = here("score", parallel / "out.txt", "-r", parallel / "ref0.txt", "-r", parallel / "ref1.txt")
    assert call.code == 1
    assert "has 3 items but" in call.err
    assert "has 1" in call.err


def test_several_properties_stand_below_each_other(here: Run, tmp_path: Path) -> None:
    tags = [{"size": "1", "topic": "a"}, {"size": "2", "topic": "a"}, {"size": "2", "topic": "b"}]
    rows = zip(OUTPUTS, REFERENCES, tags, strict=True)
    examples = write_jsonl(
        tmp_path / "e.jsonl", [{"id": str(i), "references": [r], "tags": t} for i, (_, r, t) in enumerate(rows)]
    )
    out = write_jsonl(tmp_path / "o.jsonl", [{"id": str(i), "output": text} for i, text in enumerate(OUTPUTS)])
    both = here("score", out, "-e", examples, "-m", "bleu", "--by", "size", "--by", "topic", "--json").json["by"]
    assert list(both) == ["size=1", "size=2", "topic=a", "topic=b"]
    alone = here("score", out, "-e", examples, "-m", "bleu", "--by", "topic", "--json").json["by"]
    assert alone == {"a": both["topic=a"], "b": both["topic=b"]}


def test_lists_of_other_commands_add_up(here: Run, files: tuple[Path, Path]) -> None:
    human, scores = files
    common = ("metric", "correlate", "--human", human, "--scores", scores, "--json")
    together = here(*common, "--method", "pearson,kendall-b")
    assert together.code == 0
    assert here(*common, "--method", "pearson", "--method", "kendall-b").json == together.json
    assert here(*common).json["metrics"]["good"].keys() == {"pearson", "spearman"}


def test_one_name_has_one_number(here: Run, parallel: Path) -> None:
    both = (parallel / "out.txt", parallel / "ref1.txt", "-r", parallel / "ref0.txt", "-m", "bleu,chrf")
    call = here("compare", *both, "--margin", "bleu=1", "--margin", "chrf=2", "--json")
    assert call.code == 0
    call = here("compare", *both, "--margin", "bleu=1", "--margin", "bleu=2")
    assert call.code == 2
    assert "--margin: bleu is given twice" in call.err


@pytest.mark.parametrize("spec", ["rouge:stemmer=true:stemmer=false", "bleu:lowercase=true:lowercase=true"])
def test_a_spec_says_each_option_once(here: Run, toy: Path, spec: str) -> None:
    call = here("score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "-m", spec)
    assert (call.code, call.out) == (2, "")
    assert "is given 2 times" in call.err


def test_every_list_says_so_by_its_class() -> None:
    """Options whose value is cut at commas are lists, and given twice they add up."""
    assert {"--metrics", "--margin", "--control", "--method"} <= {
        max(option.opts, key=len)
        for name in COMMANDS
        for _, command in leaves(group.get_command(click.Context(group), name), name)  # type: ignore[arg-type]
        for option in command.params
        if isinstance(option, ListOption)
    }
