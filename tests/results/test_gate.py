"""The quality check: outcomes, and the error rate if the loss equals the margin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.results.result import Result

WORDS = "the a cat dog sat ran on mat in house tree big".split()


def scored(
    shares: dict[str, float], n: int = 120, seed: int = 0, metrics: str = "rouge1,ter,chrf"
) -> dict[str, Result]:
    chance = np.random.default_rng(seed)
    references = [" ".join(chance.choice(WORDS, 10)) for _ in range(n)]
    texts = {
        name: [" ".join(np.where(chance.random(10) < share, text.split(), "x")) for text in references]
        for name, share in shares.items()
    }
    return assay.score_all(texts, references, metrics=metrics)


def test_worse_fails_and_the_same_passes() -> None:
    results = scored({"old": 0.8, "same": 0.8, "bad": 0.5})
    margin = {"rouge1": 0.08, "ter": 8.0}
    assert assay.check(results["same"], results["old"], margin).passed
    checked = assay.check(results["bad"], results["old"], margin)
    assert [each.outcome for each in checked.numbers.values()] == ["failed", "failed"]
    assert "significantly by 8.0 or more" in checked.conclusion()
    assert assay.check(results["old"], results["bad"], margin).passed  # better is not worse


def test_what_cannot_be_ruled_out_does_not_pass_unless_lenient() -> None:
    results = scored({"old": 0.8, "new": 0.79}, n=40)
    checked = assay.check(results["new"], results["old"], {"rouge1": 0.001})
    assert checked.numbers["rouge1"].outcome == "undecided"
    assert not checked.passed
    assert assay.check(results["new"], results["old"], {"rouge1": 0.001}, lenient=True).passed


def test_outcomes_are_those_of_compare() -> None:
    """A metric passes exactly if `compare` finds it not worse: both use the same test."""
    for seed in range(10):
        results = scored({"old": 0.7, "new": 0.68}, seed=seed)
        margin = {"rouge1": 0.04, "ter": 4.0, "chrf": 4.0}
        checked = assay.check(results["new"], results["old"], margin)
        for name, row in assay.compare(results["old"], results["new"], margin=margin).items():
            assert row.p_not_worse is not None
            assert (checked.numbers[name].outcome == "passed") == (row.p_not_worse < 0.05)


def test_the_level_is_kept_where_the_loss_is_the_margin() -> None:
    """New systems that are worse by exactly the margin pass in one of twenty cases, not more."""
    results = scored({"old": 0.8, "new": 0.75}, n=3000, metrics="rouge1")
    margin = {"rouge1": results["old"].values["rouge1"] - results["new"].values["rouge1"]}
    chance = np.random.default_rng(1)
    passed = 0
    for number in range(300):
        items = chance.integers(0, 3000, 60)
        old, new = (replace(result.take(items), index=results["old"].index[:60]) for result in results.values())
        passed += assay.check(new, old, margin, samples=199, seed=number).passed
    assert 3 <= passed <= 28  # 15 are expected; outside comes less than once in a thousand


def test_a_few_changed_items_are_judged_too() -> None:
    """Fewer changed items than a bootstrap takes, as a small change of a system has it."""
    texts = [f"the cat number {i} sat on the mat" for i in range(100)]
    old = assay.score(texts, texts, metrics="rouge1,bleu")
    slightly = assay.score([*texts[:98], "a dog", "a dog"], texts, metrics="rouge1,bleu")
    margin = {"rouge1": 0.05, "bleu": 5.0}
    assert assay.check(old, old, margin).passed
    assert assay.check(slightly, old, margin).passed
    assert not assay.check(slightly, old, {"rouge1": 0.01}).passed
    few = assay.score(texts[:5], texts[:5], metrics="rouge1")
    assert not assay.check(few, few, {"rouge1": 0.5}).passed  # five items rule nothing out


def test_assertion_for_test_suites() -> None:
    results = scored({"old": 0.8, "bad": 0.4})
    assay.assert_not_worse(results["old"], results["old"], {"chrf": 0.5})
    with pytest.raises(AssertionError, match=r"quality check failed\n[\s\S]*chrf .* worse"):
        assay.assert_not_worse(results["bad"], results["old"], {"chrf": 0.5})


def test_what_cannot_be_checked_says_why() -> None:
    results = scored({"old": 0.8, "new": 0.8}, metrics="rouge1,mean_length")
    for margin, why in (
        ({}, "give a margin for one or more metrics"),
        ({"bleu": 1.0}, r"does not have this metric\. Use one of rouge1, mean_length\."),
        ({"mean_length": 1.0}, "this metric has no better direction"),
    ):
        with pytest.raises(AssayError, match=why):
            assay.check(results["new"], results["old"], margin)
    texts = {str(i): f"a cat {i}" for i in range(30)}
    other = assay.score(texts, dict.fromkeys(texts, "x"), metrics="rouge1")
    mine = assay.score(texts, texts, metrics="rouge1")
    checked = assay.check(other, mine, {"rouge1": 1.0})
    assert not checked.passed
    assert "not comparable (references differ)" in checked.conclusion()
