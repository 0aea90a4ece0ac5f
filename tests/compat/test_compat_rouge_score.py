"""`assay.compat.rouge_score` against the original, on its own examples and on any text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer as theirs
from rouge_score import scoring as their_scoring

from assay.compat.rouge_score import rouge_scorer, scoring
from tests.support import TEXT

KINDS = ["rouge1", "rouge2", "rouge3", "rouge9", "rougeL", "rougeLsum"]
FOX = ("The quick brown fox jumps over the lazy dog", "The quick brown dog jumps on the log.")
LINES = st.text(alphabet="abc \n.", max_size=60)


def test_the_example_of_its_readme() -> None:
    ours = rouge_scorer.RougeScorer(["rouge1", "rougeL"], use_stemmer=True).score(*FOX)
    assert ours == theirs.RougeScorer(["rouge1", "rougeL"], use_stemmer=True).score(*FOX)
    precision, recall, fmeasure = ours["rouge1"]
    assert (precision, recall) == (0.75, 6 / 9)
    assert ours["rouge1"].fmeasure == fmeasure


@given(target=st.one_of(LINES, TEXT), prediction=st.one_of(LINES, TEXT), stemmer=st.booleans())
def test_any_pair(target: str, prediction: str, stemmer: bool) -> None:
    ours = rouge_scorer.RougeScorer(KINDS, use_stemmer=stemmer).score(target, prediction)
    assert ours == theirs.RougeScorer(KINDS, use_stemmer=stemmer).score(target, prediction)


@given(targets=st.lists(LINES, min_size=1, max_size=4), prediction=LINES)
def test_several_targets(targets: list[str], prediction: str) -> None:
    kinds = ["rouge1", "rouge2", "rougeL"]
    ours = rouge_scorer.RougeScorer(kinds).score_multi(targets, prediction)
    expected = theirs.RougeScorer(kinds).score_multi(targets, prediction)
    assert {name: score.fmeasure for name, score in ours.items()} == {n: s.fmeasure for n, s in expected.items()}


class Spaces:
    def tokenize(self, text: str) -> list[str]:
        return text.split()


@given(target=LINES, prediction=LINES)
def test_a_tokenizer_of_ones_own(target: str, prediction: str) -> None:
    ours = rouge_scorer.RougeScorer(KINDS, tokenizer=Spaces()).score(target, prediction)
    assert ours == theirs.RougeScorer(KINDS, tokenizer=Spaces()).score(target, prediction)


def test_many_pairs_at_once_are_each_of_them() -> None:
    scorer = rouge_scorer.RougeScorer(KINDS, use_stemmer=True)
    pairs = [FOX, ("a b\nc", "c\na b"), ("", "x"), FOX[::-1]]
    together = scorer.score_pairs([target for target, _ in pairs], [prediction for _, prediction in pairs])
    for i, (target, prediction) in enumerate(pairs):
        assert {name: tuple(rows[i]) for name, rows in together.items()} == {
            name: tuple(score) for name, score in scorer.score(target, prediction).items()
        }
    with pytest.raises(ValueError, match="1 targets for 2 predictions"):
        scorer.score_pairs(["a"], ["a", "b"])


def test_kinds_that_there_are_not() -> None:
    for made in (rouge_scorer, theirs):
        with pytest.raises(ValueError, match="Invalid rouge type: rougex"):
            made.RougeScorer(["rougex"]).score("a", "a")


def test_the_bootstrap_draws_the_same() -> None:
    scores = np.random.default_rng(3).random((30, 3)).tolist()
    results: list[Any] = []
    for made in (scoring, their_scoring):
        aggregator = made.BootstrapAggregator(confidence_interval=0.9, n_samples=200)
        for row in scores:
            aggregator.add_scores({"rouge1": made.Score(*row)})
        np.random.seed(7)
        results.append(aggregator.aggregate()["rouge1"])
    for ours, original in zip(results[0], results[1], strict=True):
        assert tuple(ours) == pytest.approx(tuple(original), rel=1e-12)


@pytest.mark.parametrize("wrong", [{"confidence_interval": 1.5}, {"n_samples": 0}])
def test_what_the_bootstrap_refuses(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        scoring.BootstrapAggregator(**wrong)  # type: ignore[arg-type]
