"""NIST: a plain implementation of mteval-v13a, values computed by hand, and the test vector of GEM."""

from __future__ import annotations

from collections import Counter
from math import exp, log, log2
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import resolve, resolve_suite
from tests.support import each, score

Corpus = list[tuple[str, list[str]]]
FEW = st.lists(st.sampled_from("abcde"), max_size=10).map(" ".join)
CORPUS = st.lists(st.tuples(FEW, st.lists(FEW, min_size=1, max_size=3)), min_size=1, max_size=4)


def grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def penalty(ratio: float) -> float:
    """Return the length penalty: one half at two thirds of the length."""
    if ratio <= 0 or ratio >= 1:
        return float(ratio >= 1)
    return exp(log(0.5) * (log(ratio) / log(1.5)) ** 2)


def mteval(corpus: Corpus, order: int = 5) -> float:
    """Return NIST as in mteval-v13a: weights from the words of all references; a segment too short for an n-gram has
    none; an order without n-grams is divided by 1; lengths are compared with the mean reference length."""
    all_references = [reference for _, references in corpus for reference in references]
    seen: Counter[tuple[str, ...]] = Counter()
    for n in range(1, order + 1):
        for reference in all_references:
            seen.update(grams(reference, n))
    seen[()] = sum(len(reference.split()) for reference in all_references)
    score = 0.0
    for n in range(1, order + 1):
        gained, count = 0.0, 0
        for output, references in corpus:
            own = grams(output, n)
            count += sum(own.values())
            for gram, times in own.items():
                matched = min(times, max(grams(reference, n)[gram] for reference in references))
                if matched:
                    gained -= matched * log2(seen[gram] / seen[gram[:-1]])
        score += gained / max(count, 1)
    words = sum(len(output.split()) for output, _ in corpus)
    length = sum(sum(len(text.split()) for text in references) / len(references) for _, references in corpus)
    return score * (penalty(words / length) if length else 0.0)


def synthetic(seed: int) -> Corpus:
    """Return a few synthetic items with one to four references; a third of the outputs have at most four words."""
    draw = Random(seed)
    words = "the a cat dog sat ran on mat big 0 10 .".split()

    def text(most: int) -> str:
        return " ".join(draw.choices(words, k=draw.randint(0, most)))

    count = draw.randint(1, 4)
    corpus = []
    for _ in range(draw.randint(1, 12)):
        references = [text(14) for _ in range(count)]
        copied = " ".join(draw.choice(references).split()[: draw.randint(0, 12)])
        corpus.append((draw.choice([text(14), text(4), copied]), references))
    return corpus


def test_three_hundred_synthetic_sets_score_as_in_mteval() -> None:
    short = 0
    for seed in range(300):
        corpus = synthetic(seed)
        outputs, references = [output for output, _ in corpus], [texts for _, texts in corpus]
        short += any(len(output.split()) < 5 for output in outputs)
        assert score("nist", outputs, references)["nist"] == pytest.approx(mteval(corpus), abs=1e-12), seed
        assert score("nist:order=2", outputs, references)["nist"] == pytest.approx(mteval(corpus, 2), abs=1e-12), seed
    assert short > 200


def test_wrong_short_outputs_lower_it() -> None:
    """Negative counts of longer n-grams in the denominator would raise NIST with each of them."""
    right = ["we saw it on the red mat", "we saw it on the old bench", "we saw it on the far hill"]
    added = [*right, "dog", "dog"], [*right, "a cat", "a cat"]
    assert score("nist:gem", *added)["nist"] == pytest.approx(5.8418, abs=5e-5)
    assert score("nist", right, right)["nist"] == pytest.approx(4.7659, abs=5e-5)
    assert score("nist", *added)["nist"] == pytest.approx(4.5760, abs=5e-5)


def test_an_empty_output_has_no_words() -> None:
    texts, references = ["the cat sat on the mat .", ""], ["the cat sat on the mat .", "a dog"]
    assert score("nist", ["", ""], references)["nist"] == 0
    corpus = [(text, [reference]) for text, reference in zip(texts, references, strict=True)]
    assert score("nist", texts, references)["nist"] == pytest.approx(mteval(corpus))
    assert each("nist", texts, references)["nist"][1] == 0


def plain_gem(corpus: Corpus, order: int = 5) -> float:
    """Return NIST as in the port of GEM: an empty text is one empty word, k words have k - n + 1 n-grams."""
    all_references = [[text or "EMPTY" for text in references] for _, references in corpus]
    filled = [output or "EMPTY" for output, _ in corpus]
    counts: list[Counter[tuple[str, ...]]] = [
        Counter({(): sum(len(ref.split()) for refs in all_references for ref in refs)})
    ]
    for n in range(1, order + 1):
        counts.append(sum((grams(ref, n) for refs in all_references for ref in refs), Counter()))
    value = 0.0
    for n in range(1, order + 1):
        total = sum(len(output.split()) - n + 1 for output in filled)
        gained = 0.0
        for output, refs in zip(filled, all_references, strict=True):
            best: Counter[tuple[str, ...]] = Counter()
            for ref in refs:
                best |= grams(ref, n)
            for gram, count in (grams(output, n) & best).items():
                gained += count * log2(counts[n - 1][gram[:-1]] / counts[n][gram])
        value += gained / total if total > 0 else 0.0
    lengths = (sum(len(ref.split()) for ref in refs) / len(refs) for refs in all_references)
    return value * penalty(sum(len(output.split()) for output in filled) / sum(lengths))


@given(CORPUS)
def test_the_port_of_gem_has_negative_counts(corpus: Corpus) -> None:
    outputs, references = [output for output, _ in corpus], [refs for _, refs in corpus]
    assert score("nist:gem", outputs, references)["nist"] == pytest.approx(plain_gem(corpus), abs=1e-12)
    if all(len(output.split()) >= 5 and all(refs) for output, refs in corpus):
        assert score("nist", outputs, references) == score("nist:gem", outputs, references)


def test_gem_vector() -> None:
    (request,) = (request for request in resolve_suite("gem-light") if request.metric.name == "nist")
    assert request.metric == resolve("nist:gem")[0].metric


def test_vectors() -> None:
    from tests.conftest import OUTPUTS, REFERENCES

    for spec in ("nist", "nist:gem"):
        assert score(spec, OUTPUTS, REFERENCES)["nist"] == pytest.approx(2.949, abs=5e-4)
    two = ["un test simple", "un test super simple"]
    assert score("nist:order=1", ["un test pas trop simple"], [two])["nist"] == pytest.approx(3 * log2(7 / 2) / 5)
    one = score("nist", ["un test pas trop simple"], ["un test simple"])["nist"]
    assert one == pytest.approx(0.950978, abs=1e-6)


def test_single_items_keep_the_weights_of_the_set() -> None:
    from tests.conftest import OUTPUTS, REFERENCES

    assert len(each("nist", OUTPUTS, REFERENCES)["nist"]) == 3
