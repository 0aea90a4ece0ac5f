"""Sentences about small samples, zero differences and single tests."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.results.comparable import small_samples
from assay.results.sentences import conclusion
from assay.stats.power import design_errors
from assay.stats.validation import UndefinedStatistic


def test_design_errors_agree_with_simulation() -> None:
    """Values of Gelman and Carlin's retrodesign(.1, 3.28): power .05, type S 46 %, exaggeration 77."""
    known = design_errors(0.1, 3.28)
    assert known.power == pytest.approx(0.05, abs=0.0005)
    assert known.type_s == pytest.approx(0.46, abs=0.01)
    assert known.type_m == pytest.approx(77, rel=0.03)
    random = np.random.default_rng(0)
    for effect, critical in ((1.0, 1.96), (2.5, 1.96), (2.5, 2.8)):
        estimates = random.normal(effect, 1, 400_000)
        significant = estimates[np.abs(estimates) > critical]
        errors = design_errors(effect, 1.0, critical)
        assert errors.power == pytest.approx(len(significant) / len(estimates), abs=0.003)
        assert errors.type_s == pytest.approx((significant < 0).mean(), abs=0.003)
        assert errors.type_m == pytest.approx(np.abs(significant).mean() / effect, rel=0.01)
    with pytest.raises(UndefinedStatistic):
        design_errors(0.0, 1.0)


WORDS = "the cat sat on a mat and saw one dog run past it".split()


def compared(n: int, drop: float = 0.2) -> assay.Comparison:
    random = np.random.default_rng(2)
    references = [" ".join(random.choice(WORDS, 9)) for _ in range(n)]
    outputs = {
        name: [" ".join(word for word in text.split() if random.random() > share) for text in references]
        for name, share in (("a", drop), ("b", 0.1))
    }
    results = assay.score_all(outputs, references, metrics="rouge1,chrf")
    return assay.compare(results["a"], results["b"])


def test_a_significant_difference_of_few_items_is_called_overstated() -> None:
    said = conclusion([compared(30)])
    assert "b is significantly better on rouge1" in said
    assert "Significant differences of a small sample are overstated: if chrf really differed by half" in said
    assert "(type M)" in said
    assert "(type S)" in said
    assert "overstated" not in conclusion([compared(30, 0.1)])
    assert "overstated" not in conclusion([compared(120)])


def test_a_few_clusters_of_many_items_are_a_small_sample() -> None:
    ids = [str(i) for i in range(400)]
    references = ["the cat sat on a mat"] * 400
    random = np.random.default_rng(4)
    found = (random.random(20) < 0.5)[np.arange(400) // 20]
    outputs = {"a": ["the cat sat on"] * 400, "b": ["the cat sat on a mat" if good else "the cat" for good in found]}
    examples = [
        {"id": i, "references": [r], "tags": {"doc_id": f"d{int(i) // 20}"}}
        for i, r in zip(ids, references, strict=True)
    ]
    made = {
        name: assay.score(
            [{"id": i, "output": text} for i, text in zip(ids, texts, strict=True)], examples=examples, metrics="rouge1"
        )
        for name, texts in outputs.items()
    }
    comparison = assay.compare(made["a"], made["b"])
    assert comparison["rouge1"].clusters == 20
    assert any(warning.startswith("Small sample (n = 20 clusters): ") for warning in comparison.warnings)
    assert small_samples(list(made.values())) in comparison.warnings
    assert small_samples([made["a"].clustered("none")]) is None
    assert not any("Small sample" in note for note in assay.power(made["a"], made["b"]).notes)


def test_a_difference_that_is_shown_as_zero_is_no_goal() -> None:
    lengths = [30 + i % 7 for i in range(60)]
    others = [length + (3 if i % 2 else -3) - (i == 0) for i, length in enumerate(lengths)]
    texts = {"a": ["w " * length for length in lengths], "b": ["w " * length for length in others]}
    results = assay.score_all(texts, ["x"] * 60, metrics="mean_length")
    comparison = assay.compare(results["a"], results["b"])
    assert comparison["mean_length"].difference == pytest.approx(-1 / 60)
    assert (comparison["mean_length"].items_needed or 0) > 60
    assert "Detecting" not in conclusion([comparison])
    assert "-0.0" not in conclusion([comparison])
