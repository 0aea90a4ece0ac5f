"""One family of tests, chosen by the user: terminal, report, pages and Python then say the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

import assay
from assay.explorer.queries import Queries
from assay.results.compare import Asked, compare_systems
from assay.results.verdict import Family
from conftest import Call, write_jsonl

WORDS = "the old mill by the river burned down and nobody was hurt there".split()
SYSTEMS = {"whole": 13, "most": 11, "some": 8}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems that say more and less of forty references."""
    folder = tmp_path_factory.mktemp("family")
    references = [" ".join(WORDS[i % 5 :] + WORDS[: i % 5]) for i in range(40)]
    for name, length in SYSTEMS.items():
        texts = [" ".join(text.split()[: length - i % 3]) for i, text in enumerate(references)]
        result = assay.score(texts, references, metrics="rouge1,bleu,ter", system=name, save=folder / name)
        assert result.n == 40
    return folder


@pytest.mark.parametrize("family", ["pair", "metric", "all"])
def test_pages_and_python_agree(runs: Path, family: Family) -> None:
    queries = Queries([runs], family)
    (dataset,) = queries.library.datasets
    results = queries.library.dataset(dataset).results
    pairs = list(combinations(results, 2))
    wanted = compare_systems([(results[a], results[b]) for a, b in pairs], Asked(family=family))
    for (a, b), comparison in zip(pairs, wanted, strict=True):
        page = queries.comparison(dataset, a, b)
        assert page.test == comparison.how.words()
        assert {name: row.p_adjusted for name, row in page.metrics.items()} == {
            name: row.p_adjusted for name, row in comparison.items()
        }


def test_the_family_is_said(runs: Path, tmp_path: Path, here: Callable[..., Call]) -> None:
    said = {
        "pair": "over 3 tests of each pair of systems",
        "metric": "over 3 tests of each metric",
        "all": "over 9 tests",
    }
    for family, words in said.items():
        assert here("report", runs, "-o", tmp_path / "r.md", "--family", family).code == 0
        assert words in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_report_and_compare_say_the_same(runs: Path, here: Callable[..., Call]) -> None:
    names = sorted(SYSTEMS)
    shown = here("compare", *(runs / name for name in names), "--family", "pair", "--json").json
    queries = Queries([runs])
    (dataset,) = queries.library.datasets
    for comparison in shown["comparisons"]:
        page = queries.comparison(dataset, comparison["a"], comparison["b"])
        assert page.test == comparison["family"]
        for name, row in comparison["metrics"].items():
            assert (page.metrics[name].p_adjusted, page.metrics[name].better) == (row["p_adjusted"], row["better"])


def test_two_systems_need_no_choice(runs: Path, tmp_path: Path, here: Callable[..., Call]) -> None:
    both = (runs / "whole", runs / "some")
    terminal = here("compare", *both, "--json").json
    page = Queries(list(both)).comparisons()[0][0]
    assert page.test == terminal["family"]
    assert {name: row.p_adjusted for name, row in page.metrics.items()} == {
        name: row["p_adjusted"] for name, row in terminal["metrics"].items()
    }


def test_better_and_worse_are_never_mixed(runs: Path, tmp_path: Path, here: Callable[..., Call]) -> None:
    """TER is better when it is lower, and no list calls it `lower` beside a BLEU that is worse."""
    assert here("report", runs, "-o", tmp_path / "r.md").code == 0
    report = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "worse on rouge1, bleu, ter" in report or "better on rouge1, bleu, ter" in report
    assert "lower on" not in report


def test_systems_without_a_common_item_are_left_out_of_the_family(tmp_path: Path) -> None:
    for name, ids in (("a", "xyz"), ("b", "xyz"), ("c", "uvw")):
        examples = [{"id": id, "references": ["the old mill"]} for id in ids]
        file = write_jsonl(tmp_path / f"{name}.jsonl", [{"id": id, "output": f"the {name} mill"} for id in ids])
        assay.score(file, examples=examples, metrics="rouge1", save=tmp_path / "runs" / name)
    compared, problems = Queries([tmp_path / "runs"], "all").comparisons()
    assert [(page.a, page.b) for page in compared] == [("a", "b")]
    assert problems == []
