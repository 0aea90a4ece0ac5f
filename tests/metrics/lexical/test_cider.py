"""CIDEr: the test vector of GEM and a plain implementation of the formula."""

from __future__ import annotations

from collections import Counter
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import each, score

FEW = st.lists(st.sampled_from("abcde"), min_size=1, max_size=8).map(" ".join)
CORPUS = st.lists(st.tuples(FEW, st.lists(FEW, min_size=1, max_size=3)), min_size=2, max_size=4)


def plain(corpus: list[tuple[str, list[str]]], clip: bool, sigma: float) -> list[float]:
    def grams(text: str, n: int) -> Counter[tuple[str, ...]]:
        words = text.split()
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    scores = []
    for output, refs in corpus:
        total = 0.0
        for n in (1, 2, 3, 4):
            actual = Counter(gram for _, others in corpus for gram in {g for ref in others for g in grams(ref, n)})

            def vector(
                text: str, n: int = n, actual: Counter[tuple[str, ...]] = actual
            ) -> dict[tuple[str, ...], float]:
                return {g: c * (log(len(corpus)) - log(max(1, actual[g]))) for g, c in grams(text, n).items()}

            mine = vector(output)
            for ref in refs:
                theirs = vector(ref)
                value = sum((min(w, theirs[g]) if clip else w) * theirs[g] for g, w in mine.items() if g in theirs)
                norms = sqrt(sum(w * w for w in mine.values())) * sqrt(sum(w * w for w in theirs.values()))
                gap = max(len(output.split()) - 1, 0) - max(len(ref.split()) - 1, 0)
                penalty = exp(-(gap**2) / (2 * sigma**2)) if sigma else 1.0
                total += (value / norms if norms else 0.0) * penalty / len(refs)
        scores.append(10 * total / 4)
    return scores


@given(CORPUS)
def test_plain_counting(corpus: list[tuple[str, list[str]]]) -> None:
    outputs, references = [output for output, _ in corpus], [refs for _, refs in corpus]
    assert each("cider", outputs, references)["cider"] == pytest.approx(plain(corpus, True, 6.0), abs=1e-9)
    assert each("cider:plain", outputs, references)["cider"] == pytest.approx(plain(corpus, False, 0.0), abs=1e-9)


def test_vectors() -> None:
    from tests.conftest import OUTPUTS, REFERENCES

    assert score("cider", OUTPUTS, REFERENCES)["cider"] == pytest.approx(1.89, abs=5e-3)
    assert score("cider", REFERENCES, REFERENCES)["cider"] == pytest.approx(10)


def test_one_item_has_no_document_frequencies() -> None:
    assert np.isnan(score("cider", ["a b"], ["a b"])["cider"])
