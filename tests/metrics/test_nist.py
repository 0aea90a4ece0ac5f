"""NIST: GEM's vector, hand-computable ones, and a plain implementation."""

from __future__ import annotations

from collections import Counter
from math import exp, log, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import each, score

FEW = st.lists(st.sampled_from("abcde"), min_size=1, max_size=10).map(" ".join)
CORPUS = st.lists(st.tuples(FEW, st.lists(FEW, min_size=1, max_size=3)), min_size=1, max_size=4)


def plain(corpus: list[tuple[str, list[str]]], order: int) -> float:
    def grams(text: str, n: int) -> Counter[tuple[str, ...]]:
        words = text.split()
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    counts: list[Counter[tuple[str, ...]]] = [
        Counter({(): sum(len(ref.split()) for _, refs in corpus for ref in refs)})
    ]
    for n in range(1, order + 1):
        counts.append(sum((grams(ref, n) for _, refs in corpus for ref in refs), Counter()))
    value = 0.0
    for n in range(1, order + 1):
        total = sum(len(output.split()) - n + 1 for output, _ in corpus)
        gained = 0.0
        for output, refs in corpus:
            best: Counter[tuple[str, ...]] = Counter()
            for ref in refs:
                best |= grams(ref, n)
            for gram, count in (grams(output, n) & best).items():
                gained += count * log2(counts[n - 1][gram[:-1]] / counts[n][gram])
        value += gained / total if total > 0 else 0.0
    ratio = sum(len(o.split()) for o, _ in corpus) / sum(sum(len(r.split()) for r in rs) / len(rs) for _, rs in corpus)
    beta = -log(0.5) / log(1.5) ** 2
    return value * (1.0 if ratio >= 1 else exp(-beta * log(ratio) ** 2))


@given(CORPUS)
def test_plain_counting(corpus: list[tuple[str, list[str]]]) -> None:
    outputs, references = [output for output, _ in corpus], [refs for _, refs in corpus]
    assert score("nist", outputs, references)["nist"] == pytest.approx(plain(corpus, 5), abs=1e-12)


def test_vectors() -> None:
    from conftest import OUTPUTS, REFERENCES

    assert score("nist", OUTPUTS, REFERENCES)["nist"] == pytest.approx(2.949, abs=5e-4)
    two = ["un test simple", "un test super simple"]
    assert score("nist:order=1", ["un test pas trop simple"], [two])["nist"] == pytest.approx(3 * log2(7 / 2) / 5)
    one = score("nist", ["un test pas trop simple"], ["un test simple"])["nist"]
    assert one == pytest.approx(0.950978, abs=1e-6)


def test_single_items_keep_the_weights_of_the_set() -> None:
    from conftest import OUTPUTS, REFERENCES

    assert len(each("nist", OUTPUTS, REFERENCES)["nist"]) == 3
