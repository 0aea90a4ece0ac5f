"""Reproduced tables of the GEM workshop: counts of agreeing cells, and the reason of each that differs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.datasets.vocabulary import Vocabulary
from assay.meta.reproduce import reproduce
from assay.meta.reproduce.cells import Cell, matched
from assay.meta.reproduce.fkgl import grade
from assay.meta.review_papers import read_papers
from assay.meta.review_years import attributes, by_year, coverage
from tests.conftest import Call

Find = Callable[[str], Path]


def of(cells: list[Cell], table: str) -> list[Cell]:
    return [each for each in cells if each.table == table]


def explained(cells: list[Cell]) -> bool:
    return all(each.note for each in cells if each.match is not True)


def test_gem_baselines(shared_data: Find) -> None:
    cells = reproduce("gem", shared_data("gem").parent)
    assert matched(of(cells, "Table 3"))[:2] == (20, 16)
    assert matched(of(cells, "Table 4"))[:2] == (53, 1)
    assert explained(cells)
    found = {(each.row, each.column): each for each in of(cells, "Table 4")}
    assert found["Czech Restaurant, mT5-small", "vocabulary"].computed == 287
    assert found["WikiLingua (vi-en), mT5-base", "MSTTR"].match is None  # a later run, whose vocabulary is close
    assert found["Schema-Guided, BART", "Unique-1"].published == 1800


def test_style_transfer_review(shared_data: Find) -> None:
    cells = reproduce("style-transfer", shared_data("style_review").parent)
    assert matched(of(cells, "Text")) == (17, 0, 0)
    assert matched(of(cells, "Table 6")) == (23, 0, 0)
    assert matched(cells)[0] >= 120
    assert explained(cells)
    papers = read_papers(shared_data("style_review/metadata.tsv"))
    assert by_year(papers)["dimensions"]["meaning"]["direct"] == {
        "2012": 1,
        "2018": 12,
        "2019": 10,
        "2020": 18,
        "2021": 4,
    }
    assert coverage(papers)["style"] == 52
    assert coverage(papers)["all three"] <= 51 <= coverage(papers)["any"]


def test_attributes_of_a_task() -> None:
    assert attributes("sentiment, formality (fine-grained)") == ["formality", "sentiment"]
    assert attributes("author gender") == ["gender"]
    assert attributes("grammar") == []


def test_review_draws_and_counts_by_year(here: Callable[..., Call], shared_data: Find, tmp_path: Path) -> None:
    sheet = shared_data("style_review/metadata.tsv")
    call = here("study", "review", sheet, "--json", "--plots", tmp_path)
    assert call.json["by_year"]["attributes"]["debiasing"] == {"2020": 2}
    drawn = {path.name for path in tmp_path.iterdir()}
    assert {"dimensions.png", "lineage.png", "elicitation-style.png"} <= drawn
    refused = here("study", "review", "creative", "--plots", tmp_path)
    assert refused.code == 2
    assert "only coded papers" in refused.err


def test_vocabulary_of_the_turkish_benchmark(shared_data: Find) -> None:
    cells = reproduce("similarity", shared_data("stsb_tr").parent)
    assert matched(of(cells, "Table 3")) == (16, 0, 0)
    assert matched(of(cells, "Sample of 50 pairs")) == (3, 0, 0)
    assert explained(cells)
    known = Vocabulary()
    for text in ("Bir kız, bir uçurtma.", "", "\u2014 -"):
        known.add(text)
    assert (len(known.cased), len(known.uncased), known.words, known.texts) == (5, 4, 5, 3)
    assert known.ratio == pytest.approx(4 / 5)


def test_challenge_sets_of_drs(shared_data: Find) -> None:
    cells = reproduce("drs", shared_data("drs").parent)
    assert matched(each for each in cells if each.basis == "data") == (10, 0, 0)
    assert matched(of(cells, "Table 5")) == (8, 0, 0)


def test_print_of_fkgl_and_perception() -> None:
    cells = reproduce("fkgl", Path())
    assert matched(of(cells, "Tables 4-8, random-the"))[:2] == (50, 5)
    assert {each.basis for each in cells} == {"print"}
    assert explained(cells)
    assert grade(27 / 2, 40 / 27, floor=False) == pytest.approx(7.1565, abs=1e-4)
    assert grade(27 / 2, 40 / 27) == pytest.approx(6.9615, abs=1e-4)
    people = reproduce("perception", Path())
    assert sum(matched(of(people, f"Table A.{n}, {who}"))[0] for n in (3, 4) for who in ("human", "generated")) == 120
    assert explained(people)
