"""Compiled and interpreted kernels return the same values for any text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics._kernels import bags, chrf, corpus, grams, lanes, rouge, sari, spread, streams, ter
from assay.metrics.engine.bags import lay
from assay.stats.resample import Resamples
from assay.text._kernels import compiled, cut, edits, lcs, pieces, porter, words
from assay.text.tokenize import RULES
from tests.support import TEXT, WORDY, interpreted

SOURCE = Path(__file__).parents[3] / "src" / "assay"
TEXTS = st.lists(st.one_of(TEXT, WORDY), min_size=6, max_size=6)


def test_every_kernel_is_listed() -> None:
    known = {name.rpartition(".")[2] for name in compiled()}
    assert known == {path.stem for path in SOURCE.glob("*/_kernels/[a-z]*.py")}


@given(texts=TEXTS, name=st.sampled_from(sorted(set(RULES) - {"intl", "zh", "ja-mecab", "ko-mecab"})))
def test_reading(texts: list[str], name: str) -> None:
    rule = RULES[name]
    ours, theirs = words.Vocabulary(), interpreted("words").Vocabulary()
    for vocabulary_call in ("read", "read_lines"):
        fast = getattr(ours, vocabulary_call)(texts, rule.kernel, True, rule.beyond)
        slow = getattr(theirs, vocabulary_call)(texts, rule.kernel, True, rule.beyond)
        a: Any
        for a, b in zip(fast, slow, strict=True):
            assert np.array_equal(a, b)
    assert ours.words() == theirs.words()
    for spaces in (True, False):
        for a, b in zip(cut.characters(texts, spaces), interpreted("cut").characters(texts, spaces), strict=True):
            assert np.array_equal(a, b)


def laid_out(texts: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return two items, with one and two references, in the layout of the kernels."""
    vocabulary = words.Vocabulary()
    ids, starts = vocabulary.read([*texts, texts[0]], cut.SPACES)
    return ids, starts, np.array([0, 1, 3], dtype=np.int64), len(vocabulary)


@settings(max_examples=40)
@given(texts=TEXTS)
def test_counting(texts: list[str]) -> None:
    ids, starts, first, size = laid_out(texts)
    pairs = np.array([0, 1, 1], dtype=np.int64), np.array([2, 3, 4], dtype=np.int64)
    marks = np.arange(-2, len(starts) - 3, dtype=np.int32)
    both = (ids, starts, ids, starts, first, (6, 2), 2.0, False)
    calls: list[tuple[str, str, Any, tuple[Any, ...]]] = [
        ("grams", "bleu", grams.bleu, (ids, starts, first, 4)),
        ("chrf", "chrf", chrf.chrf, both),
        ("sari", "sari", sari.sari, (ids, starts, first, 4)),
        ("grams", "matches", grams.matches, (ids, starts, *pairs, 4)),
        ("grams", "recall", grams.recall, (ids, starts, first, 2)),
        ("grams", "novel", grams.novel, (ids, starts, first, 3)),
        ("grams", "fragments", grams.fragments, (ids, starts, *pairs)),
        ("ter", "ter", ter.ter, (ids, starts, first)),
        ("edits", "levenshtein", edits.levenshtein, (ids, starts, *pairs, size)),
        ("pieces", "pieced", pieces.pieced, (ids, starts[:-1][::-1].copy(), np.diff(starts)[::-1].copy(), marks)),
        ("lcs", "common", lcs.common, (ids, starts, *pairs, size)),
        ("lcs", "weighted", lcs.weighted, (ids, starts, *pairs, 1.2)),
        ("rouge", "count_pairs", rouge.count_pairs, (ids, starts, np.array([0, 1, 2, 4, 5, 6, 7]), *pairs, size)),
    ]
    for kernel, name, fast, arguments in calls:
        slow = getattr(interpreted(kernel), name)
        assert np.array_equal(fast(*arguments), slow(*arguments)), name


@pytest.mark.slow
@settings(max_examples=40)
@given(texts=TEXTS, seed=st.integers(0, 10))
def test_corpus_counting(texts: list[str], seed: int) -> None:
    ids, starts, first, size = laid_out(texts)
    slow_bags, slow_lanes, slow_corpus = interpreted("bags"), interpreted("lanes"), interpreted("corpus")
    types, slow_types = ids.copy(), ids.copy()
    prefix = np.zeros(max(size, 1), dtype=np.int32)
    random = np.random.default_rng(seed)
    laid = lay(Resamples(random.integers(-1, len(starts) - 1, size=(70, 12)), len(starts) - 1))[:3]
    below = np.array([starts[5] - starts[2]], dtype=np.int64)
    lengths = np.diff(starts)
    for order in (1, 2, 3):
        if order > 1:
            prefix = bags.extend(types, ids, starts, order)
            assert np.array_equal(prefix, slow_bags.extend(slow_types, ids, starts, order))
            assert np.array_equal(types, slow_types)
            size = len(prefix)
        bag = bags.gather(types, starts, size, order < 3)
        slow_bag = slow_bags.gather(types, starts, size, order < 3)
        a: Any
        for a, b in zip(bag, slow_bag, strict=True):
            assert np.array_equal(a, b)
        assert np.array_equal(lanes.fold(*bag, *laid), slow_lanes.fold(*bag, *laid))
        if not size:
            break
        information, counts = corpus.information(types, starts, first, size, prefix, below)
        slow_information, slow_counts = slow_corpus.information(types, starts, first, size, prefix, below)
        assert np.array_equal(counts, slow_counts)
        assert information == pytest.approx(slow_information, rel=1e-14)
        below = counts
        cider = (types, starts, first, size, True, 6.0, lengths)
        assert corpus.consensus(*cider) == pytest.approx(slow_corpus.consensus(*cider), rel=1e-14)
        assert np.array_equal(corpus.others(types, starts, size), slow_corpus.others(types, starts, size))
    indices = np.array([[0, 1, 2, 3], [3, 3, 0, 0]], dtype=np.int64)
    stream = (ids, starts, indices, 3, len(ids) + 7)
    assert np.array_equal(streams.segments(*stream), interpreted("streams").segments(*stream))


@settings(max_examples=40, deadline=None)
@given(texts=TEXTS, hands=st.integers(1, 5))
def test_counting_on_disk(texts: list[str], hands: int) -> None:
    ids, starts, first, _ = laid_out(texts)
    twin = interpreted("spread")
    labels = np.array([-1, -1, 0, 1, 1, 2, 3][: len(starts) - 1], dtype=np.int32)
    dealt = spread.deal(ids.astype(np.uint32), ids, starts, labels, 2, hands)
    a: Any
    for a, b in zip(dealt, twin.deal(ids.astype(np.uint32), ids, starts, labels, 2, hands), strict=True):
        assert np.array_equal(a, b)
    pairs, owners, places, _ = dealt
    numbers, kinds = spread.number(pairs)
    slow, slow_kinds = twin.number(pairs)
    assert np.array_equal(numbers, slow)
    assert kinds == slow_kinds
    item_counts = spread.holders(numbers, owners, kinds)
    assert np.array_equal(item_counts, twin.holders(numbers, owners, kinds))
    at = np.full(len(ids), spread.NONE, dtype=np.uint32)
    counts = np.zeros(len(ids), dtype=np.int32)
    at[places], counts[places] = numbers, item_counts[numbers]
    more = counts.astype(np.int64)
    nist = (at, more, more + 3, starts, first, 512)
    assert spread.information(*nist) == pytest.approx(twin.information(*nist), rel=1e-14)
    cider = (at, counts, starts, first, 512, 4, True, 6.0, np.diff(starts))
    assert spread.consensus(*cider) == pytest.approx(twin.consensus(*cider), rel=1e-14)
    for kernel, few, summary in ((each, np.zeros(256, np.int64), np.zeros(6)) for each in (spread, twin)):
        kernel.summarise(item_counts, item_counts, few, summary)
        kernel.add_large(np.arange(256, 260), np.ones(4, np.int32), summary)
        assert few.sum() == kinds
        assert summary[1] == 4.0


@given(word=st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=14))
def test_stems(word: str) -> None:
    assert porter.stem(word) == interpreted("porter").stem(word)
