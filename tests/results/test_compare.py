"""Comparison of two systems: differences, paired p-values, and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest
from scipy import stats

import assay
from assay.errors import AssayError
from assay.stats.resample import bootstrap
from assay.store.saved_run import load_run

SAMPLE = Path(assay.__file__).parent / "sample"


def sample(system: str, dataset: str = "places", **options: object) -> assay.Result:
    outputs = SAMPLE / "outputs" / system / f"{dataset}.jsonl"
    return assay.score(outputs, examples=SAMPLE / f"{dataset}.jsonl", **options)  # type: ignore[arg-type]


def test_differences_and_intervals() -> None:
    lead, template = sample("lead"), sample("template")
    comparison = assay.compare(lead, template)
    row = comparison["chrf"]
    assert row.a is not None
    assert row.b is not None
    assert row.difference == pytest.approx(row.b - row.a)
    assert row.low is not None
    assert row.high is not None
    assert row.low < row.b - row.a < row.high
    assert row.floor
    assert row.p is not None
    assert row.p == pytest.approx(1 / 1001)
    assert row.p_adjusted is not None
    assert row.p_adjusted >= row.p
    assert row.better == "b"
    assert row.n == 40


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_the_other_way_round_only_the_sign_changes(test: str) -> None:
    a, b = sample("lead", metrics="rouge,bleu,ngrams,msttr"), sample("copy", metrics="rouge,bleu,ngrams,msttr")
    forth, back = (assay.compare(*pair, test=test, samples=200) for pair in ((a, b), (b, a)))
    for name in forth:
        assert forth[name].difference == pytest.approx(-(back[name].difference or 0)), name
        assert forth[name].p == pytest.approx(back[name].p, abs=0.05), name


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_the_same_system_twice(test: str) -> None:
    result = sample("lead", suite="default")
    for row in assay.compare(result, result, test=test, samples=100).values():
        assert row.difference == 0
        assert row.p == 1
        assert (row.low, row.better) == (None, None)
        assert "no interval" in (row.why or "")


def sacrebleu_p(kind: str) -> dict[str, float | None]:
    systems: list[tuple[str, Sequence[str]]] = [(name, _texts(name)) for name in ("copy", "lead")]
    scorers = {"BLEU": sacrebleu.BLEU(), "ChrF": sacrebleu.CHRF()}
    found: dict[str, Any] = PairedTest(systems, scorers, _streams(), test_type=kind, n_samples=2000)()[1]
    return {label.lower()[:4]: rows[1].p_value for label, rows in found.items() if label != "System"}


def test_permutation_is_sacrebleus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    a, b = (sample(system, metrics="bleu,chrf") for system in ("copy", "lead"))
    ours = assay.compare(a, b, test="permutation", samples=2000, seed=12345)
    for name, p in sacrebleu_p("ar").items():
        assert ours[name].p == pytest.approx(p, abs=0.03), name


def test_bootstrap_draws_are_sacrebleus(monkeypatch: pytest.MonkeyPatch) -> None:
    """The draws are the same. The p-value is not: sacrebleu takes absolute differences before it centres them,
    which is not the two-sided p that ours is (see tests/stats/test_paired.py for that)."""
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    a, b = (sample(system, metrics="bleu,chrf") for system in ("copy", "lead"))
    for name, p in sacrebleu_p("bs").items():
        drawn = [result.fold(bootstrap(result.n, 2000, 12345))[name] for result in (a, b)]
        gaps = np.abs(drawn[1] - drawn[0])
        extreme = int((gaps - gaps.mean() > abs(b.values[name] - a.values[name])).sum())
        assert (extreme + 1) / 2001 == pytest.approx(p, abs=1 / 2001), name


def _texts(system: str) -> list[str]:
    from assay.records import read_outputs

    return [output.output for output in read_outputs(SAMPLE / f"outputs/{system}/places.jsonl").outputs]


def _streams() -> list[list[str]]:
    from assay.records import read_examples

    references = [example.references for example in read_examples(SAMPLE / "places.jsonl").examples]
    return [[(texts * 3)[i] for texts in references] for i in range(3)]  # repeating a reference changes nothing


def test_items_that_differ_are_said() -> None:
    whole = sample("lead", metrics="bleu")
    comparison = assay.compare(whole.subset("language=en"), sample("copy", metrics="bleu"))
    assert comparison["bleu"].n == 30
    assert any("compared on the 30 items that both have (lead has 30, copy has 40)" in w for w in comparison.warnings)
    with pytest.raises(AssayError, match="no item in common"):
        assay.compare(whole, sample("lead", "news", metrics="bleu"))


def test_order_of_items_does_not_matter() -> None:
    a = assay.score({"1": "x y", "2": "z"}, {"1": "x y", "2": "w"}, metrics="rouge1")
    b = assay.score({"2": "w", "1": "x"}, {"2": "w", "1": "x y"}, metrics="rouge1")
    row = assay.compare(a, b)["rouge1"]
    assert (row.a, row.n) == (0.5, 2)
    assert row.b == pytest.approx((1 + 2 / 3) / 2)


def test_different_signatures_are_said() -> None:
    comparison = assay.compare(sample("lead", metrics="rouge1"), sample("copy", metrics="rouge1:stemmer=true"))
    assert any("signatures differ" in warning for warning in comparison.warnings)


def test_different_references_are_said() -> None:
    a = assay.score(["a b"] * 3, ["a b"] * 3, metrics="rouge1")
    b = assay.score(["a b"] * 3, ["a c"] * 3, metrics="rouge1")
    assert any("Not scored against the same references (3 of 3 items)" in w for w in assay.compare(a, b).warnings)


def test_nothing_in_common() -> None:
    with pytest.raises(AssayError, match=r"no metric in common\. Score both with the same --metrics"):
        assay.compare(sample("lead", metrics="bleu"), sample("copy", metrics="chrf"))
    bare = [assay.score(["a b", "c"], metrics="bleu") for _ in range(2)]
    with pytest.raises(AssayError, match=r"no metric in common \(bleu: needs references, and none were given\)"):
        assay.compare(*bare)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_tests_on_single_items(test: str) -> None:
    a, b = sample("lead", metrics="rouge1,msttr"), sample("template", metrics="rouge1,msttr")
    comparison = assay.compare(a, b, test=test)
    values = [result.per_example["rouge1"].to_numpy() for result in (a, b)]
    if test == "t":
        expected = stats.ttest_rel(*values).pvalue
    elif test == "wilcoxon":
        expected = stats.wilcoxon(*np.round(values, 12), method="approx").pvalue
    else:
        up, down = int((values[1] > values[0]).sum()), int((values[1] < values[0]).sum())
        expected = stats.binomtest(up, up + down).pvalue
    assert comparison["rouge1"].p == pytest.approx(expected, rel=0.02)
    assert comparison["msttr"].p is None
    assert "no score of single items" in (comparison["msttr"].why or "")


def test_small_sets_are_permuted_exactly() -> None:
    a = assay.score(["x y"] * 5, ["x y", "x", "y z", "w", "x y"], metrics="rouge1")
    b = assay.score(["x z"] * 5, ["x y", "x", "y z", "w", "x y"], metrics="rouge1")
    comparison = assay.compare(a, b, test="permutation")
    values = [result.per_example["rouge1"].to_numpy() for result in (a, b)]
    expected = stats.permutation_test(
        values, lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert comparison.test == "paired permutation test, all 32 permutations"
    assert comparison["rouge1"].p == pytest.approx(expected)


def test_clusters_widen_the_interval() -> None:
    """Four copies of each item are no more evidence than one."""
    texts = [f"w{i % 7} w{i % 5} w{i % 3}" for i in range(25) for _ in range(4)]
    references = [f"w{i % 7} w{i % 5} w{(i * i) % 3}" for i in range(25) for _ in range(4)]
    examples = [
        {"id": str(i), "references": [reference], "tags": {"document": str(i // 4)}}
        for i, reference in enumerate(references)
    ]
    outputs = {str(i): text for i, text in enumerate(texts)}
    other = {str(i): "w1 w1 w1" for i in range(100)}
    a, b = (assay.score(data, examples=examples, metrics="rouge1,ngrams,msttr") for data in (outputs, other))
    alone, together = assay.compare(a, b, cluster="none"), assay.compare(a, b, cluster="document")

    def width(comparison: Any) -> float:
        return float(comparison["rouge1"].high - comparison["rouge1"].low)

    assert width(together) == pytest.approx(2 * width(alone), rel=0.2)
    assert "clustered by document (25 clusters)" in together.test
    with pytest.raises(AssayError, match=r"The wilcoxon test assumes independent items, .*--cluster none"):
        assay.compare(a, b, test="wilcoxon")
    by_t = assay.compare(a, b, test="t", cluster="document")
    assert width(by_t) == pytest.approx(width(together), rel=0.2)


def test_corrections() -> None:
    a, b = sample("lead"), sample("template")
    strict, mild = (assay.compare(a, b, correction=name) for name in ("holm", "bh"))
    assert all((strict[name].p_adjusted or 0) >= (mild[name].p_adjusted or 0) - 1e-12 for name in strict)


def test_a_stored_run_and_a_fresh_result_are_judged_against_the_same(tmp_path: Path) -> None:
    texts = ["a b", "c d", "e f"]
    assay.score(texts, texts, metrics="rouge1", save=tmp_path / "run")
    stored = load_run(tmp_path / "run")
    same = assay.score(["a", "c", "e"], texts, metrics="rouge1")
    other = assay.score(["a", "c", "e"], ["a b", "c d", "x"], metrics="rouge1")
    for pair in ((stored, same), (same, stored)):
        assert not any("same references" in warning for warning in assay.compare(*pair).warnings)
    for pair in ((stored, other), (other, stored), (same, other)):
        assert any("same references" in warning for warning in assay.compare(*pair).warnings)
    assert str(same.digest) == stored.digest
    assert hash(same.digest) == hash(stored.digest)


def test_few_items_are_not_bootstrapped() -> None:
    """A bootstrap of five items rejects a true null in one case of six; all permutations of five never do at 5 %."""
    one = assay.score(["the cat sat"], ["the cat sat"], metrics="rouge1")
    other = assay.score(["a dog ran"], ["the cat sat"], metrics="rouge1")
    row = assay.compare(one, other)["rouge1"]
    assert (row.difference, row.low, row.high, row.p) == (-1.0, None, None, 1.0)
    chance = np.random.default_rng(0)
    words = np.array(["the", "cat", "sat", "on", "a", "mat"])
    references = [" ".join(chance.choice(words, 5)) for _ in range(5)]
    first, second = ([" ".join(chance.choice(words, 5)) for _ in range(5)] for _ in range(2))
    comparison = assay.compare(*(assay.score(texts, references, metrics="rouge1,bleu") for texts in (first, second)))
    assert comparison.test == "paired permutation test, all 32 permutations"
    assert all(row.p is None or row.p >= 2 / 32 for row in comparison.values())
    assert all("no interval: 5 items" in (row.why or "") for row in comparison.values())


def test_calls_that_make_no_sense() -> None:
    lead = sample("lead", metrics="rouge1")
    for wrong, why in (
        (lambda: assay.score(["a"], ["a"], ci=5), "at least 20 resamples"),
        (lambda: assay.score(["a"], ["a"], ci=-5), "at least 20 resamples"),
        (lambda: assay.score(["a"], ["a"], workers=0), "at least one process"),
        (lambda: assay.score_all({}, ["a"]), "give the systems by name"),
        (lambda: assay.score_all([["a"]], ["a"]), "give the systems by name"),  # type: ignore[arg-type]
        (lambda: assay.compare(lead, lead, samples=0), "at least 20 resamples"),
        (lambda: assay.compare(lead, ["a"]), "expected results of assay.score, not list"),  # type: ignore[arg-type]
    ):
        with pytest.raises(AssayError, match=why):
            wrong()


def test_losses_that_may_be_absent_are_warned_of() -> None:
    """Every item gains a little: a few whole outputs that fail, absent from the sample, would make up for it."""
    references = [f"one{i} two{i} three{i} four{i} five{i} six{i} seven{i} eight{i}" for i in range(60)]
    slight = [text.replace("six", "sixx") if i % 3 == 0 else text for i, text in enumerate(references)]
    bad = [f"one{i}" for i in range(60)]
    results = assay.score_all({"slight": slight, "full": references, "bad": bad}, references, metrics="rouge1")
    little = assay.compare(results["slight"], results["full"])
    assert (little["rouge1"].p or 1) < 0.05
    assert any("rouge1: none of 60 items contradicts the difference" in each for each in little.warnings)
    marked = assay.table(results).sets[0]
    assert [marked.verdict("rouge1", name) for name in ("slight", "full", "bad")] == ["behind", "best", "behind"]
    warned = [each for each in marked.warnings if "contradicts" in each]
    assert len(warned) == 1
    assert "contradicts the difference of slight from the best" in warned[0]
    assert assay.compare_pairs(list(results.values())).warnings == tuple(warned)
    much = assay.compare(results["bad"], results["full"])
    assert not any("contradicts" in each for each in much.warnings)
