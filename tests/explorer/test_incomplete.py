"""Gaps: systems without outputs are a note, and nobody is best on a metric that others could not be tested on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import assay
from assay.explorer.queries import Queries
from assay.explorer.report import write_report
from assay.explorer.standalone import built
from assay.store.library import without_folders

if TYPE_CHECKING:
    from playwright.sync_api import Page

WORDS = "the cat sat on the mat and then it ran away".split()


@pytest.fixture
def gaps(tmp_path: Path) -> Path:
    """Two datasets and three systems; two of them have outputs for the second dataset."""
    rows = [{"id": str(i), "references": [" ".join(WORDS[: 4 + i % 7])]} for i in range(20)]
    config = 'name = "gaps"\nci = 20\n'
    for dataset in ("one", "two"):
        (tmp_path / f"{dataset}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        config += f'[[datasets]]\nname = "{dataset}"\nexamples = "{dataset}.jsonl"\nmetrics = ["rouge1", "chrf"]\n'
    for cut, system in enumerate(("good", "fair", "poor"), start=1):
        config += f'[[systems]]\nname = "{system}"\noutputs = "{tmp_path}/{system}/{{dataset}}.txt"\n'
        (tmp_path / system).mkdir()
        for dataset in ("one", "two") if system == "good" else ("one",):
            texts = [" ".join(WORDS[: 4 + i % 7 - cut]) for i in range(20)]
            (tmp_path / system / f"{dataset}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    (tmp_path / "c.toml").write_text(config, encoding="utf-8")
    assay.run(tmp_path / "c.toml", tmp_path / "results")
    return tmp_path / "results"


def test_systems_without_outputs_are_one_note(gaps: Path, tmp_path: Path) -> None:
    page = Queries([gaps]).overview_page
    assert page.problems == []
    (note,) = (note for note in page.notes if "no run of" in note)
    assert note == "two: no run of fair, poor (the first: no outputs at fair/two.txt)"
    report = write_report([gaps], tmp_path / "r.md")
    assert note in report.problems  # which the command prints
    assert str(tmp_path) not in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_messages_keep_the_end_of_a_path() -> None:
    assert without_folders("no outputs at /home/me/runs/bart/two.txt") == "no outputs at bart/two.txt"
    assert without_folders("see (/a/b/c) and/or 3/4") == "see (b/c) and/or 3/4"
    assert without_folders("no outputs at o/two.txt") == "no outputs at o/two.txt"


def test_nobody_is_best_where_others_could_not_be_tested(gaps: Path) -> None:
    whole = {metric.name: metric.verdicts for metric in Queries([gaps]).table("one").metrics}
    assert whole["chrf"]["good"] == whole["rouge1"]["good"] == "best"
    next((gaps / "one/good/statistics").glob("chrf*")).unlink()
    page = Queries([gaps]).table("one")
    verdicts = {metric.name: metric.verdicts for metric in page.metrics}
    assert verdicts["chrf"] == {}  # not "fair": the score of good is higher, and is shown
    assert verdicts["rouge1"]["good"] == "best"
    assert "Not tested: chrf (no statistics of good)." in page.notes


@pytest.mark.slow
@pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")
def test_a_metric_without_a_test_is_not_called_significant(
    look: Callable[..., Page], serve: Callable[[Path], str], gaps: Path
) -> None:
    next((gaps / "one/good/statistics").glob("chrf*")).unlink()
    page = look(serve(gaps) + "#/compare?a=good&b=fair&dataset=one")
    page.locator("main", has_text="Not tested: chrf.").wait_for()
    assert (
        page.locator("h1").inner_text() == "good is significantly better than fair on 1 of 1 lexical metrics (rouge1)."
    )
    page.get_by_text("No chrf of items of good.").wait_for()  # nothing is requested that is not there
