"""chrF, chrF+ and chrF++ against sacrebleu."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from assay.metrics import resolve
from tests.conftest import OUTPUTS, REFERENCES
from tests.support import TEXT, WORDY, each, sacrebleus, score, without_version

SENTENCE = st.one_of(WORDY, TEXT)
CORPUS = st.lists(st.tuples(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=3)), min_size=1, max_size=4)
OPTIONS = st.sampled_from(
    [
        ("chrf", {}),
        ("chrf+", {"word_order": 1}),
        ("chrf++", {"word_order": 2}),
        ("chrf:lowercase=true", {"lowercase": True}),
        ("chrf:whitespace=true", {"whitespace": True}),
        ("chrf:char_order=3:beta=1", {"char_order": 3, "beta": 1}),
        ("chrf++:gem", {"word_order": 2, "eps_smoothing": True}),
    ]
)


@settings(max_examples=150)
@given(corpus=CORPUS, options=OPTIONS)
def test_equal_to_sacrebleu(corpus: list[tuple[str, list[str]]], options: tuple[str, dict[str, object]]) -> None:
    outputs, references = [output for output, _ in corpus], [list(refs) for _, refs in corpus]
    theirs = CHRF(**options[1])
    expected = theirs.corpus_score(outputs, [list(stream) for stream in zip_longest(*references)])
    name = options[0].partition(":")[0]
    assert score(options[0], outputs, references)[name] == pytest.approx(expected.score, rel=1e-12, abs=1e-12)
    for output, refs, value in zip(outputs, references, each(options[0], outputs, references)[name], strict=True):
        assert value == pytest.approx(theirs.sentence_score(output, refs).score, rel=1e-12, abs=1e-12)
    theirs.corpus_score(outputs, [list(stream) for stream in zip_longest(*references)])
    nrefs = str(theirs.num_refs) if theirs.num_refs > 0 else "var"
    # in sacrebleu beta is part of the name
    ours = resolve(options[0])[0].metric.signature(nrefs).replace("|beta:1", "")
    assert sacrebleus(ours) == without_version(theirs)


def precision_and_recall(kind: Callable[[str], Sequence[str]], order: int) -> tuple[float, float]:
    """Return precision and recall of n-grams over the toy corpus, by plain counting."""
    matches, made, wanted = 0, 0, 0
    for output, reference in zip(OUTPUTS, REFERENCES, strict=True):
        own, other = (
            Counter(zip(*(kind(text)[i:] for i in range(order)), strict=False)) for text in (output, reference)
        )
        matches, made, wanted = matches + (own & other).total(), made + own.total(), wanted + other.total()
    return matches / made, matches / wanted


@pytest.mark.parametrize(("name", "word_order"), [("chrf", 0), ("chrf+", 1), ("chrf++", 2)])
def test_by_plain_counting(name: str, word_order: int) -> None:
    """chrF is the F-score of mean precision and recall over the orders; that of GEM is the mean F-score."""

    def letters(text: str) -> Sequence[str]:
        return "".join(text.split())

    def words(text: str) -> Sequence[str]:
        return re.findall(r"[^\s.,]+|[.,]", text)

    pairs = [precision_and_recall(letters, n) for n in range(1, 7)]
    pairs += [precision_and_recall(words, n) for n in range(1, word_order + 1)]
    mean_p, mean_r = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    each_f = [5 * p * r / (4 * p + r) for p, r in pairs]
    assert score(name, OUTPUTS, REFERENCES)[name] == pytest.approx(500 * mean_p * mean_r / (4 * mean_p + mean_r))
    assert score(f"{name}:gem", OUTPUTS, REFERENCES)[name] == pytest.approx(100 * sum(each_f) / len(each_f))
    assert score(name, REFERENCES, REFERENCES)[name] == pytest.approx(100)
