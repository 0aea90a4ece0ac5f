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
    shares: dict[str, float], n: int = 300, seed: int = 0, metrics: str = "rouge1,ter,chrf"
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
    margin = {"rouge1": 8, "ter": 8.0}
    assert assay.check(results["same"], results["old"], margin).passed
    checked = assay.check(results["bad"], results["old"], margin)
    assert [each.outcome for each in checked.numbers.values()] == ["failed", "failed"]
    assert "significantly by 8.0 or more" in checked.conclusion()
    assert assay.check(results["old"], results["bad"], margin).passed  # better is not worse


def test_a_loss_is_a_rise_where_lower_is_better_and_is_not_shown_as_zero() -> None:
    results = scored({"old": 0.8, "bad": 0.5, "new": 0.79}, n=40)
    bad = assay.check(results["bad"], results["old"], {"rouge1": 5, "ter": 5.0}).conclusion()
    assert "rouge1: fell by" in bad
    assert "ter: rose by" in bad
    assert "a loss of 0.004 or more" in assay.check(results["new"], results["old"], {"rouge1": 0.004}).conclusion()


def test_what_cannot_be_ruled_out_does_not_pass_unless_lenient() -> None:
    results = scored({"old": 0.8, "new": 0.79}, n=40)
    checked = assay.check(results["new"], results["old"], {"rouge1": 0.1})
    assert checked.numbers["rouge1"].outcome == "undecided"
    assert not checked.passed
    assert assay.check(results["new"], results["old"], {"rouge1": 0.1}, lenient=True).passed


def test_outcomes_are_those_of_compare() -> None:
    """A metric passes exactly if `compare` finds it not worse: both use the same test."""
    for seed in range(4):
        results = scored({"old": 0.7, "new": 0.68}, seed=seed)
        margin = {"rouge1": 4, "ter": 4.0, "chrf": 4.0}
        checked = assay.check(results["new"], results["old"], margin)
        for name, row in assay.compare(results["old"], results["new"], margin=margin).items():
            assert row.p_not_worse is not None
            assert (checked.numbers[name].outcome == "passed") == (row.p_not_worse < 0.05)


def test_the_level_is_kept_where_the_loss_is_the_margin() -> None:
    """New systems that are worse by exactly the margin pass in one of twenty cases, not more."""
    results = scored({"old": 0.8, "new": 0.75}, n=3000, metrics="rouge1")
    margin = {"rouge1": 100 * (results["old"].values["rouge1"] - results["new"].values["rouge1"])}
    chance = np.random.default_rng(1)
    passed = 0
    for number in range(50):
        items = chance.integers(0, 3000, 100)
        old, new = (
            replace(result.take(items), index=results["old"].index.take(np.arange(100))) for result in results.values()
        )
        passed += assay.check(new, old, margin, samples=199, seed=number).passed
    assert passed <= 8  # at most 2.5 are expected


def test_rare_failures_do_not_pass_at_the_margin() -> None:
    """Two of a hundred outputs are empty and the rest is unchanged: a sample of 50 often shows no change at all."""
    texts = [f"the cat number {i} sat on the mat" for i in range(1000)]
    old = assay.score(texts, texts, metrics="rouge1,bleu,chrf")
    empty = assay.score(
        ["" if i % 50 == 0 else text for i, text in enumerate(texts)], texts, metrics="rouge1,bleu,chrf"
    )
    margin = {name: (old.values[name] - empty.values[name]) * old.parts[name][1].scale for name in old.shown}
    chance = np.random.default_rng(2)
    passed = dict.fromkeys(margin, 0)
    for _ in range(20):
        items = chance.integers(0, 1000, 50)
        before, after = (replace(result.take(items), index=old.index.take(np.arange(50))) for result in (old, empty))
        for name, each in assay.check(after, before, margin, samples=99).numbers.items():
            passed[name] += each.outcome == "passed"
    assert passed == dict.fromkeys(margin, 0)  # 36 % passed by Student's t


def test_the_number_of_items_that_a_margin_takes() -> None:
    texts = [f"the cat number {i} sat on the mat" for i in range(300)]
    old = assay.score(texts, texts, metrics="rouge1,bleu")
    assert assay.check(old, old, {"rouge1": 1, "bleu": 1}).passed
    fewer = assay.score(texts[:298], texts[:298], metrics="rouge1")
    checked = assay.check(fewer, fewer, {"rouge1": 1})
    assert checked.outcome == "undecided"
    assert any("identical scores on all 298 items" in each for each in checked.remarks)
    assert any("requires at least 299 items (here 298)" in each for each in checked.remarks)
    slightly = assay.score(["a dog", "a dog", *texts[2:]], texts, metrics="rouge1,bleu")
    assert assay.check(slightly, old, {"rouge1": 5, "bleu": 5.0}).passed
    assert not assay.check(slightly, old, {"rouge1": 1}).passed


def test_margins_are_on_the_scale_of_tables() -> None:
    """A margin of 1 is one point of ROUGE-1, not all of it: a fall of many points fails."""
    results = scored({"old": 0.8, "new": 0.65}, metrics="rouge1")
    fall = results["old"].values["rouge1"] - results["new"].values["rouge1"]
    assert fall > 0.1
    with pytest.raises(AssertionError, match="quality check failed"):
        assay.assert_not_worse(results["new"], results["old"], {"rouge1": 1})
    for width in (20, 100):
        with pytest.raises(AssayError, match="a fifth or more of its range"):
            assay.assert_not_worse(results["new"], results["old"], {"rouge1": width})


def test_clusters_are_units() -> None:
    """Ten items of each document change together: 30 clusters exclude less than 300 items."""
    texts = [f"the cat number {i} sat on the mat" for i in range(300)]
    items = [{"id": str(i), "references": [text], "tags": {"document": str(i // 10)}} for i, text in enumerate(texts)]
    outputs = {str(i): text for i, text in enumerate(texts)}
    old = assay.score(outputs, examples=items, metrics="rouge1")
    assert assay.check(old, old, {"rouge1": 2}, cluster="none").passed
    checked = assay.check(old, old, {"rouge1": 2})
    assert checked.outcome == "undecided"
    assert any("clusters (here 30)" in each for each in checked.remarks)
    assert assay.check(old, old, {"rouge1": 12}, cluster="document").passed
    assert not any("assumed" in each for each in checked.remarks)


def test_larger_clusters_than_were_drawn_are_excluded_by_assumption() -> None:
    """A document of 50 items that was not drawn could lose more than all others gain."""
    items = [
        {"id": f"{i}-{k}", "references": [f"the cat number {i} sat"], "tags": {"document": str(i)}}
        for i in range(60)
        for k in range(1 + i % 4)
    ]
    outputs = {str(each["id"]): "the cat" for each in items}
    scored = assay.score(outputs, examples=items, metrics="rouge1")
    said = "Clusters have 1 to 4 items; none is assumed to be larger."
    assert said in assay.check(scored, scored, {"rouge1": 12}).remarks
    assert said in assay.check(scored, scored, {"rouge1": 12}, sequential="arrival").remarks
    assert said in assay.compare_sequential(scored, scored).warnings
    assert said not in assay.compare_sequential(scored, scored, cluster="none").warnings


def test_the_order_of_a_file_does_not_matter() -> None:
    results = scored({"old": 0.7, "new": 0.68}, n=120, metrics="rouge1")
    order = np.random.default_rng(0).permutation(120)
    shuffled = [result.take(order) for result in results.values()]
    plain, mixed = (assay.check(new, old, {"rouge1": 8}) for old, new in (results.values(), shuffled))
    assert plain.numbers["rouge1"].bounds == pytest.approx(mixed.numbers["rouge1"].bounds)


def test_missing_items_fail_unless_allowed() -> None:
    results = scored({"old": 0.8}, metrics="rouge1")
    old = results["old"]
    new = replace(old.take(np.arange(297)), system="new")
    assert assay.check(new, old, {"rouge1": 5}).outcome == "failed"
    assert assay.check(new, old, {"rouge1": 5}, allow_missing=3).passed
    assert assay.check(new, old, {"rouge1": 5}, allow_missing="1%").passed
    for wrong in ("many", -1, "300%"):
        with pytest.raises(AssayError, match="give a number of items, or a percentage"):
            assay.check(new, old, {"rouge1": 5}, allow_missing=wrong)
    assay.assert_not_worse(new, old, {"rouge1": 5}, allow_missing=3)


def test_assertion_for_test_suites() -> None:
    results = scored({"old": 0.8, "bad": 0.4})
    assay.assert_not_worse(results["old"], results["old"], {"chrf": 5})
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
    checked = assay.check(other, mine, {"rouge1": 1})
    assert not checked.passed
    assert "not comparable (references differ)" in checked.conclusion()


def test_the_fewest_clusters_do_not_depend_on_their_size() -> None:
    """A margin is a loss per item: larger clusters do not have to be more."""
    references = [f"reference number {i} of this set" for i in range(100)]
    examples = [
        {"id": f"i{i}", "references": [each], "tags": {"document_id": f"d{i // 5}"}}
        for i, each in enumerate(references)
    ]
    outputs = [{"id": f"i{i}", "output": text} for i, text in enumerate(references)]
    same = assay.score(outputs, examples=examples, metrics="rouge1")
    remarks = assay.check(same, same, {"rouge1": 5}).remarks
    assert any("requires at least 59 clusters (here 20)" in each for each in remarks)
