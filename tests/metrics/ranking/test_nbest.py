"""Beam lists against gold phrases: ranks by hand, repetitions, training gold, and the way from command to number."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.execution.loading import load_items
from assay.execution.request import choose
from assay.execution.scoring import score_items
from assay.metrics.ranking.nbest import gold_phrase_ranks, phrases_of, repeated
from assay.records import write_scored
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]

# The pattern of the published lists: gold at ranks 1 and 3 and again in other case at 5 and 10; at 2 and 6; at 3 and 5.
LISTS = [
    (["painters", "rich painters", "old painters", "x", "Old painters", "y", "painter", "z", "w", "Painters"],
     ["painters", "old painters", "famous cubists"], (1, 1, 2 / 3, 1, (1 + 2 / 3) / 3)),
    (["a", "ports", "b", "c", "d", "busy ports", "e", "f", "g", "h"],
     ["ports", "busy ports", "large harbours"], (0, 1, 2 / 3, 1 / 2, (1 / 2 + 2 / 6) / 3)),
    (["a", "b", "the banks", "c", "two rival banks", "d", "e", "f", "g", "h"],
     ["banks", "rival banks"], (0, 1, 1, 1 / 3, (1 / 3 + 2 / 5) / 2)),
    (["people", "the"], ["kings"], (0, 0, 0, 0, 0)),
]  # fmt: skip


def scored(phrases: list[str]) -> str:
    return write_scored(phrases, [-float(i) for i in range(len(phrases))])


@pytest.mark.parametrize(("phrases", "gold", "expected"), LISTS)
def test_one_list(phrases: list[str], gold: list[str], expected: tuple[float, ...]) -> None:
    result = score_items(load_items([scored(phrases)], [gold]), choose("nbest", None))
    names = ["nbest.hit@1", "nbest.hit@10", "nbest.recall@10", "nbest.mrr", "nbest.map"]
    assert [result.values[name] for name in names] == pytest.approx(expected)
    assert result.values["nbest.size"] == len(phrases)


def test_ranks_and_repetitions() -> None:
    assert gold_phrase_ranks(["A", "b", "a", "The b"], ["b", "a", "c"]) == [1, 2]
    assert repeated(["painters", "Painters", "the painter", "old painters"]) == 2
    assert phrases_of("-0.5\tb\n-0.7\ta") == ["b", "a"]
    assert phrases_of("b\na\n") == ["b", "a"]
    assert phrases_of("") == []
    assert phrases_of("1e-05\tb\n-inf\ta") == ["b", "a"]


def test_scores_may_be_written_without_a_zero() -> None:
    """As papers print them; with a score taken for a part of its phrase, the list would find nothing."""
    found = score_items(load_items([".084\tkings\n.06\tqueens"], [["kings"]]), choose("nbest", None))
    assert found.values["nbest.hit@1"] == 1
    damaged = score_items(load_items(["no number\tkings"], [["kings"]]), choose("nbest", None))
    assert "is not a score, a tab and a candidate" in damaged.failed[0].why


def test_the_cut_off() -> None:
    result = score_items(load_items([scored(["x", "y", "kings"])], [["kings"]]), choose("nbest:k=2", None))
    assert result.values["nbest.recall@2"] == 0
    assert result.values["nbest.mrr"] == pytest.approx(1 / 3)


def test_what_was_gold_in_training(tmp_path: Path) -> None:
    train = write_jsonl(tmp_path / "train.jsonl", [{"id": "a", "source": "s", "references": ["kings", "old kings"]}])
    items = load_items([scored(["Kings", "queens"]), scored(["old kings", "kings"])], [["kings"], ["x"]])
    assert score_items(items, choose(f"nbest:train={train}", None)).values["nbest.seen"] == 0.75
    without = score_items(items, choose("nbest", None)).scores["nbest.seen"]
    assert without.value is None
    assert "train=FILE" in str(without.why)


def test_from_the_command_to_the_number(here: Run, tmp_path: Path) -> None:
    gold = [["kings"], ["kings", "queens"], ["pages"]]
    rows = [{"id": str(i), "source": "s", "references": some} for i, some in enumerate(gold)]
    examples = write_jsonl(tmp_path / "e.jsonl", rows)
    out = tmp_path / "o.jsonl"
    call = here(
        "system", "generate", examples, "--system", "frequency:nbest=2", "--train", examples, "--list", "-o", out
    )
    assert call.code == 0, call.err
    assert "--metrics nbest" in call.out
    assert json.loads(out.read_text().splitlines()[0])["output"] == "2.0\tkings\n1.0\tpages"
    found = here("score", out, "-e", examples, "-m", "nbest", "--json").json["scores"]
    assert found["nbest.hit@1"]["value"] == pytest.approx(2 / 3)
    assert found["nbest.recall@10"]["value"] == pytest.approx((1 + 0.5 + 1) / 3)
    alone = here(
        "system", "generate", examples, "--system", "frequency", "--train", examples, "--list", "-o", tmp_path / "p"
    )
    assert alone.code == 2
    assert "request several with frequency:nbest=N" in alone.err
