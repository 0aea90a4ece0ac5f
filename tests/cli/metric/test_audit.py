"""`assay metric audit`: verdicts, tables, JSON of the agreed shape, figures, cards in the explorer, and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.explorer.cards import cards_of
from assay.explorer.overview import overview_of
from assay.store.library import open_results
from assay.store.saved_audit import read_audit
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import Server

Run = Callable[..., Call]
SAMPLE = Path(__file__).parents[3] / "src/assay/sample"
OTHER, LEAD = (SAMPLE / "outputs" / name / "news.jsonl" for name in ("rewrite", "lead"))
GIVEN = ("-e", SAMPLE / "news.jsonl")
SMALL = ("--only", "random-period,truncate", "--repeats", "2")


def test_json_has_the_agreed_fields(here: Run) -> None:
    call = here("metric", "audit", OTHER, LEAD, *GIVEN, "-m", "bleu,fkgl", *SMALL, "--strength", "10..30,100", "--json")
    assert call.code == 0, call.err
    rows = call.json["audit"]
    agreed = {"system", "manipulation", "strength", "metric", "before", "after", "low", "high", "raised_by_worse"}
    assert all(agreed <= row.keys() for row in rows)
    assert {row["strength"] for row in rows} == {10, 20, 30, 100}
    assert {row["system"] for row in rows} == {"rewrite", "lead"}
    assert {"bleu", "fkgl", "fkgl.words_per_sentence"} <= {row["metric"] for row in rows}
    assert all(isinstance(row["raised_by_worse"], bool) for row in rows)
    at = {(row["system"], row["manipulation"], row["strength"], row["metric"]): row for row in rows}
    assert at["lead", "random-period", 100, "fkgl"]["raised_by_worse"]
    assert not at["lead", "random-period", 100, "bleu"]["raised_by_worse"]
    before = here("score", LEAD, *GIVEN, "-m", "bleu", "--json").json["scores"]["bleu"]["value"]
    assert at["lead", "truncate", 10, "bleu"]["before"] == pytest.approx(before)
    assert (call.json["repeats"], call.json["seed"], call.json["n"]) == (2, 0, 40)
    assert (
        here("metric", "audit", OTHER, LEAD, *GIVEN, "-m", "bleu,fkgl", *SMALL, "--strength", "10..30,100", "--json")
        == call
    )


def test_tables_say_what_was_found(here: Run) -> None:
    call = here("metric", "audit", LEAD, *GIVEN, "-m", "rouge1,fkgl", *SMALL, "--strength", "100", "--intervals")
    assert call.code == 0, call.err
    assert "Audit · 40 items, 2 repeats, seed 0" in call.out
    lines = [" ".join(line.split()) for line in call.out.splitlines()]
    assert any(line.startswith("rouge1 detects 1 of 2 degradations; misses random-period") for line in lines)
    assert "lead · change at 100 %" in lines
    (row,) = [line for line in lines if line.startswith("truncate 95%")]
    assert "▽" in row
    assert "[" in row
    markdown = here(
        "metric", "audit", LEAD, *GIVEN, "-m", "rouge1", *SMALL, "--strength", "100", "--format", "markdown"
    )
    assert "| truncate | 95% |" in markdown.out


def test_figures_a_number_and_system(here: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    call = here("metric", "audit", LEAD, *GIVEN, "-m", "bleu", *SMALL, "--strength", "50,100", "--plots",
                tmp_path / "figures",
                "--figure-format", "svg")  # fmt: skip
    assert call.code == 0, call.err
    assert "random-period" in (tmp_path / "figures" / "audit-bleu-lead.svg").read_text()


def test_explorer_cards_have_audit_findings(here: Run, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "lead"
    assert here("score", LEAD, *GIVEN, "-m", "rouge1,fkgl", "--save", run).code == 0
    call = here(
        "metric", "audit", LEAD, *GIVEN, "-m", "rouge1,fkgl", *SMALL, "--strength", "100", "--save", tmp_path / "runs"
    )
    assert call.code == 0, call.err
    saved = read_audit(tmp_path / "runs" / "audit.json")
    assert {card.metric for card in saved.cards} == {
        "rouge1", "fkgl", "fkgl.words_per_sentence", "fkgl.syllables_per_word",
    }  # fmt: skip
    library = open_results([tmp_path / "runs"])
    cards = {card.name: card for card in cards_of(library, overview_of(library), {}) if card.kind == "metric"}
    (found,) = [section.text for section in cards["fkgl"].sections if section.heading == "Audit findings"]
    assert "improved by random-period" in found
    assert "1 system, 40 items, 100 % of the outputs changed, 2 repeats" in found
    (tmp_path / "runs" / "audit.json").write_text('{"cards": 3}')
    assert any("audit.json: not an audit" in problem for problem in open_results([tmp_path / "runs"]).problems)


def test_a_judge_is_audited_and_its_places_are_swapped(here: Run, server: Server, tmp_path: Path) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        text = body["messages"][-1]["content"]
        if "First output" in text:
            return 200, server.answer("first")
        return 200, server.answer(f"Rating: {5 if 'full marks' in text or 'rating' in text.split('Rate')[0] else 3}")

    server.behave = behave
    examples = [{"id": str(i), "source": f"source {i}"} for i in range(14)]
    for name in ("a", "b"):
        write_jsonl(
            tmp_path / f"{name}.jsonl", [{"id": str(i), "output": f"text {name} {i} is here."} for i in range(14)]
        )
    spec = f"chat:toy:base={server.url}:backoff=0.01:retries=0:cache=none"
    call = here("metric", "audit", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "-e",
                write_jsonl(tmp_path / "e.jsonl", examples),
                "--judge", spec, "--criterion", "quality", "--only", "flattery", "--strength", "100", "--json",
                "--limit", "12")  # fmt: skip
    assert call.code == 0, call.err
    assert {row["metric"] for row in call.json["audit"]} == {"judge.quality"}
    assert all(row["before"] == 3 and row["after"] > 3.5 for row in call.json["audit"])
    (swapped,) = call.json["positions"]
    assert (swapped["n"], swapped["consistent"]["value"], swapped["first_where_not"]["value"]) == (12, 0.0, 1.0)


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (["--strength", "0"], 2, "use percentages from 1 to 100"),
        (["--strength", "ten"], 2, "use percentages from 1 to 100"),
        (["--scores", "s.jsonl"], 2, "cannot be computed for changed texts"),
        (["--criterion", "fluency"], 2, "--criterion requires --judge"),
        (["--judge", "chat:m"], 2, "requires --criterion"),
        (["--figure-format", "svg"], 2, "--figure-format requires --plots"),
        (["--only", "random"], 1, "no manipulation called random"),
        (["-m", "slot_error"], 1, "No metric could be computed (slot_error"),
        (["--save", "no/folder"], 1, "no/folder: no such folder"),
    ],
)
def test_wrong_options_are_refused_with_the_reason(here: Run, more: list[str], code: int, said: str) -> None:
    given = [] if "-m" in more else ["-m", "rouge1"]
    call = here("metric", "audit", LEAD, *GIVEN, *given, *([] if "--only" in more else SMALL), *more)
    assert call.code == code, call.err
    assert said in " ".join(call.err.split())


def test_two_systems_of_one_file(here: Run, tmp_path: Path) -> None:
    rows = [json.loads(line) | {"system": name} for name, path in (("x", LEAD), ("y", OTHER))
            for line in path.read_text(encoding="utf-8").splitlines()]  # fmt: skip
    both = write_jsonl(tmp_path / "both.jsonl", rows)
    call = here("metric", "audit", both, *GIVEN, "-m", "rouge1", *SMALL, "--strength", "100", "--json")
    assert {row["system"] for row in call.json["audit"]} == {"x", "y"}
    one = here("metric", "audit", both, *GIVEN, "-m", "rouge1", *SMALL, "--strength", "100", "--system", "y", "--json")
    assert {row["system"] for row in one.json["audit"]} == {"y"}
