"""Two crossed cluster fields."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.errors import AssayError

WORDS = "the a cat dog sat ran on mat in house tree big".split()


def crossed(seed: int, shift: float = 0.0) -> tuple[assay.Result, assay.Result]:
    """Twenty documents by twelve prompts; a document and a prompt each make an item easy or hard for one system."""
    chance = np.random.default_rng(seed)
    of_document, of_prompt = chance.normal(0, 0.15, (2, 20)), chance.normal(0, 0.15, (2, 12))
    examples, texts = [], ([], [])  # type: ignore[var-annotated]
    for d in range(20):
        for p in range(12):
            words = list(chance.choice(WORDS, 20))
            examples.append(
                {"id": f"{d}-{p}", "references": [" ".join(words)], "tags": {"document": str(d), "prompt": str(p)}}
            )
            for side in range(2):
                wrong = 0.4 + of_document[side, d] + of_prompt[side, p] + shift * side
                texts[side].append(" ".join(np.where(chance.random(20) < wrong, "x", words)))
    ids = [str(example["id"]) for example in examples]
    a, b = (
        assay.score(dict(zip(ids, side, strict=True)), examples=examples, metrics="rouge1,vocab-1") for side in texts
    )
    return a, b


def test_two_kinds_of_clusters_keep_the_level_where_one_does_not() -> None:
    rejected = {"document": 0, "document,prompt": 0}
    for seed in range(80):
        a, b = crossed(seed)
        for cluster in rejected:
            row = assay.compare(a, b, cluster=cluster, samples=199)["rouge1"]
            rejected[cluster] += (row.p or 0) < 0.05
    assert rejected["document,prompt"] <= 10  # 4 are expected
    assert rejected["document"] > rejected["document,prompt"]


def test_what_is_said() -> None:
    a, b = crossed(1, 0.3)
    comparison = assay.compare(a, b, cluster="document,prompt")
    row = comparison["rouge1"]
    assert comparison.test == "t test with two-way cluster-robust standard errors, document (20) and prompt (12)"
    assert row.low is not None
    assert row.high is not None
    assert row.low < (row.difference or 0) < row.high < 0
    assert (row.p or 1) < 0.05
    assert "require a metric that is a mean over items" in (comparison["vocab-1"].why or "")
    score = a.with_intervals(100, 0).clustered("document,prompt").scores["rouge1"]
    alone = a.with_intervals(100, 0).scores["rouge1"]
    assert (score.high or 0) - (score.low or 0) > (alone.high or 0) - (alone.low or 0)


def test_what_is_refused() -> None:
    a, b = crossed(2)
    b = replace(b, system="b")
    with pytest.raises(AssayError, match="two cluster fields allow the t test only"):
        assay.compare(a, b, cluster="document,prompt", test="bootstrap")
    with pytest.raises(AssayError, match="without margin or bayes"):
        assay.compare(a, b, cluster="document,prompt", bayes=True)
    for odd in (",", "document,document", "document,", "document,prompt,id"):
        with pytest.raises(AssayError, match="give one field, or two different fields"):
            assay.compare(a, b, cluster=odd)
    for call in (assay.compare_pairs, assay.null_test):
        with pytest.raises(AssayError, match="takes one cluster field"):
            call([a, b], cluster="document,prompt")


def test_where_all_items_differ_by_the_same_t_has_no_value() -> None:
    """Rounding is no spread: it gave p = 1e-47."""
    examples = [
        {"id": str(i), "references": ["a b c"], "tags": {"document": str(i // 4), "prompt": str(i % 4)}}
        for i in range(24)
    ]
    ids = [str(example["id"]) for example in examples]
    a, b = (assay.score(dict.fromkeys(ids, text), examples=examples, metrics="rouge1") for text in ("a b x", "a b c"))
    for how in ({"cluster": "document,prompt"}, {"test": "t"}):
        row = assay.compare(a, b, **how)["rouge1"]  # type: ignore[arg-type]
        assert (row.p, row.better) == (None, None), how
        assert (row.why or "").startswith("no t test: "), how
    assert (assay.compare(a, b)["rouge1"].p or 1) < 0.05
    assert assay.compare(a, a, cluster="document,prompt")["rouge1"].p == 1
