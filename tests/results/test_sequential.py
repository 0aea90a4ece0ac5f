"""Comparisons that may be looked at after every item."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from tests.conftest import Call, write_jsonl
from tests.results.test_gate import scored

Run = Callable[..., Call]


def test_a_clear_difference_is_decided_before_the_end() -> None:
    results = scored({"good": 0.8, "bad": 0.4}, metrics="rouge1,ter")
    compared = assay.compare_sequential(results["good"], results["bad"])
    row = compared["rouge1"]
    assert row.decision == "a"
    assert row.looks == 300
    assert row.decided_after is not None
    assert row.decided_after < 100
    assert row.e_value is not None
    assert row.e_value >= 20
    assert row.high is not None
    assert row.high < 0
    assert compared["ter"].why is not None
    assert "not sequential" in compared["ter"].why
    assert f"good is better, decided after {row.decided_after} of 300 items" in " ".join(repr(compared).split())
    turned = assay.compare_sequential(results["bad"], results["good"])["rouge1"]
    assert turned.decision == "b"
    assert turned.low == pytest.approx(-row.high)


def test_decision_and_limits_agree() -> None:
    for seed in range(6):
        results = scored({"a": 0.7, "b": 0.65}, seed=seed, metrics="rouge1,rouge2")
        for row in assay.compare_sequential(results["a"], results["b"]).values():
            assert row.low is not None
            assert row.high is not None
            assert (row.decision == "undecided") == (row.low <= 0 <= row.high)


def test_equal_systems_are_rarely_decided() -> None:
    decided = 0
    for seed in range(40):
        results = scored({"a": 0.7, "b": 0.7}, n=80, seed=seed, metrics="rouge1")
        decided += assay.compare_sequential(results["a"], results["b"])["rouge1"].decision != "undecided"
    assert decided <= 6


def test_the_order_is_that_of_items_or_random() -> None:
    results = scored({"a": 0.8, "b": 0.6}, metrics="rouge1")
    shuffled = [result.take(np.random.default_rng(0).permutation(300)) for result in results.values()]
    pairs = (tuple(results.values()), tuple(shuffled))
    arrival = [assay.compare_sequential(*pair)["rouge1"].decided_after for pair in pairs]
    chosen = [assay.compare_sequential(*pair, order="random", seed=3)["rouge1"].decided_after for pair in pairs]
    assert arrival[0] != arrival[1]
    assert chosen[0] == chosen[1]
    with pytest.raises(AssayError, match="use arrival or random"):
        assay.compare_sequential(*pairs[0], order="sorted")  # type: ignore[arg-type]


def test_metrics_that_are_no_bounded_mean_are_refused() -> None:
    results = scored({"a": 0.8, "b": 0.6}, metrics="bleu,ter")
    with pytest.raises(AssayError, match="bleu, ter: not sequential: needs the mean of item scores with a fixed range"):
        assay.compare_sequential(results["a"], results["b"])


def test_the_command(here: Run, tmp_path: Path) -> None:
    rows = [{"id": str(i), "output": f"cat {i % 7} sat", "reference": f"cat {i % 7} sat"} for i in range(80)]
    good = write_jsonl(tmp_path / "good.jsonl", rows)
    bad = write_jsonl(tmp_path / "bad.jsonl", [{**row, "output": "dog"} for row in rows])
    call = here("compare", good, bad, "-m", "rouge1", "--sequential", "--json")
    assert call.code == 0
    assert call.json["sequential"] is True
    row = call.json["metrics"]["rouge1"]
    assert {"e_value", "low", "high", "decision", "looks", "decided_after"} <= row.keys()
    assert row["decision"] == "a"
    assert "planned in advance" in call.json["price"]
    printed = here("compare", good, bad, "-m", "rouge1", "--sequential").out
    assert "e-value" in printed
    assert "Looking at any time costs 1.9 to 2.7 times the items" in " ".join(printed.split())
    for more in (("--margin", "rouge1=1"), ("--test", "t"), ("--by", "language"), ("--items", "3")):
        refused = here("compare", good, bad, "-m", "rouge1", "--sequential", *more)
        assert refused.code == 2
        assert f"{more[0]} cannot be combined with --sequential" in refused.err
    assert here("compare", good, bad, "-m", "rouge1", "--order", "random").code == 2
    assert here("compare", good, bad, bad, "-m", "rouge1", "--sequential").code == 2


def test_items_of_the_first_documents_are_not_independent() -> None:
    """A look early in a growing set sees few documents: their items must not count as independent."""
    decided = passed = 0
    for seed in range(12):
        good = np.random.default_rng(seed).random((2, 5)) < 0.5
        examples = [
            {"id": str(i), "references": ["the cat sat"], "tags": {"doc_id": f"d{i // 20}"}} for i in range(100)
        ]
        a, b = (
            assay.score(
                [{"id": str(i), "output": "the cat sat" if of[i // 20] else "dog"} for i in range(100)],
                examples=examples,
                metrics="rouge1",
            )
            for of in good
        )
        row = assay.compare_sequential(a, b)["rouge1"]
        assert row.looks == 5
        decided += row.decision != "undecided"
        passed += assay.check(b, a, {"rouge1": 5}, sequential="arrival").outcome != "undecided"
        assert assay.compare_sequential(a, b, cluster="none")["rouge1"].looks == 100
    assert decided == 0
    assert passed == 0
