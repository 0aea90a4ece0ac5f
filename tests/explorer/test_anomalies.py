"""What is wrong in published collections of results is found, line by line, and nothing else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.explorer.anomalies import anomalies, sentences
from assay.records.types import Score
from assay.store.scored_runs import ScoredRun
from tests.conftest import Call

Run = Callable[..., Call]


def found(here: Run, *paths: Path) -> list[dict[str, object]]:
    call = here("store", "anomalies", *paths, "--json")
    assert call.code == 0, call.err
    return list(call.json["anomalies"])


def test_anomalies_of_the_printed_table_3(here: Run, table3: Path) -> None:
    """ROUGE-2 and ROUGE-L above ROUGE-1 for T5 on ASSET; ROUGE-2 of 0.0 three times in Czech and twice on DART."""
    said = found(here, table3)
    assert Counter(each["kind"] for each in said) == {"order": 1, "zero": 5}
    (order,) = [each for each in said if each["kind"] == "order"]
    assert (order["dataset"], order["systems"]) == ("ASSET", ["T5"])
    assert sorted(order["numbers"]) == ["rouge2", "rougeL"]  # type: ignore[call-overload]
    zeros = sorted((each["dataset"], each["systems"][0]) for each in said if each["kind"] == "zero")  # type: ignore[index]
    assert zeros == [
        ("Czech Restaurant", "TGen"), ("Czech Restaurant", "TGen+"), ("Czech Restaurant", "TGen++"),
        ("DART", "BART"), ("DART", "T5"),
    ]  # fmt: skip


def test_mixed_cleaned_and_uncleaned_sizes_are_an_anomaly(here: Run, table3: Path, tmp_path: Path) -> None:
    """The published n of German MLSum: 11,394 of mBART, 11,392 of the others."""
    for file in table3.glob("*.json"):
        scores = json.loads(file.read_text())
        if "MLSum (de)_validation" in scores:
            scores["MLSum (de)_validation"]["N"] = 11394 if scores["submission_name"] == "mBART" else 11392
        (tmp_path / file.name).write_text(json.dumps(scores))
    (sizes,) = [each for each in found(here, tmp_path) if each["kind"] == "sizes"]
    assert sizes["dataset"] == "MLSum (de)"
    assert "11,394 of mBART" in str(sizes["problem"])
    assert "11,392 of mT5" in str(sizes["problem"])


def test_anomalies_of_the_published_files(here: Run, shared_data: Callable[[str], Path]) -> None:
    said = found(here, shared_data("gem/results"))
    assert Counter(each["kind"] for each in said) == {"zero": 9, "sizes": 3, "equal": 2}
    assert {(each["dataset"], each["subset"]) for each in said if each["kind"] == "zero"} == {("dart", "validation")}
    equal = [each for each in said if each["kind"] == "equal"]
    assert {tuple(sorted(each["systems"])) for each in equal} == {("TGen", "TGen+RNNLM")}  # type: ignore[call-overload]
    sizes = {(each["dataset"], each["subset"]) for each in said if each["kind"] == "sizes"}
    assert sizes == {("wiki_auto_asset_turk", "validation"), ("dart", "test"), ("dart", "validation")}


def line(system: str, n: int | None = 200, **values: float) -> ScoredRun:
    return ScoredRun(
        system=system, dataset="d", n=n, scores={name: Score(value=value) for name, value in values.items()}
    )


@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        ([line("a", x=1.0, y=2.0, z=3.0), line("b", x=1.0, y=2.0, z=3.0)], ["equal"]),
        ([line("a", x=1.0, y=2.0, z=3.0), line("b", x=1.0, y=2.0, z=3.1)], []),
        ([line("a", x=1.0, y=2.0), line("b", x=1.0, y=2.0)], []),  # two numbers may well agree
        ([line("a", n=3, x=1.0, y=2.0, z=3.0), line("b", n=3, x=1.0, y=2.0, z=3.0)], []),  # on three items all may
        ([line("a", x=1.0, y=2.0, z=3.0), line("a", x=1.0, y=2.0, z=3.0)], []),  # one system, read twice
        ([line("a", n=99, rouge2=0.0)], []),
        ([line("a", n=100, rouge2=0.0)], ["zero"]),
        ([line("a", bleu=0.0), line("b", n=7)], ["zero", "sizes"]),
    ],
)
def test_thresholds_of_each_kind_of_anomaly(lines: list[ScoredRun], kinds: list[str]) -> None:
    assert [each.kind for each in anomalies(lines, [])] == kinds


def test_sentences_state_each_anomaly_once() -> None:
    many = [line(f"s{i}", rouge2=0.0) for i in range(7)]
    assert sentences(anomalies(many, [])) == [
        "rouge2 is exactly 0 for s0 on d, s1 on d, s2 on d, s3 on d, s4 on d and 2 more. Check that outputs and "
        "references match."
    ]
