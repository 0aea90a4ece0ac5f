"""`assay system choose`: refused choices and plots."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call

Run = Callable[..., Call]


FOMC = Path(__file__).parents[3] / "examples/fomc"


CHOOSE = ("system", "choose", FOMC / "test.jsonl", "--classes", FOMC / "equivalence_classes.json", "--goal", "5")


def test_a_refused_choice_leaves_the_instances(here: Run, tmp_path: Path) -> None:
    out, instances = tmp_path / "c.jsonl", tmp_path / "c.instances.jsonl"
    arguments = (*CHOOSE, "--system", "random", "-o", out)
    assert here(*arguments).code == 0
    before = instances.read_bytes()
    assert here(*arguments, "--seed", "7").code == 1
    assert instances.read_bytes() == before
    assert here(*arguments, "--seed", "1", "--force").code == 0
    assert instances.read_bytes() != before  # seeds 0 and 1 are two


def test_shares_are_written_in_hundredths(here: Run, tmp_path: Path) -> None:
    call = here(*CHOOSE, "--system", "random", "-o", tmp_path / "c.jsonl")
    assert re.search(r"^  evidence +\d+ +\d+ +\d+ +\d+\.\d +\[\d+\.\d, \d+\.\d\] ", call.out, re.MULTILINE)
    assert re.search(r"^Mean of \d main evaluations: \d+\.\d$", call.out, re.MULTILINE)


def test_the_plot_of_choices_needs_a_confusion(here: Run, tmp_path: Path) -> None:
    call = here(*CHOOSE, "--system", "random", "-o", tmp_path / "c.jsonl", "--plot", tmp_path / "p.svg")
    assert call.code == 2
    assert "--confusion" in call.err
    assert not (tmp_path / "c.jsonl").exists()


def test_a_plot_that_cannot_be_drawn_is_refused_before_anything_is_asked(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [*CHOOSE, "--system", "random", "-o", tmp_path / "c.jsonl", "--confusion", "evidence", "--plot"]
    call = here(*asked, tmp_path / "p.gif")
    assert (call.code, "use .png, .svg, .pdf" in call.err) == (2, True)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    call = here(*asked, tmp_path / "p.svg")
    assert (call.code, "assay-eval[plots]" in call.err) == (1, True)
    assert not (tmp_path / "c.jsonl").exists()


def test_options_for_making_instances_need_classes(here: Run, tmp_path: Path) -> None:
    call = here("system", "choose", FOMC / "test.jsonl", "--plain", "--system", "random", "-o", tmp_path / "c.jsonl")
    assert (call.code, "--plain requires --classes" in call.err) == (2, True)
