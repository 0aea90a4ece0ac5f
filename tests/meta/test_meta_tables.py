"""Tables of correlations, judgements, power and published cells: what stands in them, and the exact number behind."""

from __future__ import annotations

import csv
import io
from typing import Any, cast

import pytest

from assay.meta.agreement import AgreementRequest, measure_agreement
from assay.meta.correlate import CorrelateRequest
from assay.meta.correlation_records import CorrelationsRecord
from assay.meta.power import power_row
from assay.meta.ranking import Pair, Ranked
from assay.meta.reproduce.cells import cell, statement
from assay.meta.tables.correlations import correlation_tables
from assay.meta.tables.judgements import judgement_tables
from assay.meta.tables.power import correlation_table, power_table
from assay.meta.tables.published import cell_tables, scoreboard
from assay.records import Judgement
from assay.show.tables import Table, write


def read_csv(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(write(table, "csv"))))


def report(**more: Any) -> CorrelationsRecord:
    metrics = {
        "weak": {"pearson": {"raw": 0.3, "r": 0.012345, "p": 0.4, "low": None, "high": None}},
        "strong": {"pearson": {"raw": 0.7, "r": 0.512345, "p": 0.0001, "low": 0.4, "high": 0.6}},
    }
    empty: dict[str, Any] = {"williams": {}, "metric_correlation": {}, "ablation": {}, "differences": {}}
    return cast(CorrelationsRecord, {"n": 40, "human": "Factuality", "metrics": metrics, **empty, **more})


def test_correlations_are_ordered_and_say_what_they_rest_on() -> None:
    question = CorrelateRequest(human="Factuality", controls=("model_name",), methods=("pearson",), samples=100)
    lost = {"Flip_Entity": {"strong": 0.2, "weak": 0.3}, "Flip_Other": {"strong": 0.05, "weak": 0.0}}
    table, rests = correlation_tables(report(ablation=lost), question, " · cnn")
    assert write(table, "text").split("\n") == [
        "Factuality · cnn · 40 texts, model_name held constant",
        "  metric   raw pearson   partial pearson      95 % CI       p   depends on",
        "  strong          .700              .512   [.40, .60]   <.001       Entity",
        "  weak            .300              .012            –    .400            –",
    ]
    assert read_csv(table)[0]["partial pearson"] == "0.512345"
    assert [row["strong"] for row in read_csv(rests)] == ["0.2", "0.05"]


def test_parts_follow_the_whole_and_williams_its_matrix() -> None:
    question = CorrelateRequest(human="Factuality", methods=("pearson",))
    pair = {"strong": {"weak": 0.0123}, "weak": {"strong": None}}
    matrices = {"williams": pair, "williams_adjusted": pair, "metric_correlation": pair}
    told = report(
        **matrices,
        williams_test={"tail": "two-sided", "tests": 1, "method": "9 systems left out in turn"},
        by={"x": report()},
    )
    tables = correlation_tables(told, question)
    assert [table.caption for table in tables] == [
        "Factuality · 40 texts",
        "Williams: two-sided p of a difference in correlation with human scores",
        "Williams: after Holm correction over 1 test",
        "Correlation between metrics: Pearson",
        "Factuality · x · 40 texts",
    ]
    assert write(tables[1], "text").split("\n")[1:] == [
        "           weak   strong",
        "  strong   .012        –",
        "  weak        –        –",
        "  p: 9 systems left out in turn",
    ]


def test_differences_name_the_better_metric_first() -> None:
    question = CorrelateRequest(human="Factuality", methods=("pearson",), samples=100)
    pair = {"difference": -0.5, "p": 0.0004, "p_adjusted": 0.02}
    turned = pair | {"difference": 0.5}
    told = report(
        differences={"pearson": {"weak": {"strong": pair}, "strong": {"weak": turned}}},
        differences_test={"swapped": "scores swapped by system", "swaps": 2000, "tests": 1},
        resampled="16 systems resampled, inputs fixed",
        human_noise={"annotators": 3.0, "reliability": 0.81, "ceiling": 0.9},
    )
    told["metrics"]["strong"]["pearson"]["disattenuated"] = 0.57
    first, compared = correlation_tables(told, question)
    assert "disattenuated" in write(first, "text").split("\n")[1]
    assert write(first, "text").split("\n")[-2:] == [
        "  p and 95 % CI: 16 systems resampled, inputs fixed",
        "  Human scores: 3.0 annotators per text, reliability of the mean .81; ceiling of a perfect metric .90",
    ]
    assert write(compared, "text").split("\n") == [
        "Differences between metrics: pearson",
        "  pair            difference       p   adjusted p",
        "  strong - weak        +.500   <.001         .020",
        "  p: permutation test, 2,000 permutations; scores swapped by system",
        "  adjusted p: Holm correction over 1 pair",
    ]


def test_judgements() -> None:
    rows = [
        Judgement(id=str(i), system="a", annotator=rater, criterion="q", value=(i + (rater == "s" and i == 3)) % 3)
        for i in range(9)
        for rater in "rs"
    ]
    (found,) = measure_agreement(rows, AgreementRequest(samples=20))
    ranks = [Ranked("a", 2.5, 2.25, 2.75, 1, 1, 2, items=9)]
    pairs = [Pair("a", "b", -0.0004, 0.04, 0.08, 9, "paired t")]
    first, raters, systems, tested = judgement_tables(found, ranks, pairs)
    assert first.caption == "q · 9 items, 2 annotators, 18 judgements"
    assert {row["agreement"]: row["value"] for row in read_csv(first)}["percent"] == repr(8 / 9)
    assert [row["annotator"] for row in read_csv(raters)] == ["r", "s"]
    assert write(systems, "text").split("\n")[2].split() == ["a", "1", "1-2", "2.50", "[2.25,", "2.75]"]
    assert write(tested, "text").split("\n")[2] == "  a - b       -0.000   .040         .080   9"


def test_power() -> None:
    row = power_row("rouge1", [0.1, 0.2, 0.0, 0.1], 0.05, 0.8, 0.05)
    shown = read_csv(power_table([row], 0.8))[0]
    assert (shown["items"], float(shown["sd"])) == ("4", row.sd)
    assert "detectable at 80%" in shown
    observed = power_table([power_row("rouge1", [0.1, 0.2, 0.0, 0.1], None, 0.8, 0.05, 100.0)], 0.8)
    assert "10 *" in write(observed, "text")
    assert "optimistic" in write(observed, "markdown")
    assert float(read_csv(observed)[0]["effect"]) == pytest.approx(0.1)
    assert write(correlation_table(0.3, 0.0, 1085), "markdown").endswith("| 0.3 | 0 | 1,085 |")


def test_published_cells() -> None:
    cells = [
        cell("T1", "bart", "R1", "41.0", 41.04),
        cell("T1", "t5", "R1", "41.0", 41.26, "other seed"),
        statement("T2", "people prefer a", "stated", None),
    ]
    total = {"": "all from data", "agree": "1", "differ": "1", "not comparable": "1"}
    assert read_csv(scoreboard({"x": cells}))[-1] == total
    first, second = cell_tables(cells)
    assert first.caption == "T1: 1 agree, 1 differ, 0 not comparable"
    assert write(first, "text").split("\n")[2] == "  t5    R1              41      41.26   differs   other seed"
    assert not second.rows
    assert len(cell_tables(cells, everything=True)[0].rows) == 2
