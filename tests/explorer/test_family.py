"""One family of tests, chosen by the user: terminal, report, pages and Python then say the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.explorer.queries import Queries
from assay.results.verdict import Family
from tests.conftest import Call
from tests.support.report_text import report_text

WORDS = "the old mill by the river burned down and nobody was hurt there".split()
SYSTEMS = {"whole": 13, "most": 11, "some": 8}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems that say more and less of forty references."""
    folder = tmp_path_factory.mktemp("family")
    references = [" ".join(WORDS[i % 5 :] + WORDS[: i % 5]) for i in range(40)]
    for name, length in SYSTEMS.items():
        texts = [" ".join(text.split()[: length - i % 3]) for i, text in enumerate(references)]
        result = assay.score(texts, references, metrics="rouge1,rougeL,bleu,chrf,ter", system=name, save=folder / name)
        assert result.n == 40
    return folder


FAMILIES: list[Family | None] = [None, "all", "pair", "metric"]


def adjusted(comparison: Mapping[str, Any]) -> dict[str, tuple[float | None, str | None]]:
    return {name: (row.p_adjusted, row.better) for name, row in comparison.items()}


@pytest.mark.parametrize("family", FAMILIES)
def test_command_python_page_and_table_agree(
    runs: Path, tmp_path: Path, family: Family | None, here: Callable[..., Call]
) -> None:
    """Three systems, five numbers: whoever asks gets the same p adj, the same verdict and the same words, and without
    a family the same default."""
    option = ["--family", family] if family else []
    chosen: dict[str, Any] = {"family": family} if family else {}
    loaded = {name: assay.load_run(runs / name) for name in sorted(SYSTEMS)}
    baseline, *others = loaded.values()
    python = {each.b.system: each for each in assay.compare_all(baseline, others, **chosen)}
    words = next(iter(python.values())).how.words()
    rankings = assay.compare_pairs(list(loaded.values()), **chosen)
    assert rankings.method == words
    queries = Queries([runs], **chosen)
    (dataset,) = queries.library.datasets
    shown = here("compare", *(runs / name for name in loaded), *option, "--json").json
    for each in shown["comparisons"]:
        other = each["b"]
        of_python = adjusted(python[other])
        assert {name: (row["p_adjusted"], row["better"]) for name, row in each["metrics"].items()} == of_python
        assert each["family"] == words
        page = queries.comparison(dataset, each["a"], other)
        assert {name: (row.p_adjusted, row.better) for name, row in page.metrics.items()} == of_python
        assert page.test == words
        turned = queries.comparison(dataset, other, each["a"])
        assert {name: row.p_adjusted for name, row in turned.metrics.items()} == {
            n: p for n, (p, _) in of_python.items()
        }
        for name, (p, _) in of_python.items():
            gaps = {frozenset((gap.a, gap.b)): gap.p_adjusted for gap in rankings.by_name[name].pairs}
            assert gaps[frozenset((each["a"], other))] == p
    tabled = here("table", *(runs / name for name in loaded), *option, "--json").json["sets"][0]
    assert tabled["method"] == words
    assert tabled["groups"] == shown["groups"] == {name: one.groups for name, one in rankings.by_name.items()}
    table_page = queries.table(dataset)
    assert {number.name: number.groups for number in table_page.metrics} == tabled["groups"]
    assert words in table_page.notes[0]
    for ending in (".md", ".tex", ".html"):
        assert here("report", runs, "-o", tmp_path / f"r{ending}", *option).code == 0
        assert words.split("; ")[1].split(" after ")[1] in report_text(tmp_path / f"r{ending}")
    said = here("compare", *(runs / name for name in loaded), *option).out
    assert words[1:] in " ".join(said.split())


def test_reports_state_the_family_of_tests(runs: Path, tmp_path: Path, here: Callable[..., Call]) -> None:
    said = {
        "pair": "over 5 tests per pair of systems",
        "metric": "over 3 tests per metric",
        "all": "over 15 tests of all pairs of systems and all metrics",
    }
    for family, words in said.items():
        assert here("report", runs, "-o", tmp_path / "r.md", "--family", family).code == 0
        assert words in (tmp_path / "r.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("how", [["--test", "t"], ["--test", "bootstrap"], ["--correction", "bh"]])
def test_groups_follow_the_requested_test(runs: Path, how: list[str], here: Callable[..., Call]) -> None:
    shown = here("compare", *(runs / name for name in sorted(SYSTEMS)), "-m", "rouge1,ter", *how, "--json").json
    assert shown["all_pairs"]["method"] == shown["comparisons"][0]["family"]
    for name, groups in shown["groups"].items():
        for each in shown["comparisons"]:
            together = any({each["a"], each["b"]} <= set(group) for group in groups)
            assert together == (each["metrics"][name]["better"] is None)


def test_two_systems_alone_are_one_family(runs: Path, here: Callable[..., Call]) -> None:
    a, b = (assay.load_run(runs / name) for name in ("most", "some"))
    alone = here("compare", runs / "most", runs / "some", "--json").json
    queries = Queries([runs / "most", runs / "some"])
    (dataset,) = queries.library.datasets
    page = queries.comparison(dataset, "most", "some")
    python = assay.compare(a, b)
    assert page.test == alone["family"] == python.how.words() == assay.compare_pairs([a, b]).method
    assert {name: row.p_adjusted for name, row in page.metrics.items()} == {
        name: row["p_adjusted"] for name, row in alone["metrics"].items()
    }


def test_systems_without_names_are_numbered(runs: Path) -> None:
    results = [replace(assay.load_run(runs / name), system="outputs") for name in sorted(SYSTEMS)]
    compared = assay.compare_all(results[0], results[1:])
    assert [each.b.system for each in compared] == ["outputs (2)", "outputs (3)"]


def test_many_systems_are_compared_pair_by_pair(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.explorer.queries.TESTED_TOGETHER", 2)
    own = shutil.copytree(runs, tmp_path / "runs", ignore=shutil.ignore_patterns(".pages"))  # tests that are kept there
    queries = Queries([own])
    (dataset,) = queries.library.datasets
    assert queries.comparison(dataset, "most", "some").test.endswith("over 5 tests per pair of systems")
    assert "Not tested: more than 2 systems" in queries.table(dataset).notes[0]
