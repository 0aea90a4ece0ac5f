"""consistency: names, numbers and dates by hand, and pipelines that are not there."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import assay
from assay.metrics import resolve
from assay.metrics.faithfulness.consistency import Consistency
from tests.support import each, items, score

SOURCE = "On 3 May 2015 Nora Quist paid two million pounds to the Bank of Wexley. She was 41."


@pytest.mark.parametrize(
    ("output", "entities", "numbers", "dates"),
    [
        ("Nora Quist paid 2m pounds.", 1, 1, None),
        ("Nora Quist paid 3m pounds.", 1, 0, None),
        ("It was Nora Porter.", 0, None, None),
        ("The Bank of Wexley was paid on May 3, by Quist.", 1, None, 1),
        ("They paid the Bank in June 2015, all 41 of them.", 1, 1, 1 / 2),
    ],
)
def test_shares_by_hand(output: str, entities: float | None, numbers: float | None, dates: float | None) -> None:
    found = score("consistency", [output], None, [SOURCE])
    for kind, wanted in (("entities", entities), ("numbers", numbers), ("dates", dates)):
        value = found[f"consistency.{kind}"]
        assert value != value if wanted is None else value == pytest.approx(wanted), kind


def test_the_whole_is_over_all_mentions_of_all_outputs() -> None:
    outputs = ["Nora Quist paid 3m pounds.", "", "They left."]
    assert score("consistency", outputs, None, [SOURCE] * 3)["consistency"] == pytest.approx(1 / 2)
    assert each("consistency", outputs, None, [SOURCE] * 3)["consistency"][0] == pytest.approx(1 / 2)
    result = assay.score(["They left."], sources=[SOURCE], metrics="consistency")
    assert result.scores["consistency"].value is None
    assert Consistency().undefined("consistency.dates") == "no output mentions dates"


def test_outputs_without_capitals_are_said() -> None:
    noted = Consistency().notes(items(["nora quist left", "Nora left", ""], None, [SOURCE] * 3))
    assert noted == ["consistency: 1 of 3 outputs have no capital letters, so no names are found in them"]


@pytest.mark.parametrize("name", ["..x", "a.b", "a b"])
def test_what_cannot_be_a_pipeline_is_said(name: str) -> None:
    why = resolve(f"consistency:pipeline={name}")[0].metric.why_not()
    assert why == f"pipeline={name}: not the name of a spaCy pipeline. Give one such as en_core_web_sm."


def test_other_languages_are_skipped() -> None:
    assert "its rules are English" in str(Consistency().unfit(items(["Ja."], None, ["Ja."], language="de")))


def test_a_pipeline_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = Consistency(pipeline="en_synthetic")
    assert "pip install spacy" in str(metric.why_not())
    assert "|pipeline:en_synthetic-not-installed" in metric.signature("1")

    def pipeline(text: str) -> Any:
        words = [word.strip(".") for word in text.split() if word.startswith("w")]
        ents = [SimpleNamespace(text=word, label_="ORG") for word in words] + [
            SimpleNamespace(text="1", label_="CARDINAL")
        ]
        return SimpleNamespace(ents=ents)

    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=lambda name: pipeline))
    rows = metric.statistics(items(["wexley and worms."], None, [SOURCE]))
    assert rows.values[0].tolist()[:2] == [1, 2]
