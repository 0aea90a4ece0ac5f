"""ROUGE-3, -4, -W, -S and -SU by the examples of Lin (2004) and by plain counting."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from tests.support import each, score

FEW = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)


@given(FEW, FEW)
def test_longer_ngrams(output: str, reference: str) -> None:
    theirs = RougeScorer(["rouge3", "rouge4"]).score(reference, output)
    ours = each("rouge_more", [output], [reference])
    for name in ("rouge3", "rouge4"):
        assert ours[name][0] == theirs[name].fmeasure
        assert ours[f"{name}.recall"][0] == theirs[name].recall


def test_weighted_subsequence_prefers_runs() -> None:
    """The example of Lin (2004), squared: consecutive matches count more than scattered ones."""
    reference = "a b c d e f g"
    assert score("rouge_more:weight=2", ["a b c d h i k"], [reference])["rougeW"] == pytest.approx(4 / 7)
    assert score("rouge_more:weight=2", ["a h b k c i d"], [reference])["rougeW"] == pytest.approx(2 / 7)


@pytest.mark.parametrize(
    ("output", "expected"),
    [("police kill the gunman", 0.5), ("the gunman kill police", 1 / 6), ("the gunman police killed", 1 / 3)],
)
def test_skip_bigrams_of_the_paper(output: str, expected: float) -> None:
    assert score("rouge_more:gap=-1", [output], ["police killed the gunman"])["rougeS"] == pytest.approx(expected)


@given(FEW, FEW, st.integers(0, 3))
def test_skip_bigrams_by_counting(output: str, reference: str, gap: int) -> None:
    def pairs(text: str) -> Counter[tuple[str, str]]:
        words = list(enumerate(text.split()))
        return Counter((a, b) for (i, a), (j, b) in combinations(words, 2) if j - i - 1 <= gap)

    mine, theirs = pairs(output), pairs(reference)
    shared = sum((mine & theirs).values())
    actual = each(f"rouge_more:gap={gap}", [output], [reference])
    assert actual["rougeS.precision"][0] == pytest.approx(shared / max(sum(mine.values()), 1))
    assert actual["rougeS.recall"][0] == pytest.approx(shared / max(sum(theirs.values()), 1))


def test_named_by_part() -> None:
    from assay.metrics import resolve

    (request,) = resolve("rougeW")
    assert request.metric.name == "rouge_more"
