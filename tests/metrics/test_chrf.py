"""chrF, chrF+ and chrF++ against sacrebleu."""

from __future__ import annotations

from itertools import zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from assay.metrics import resolve
from support import TEXT, WORDY, each, score

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
    assert resolve(options[0])[0].metric.signature(nrefs) == str(theirs.get_signature())


def test_gem_vectors(gem_corpus: tuple[list[str], list[str]]) -> None:
    outputs, references = gem_corpus
    assert score("chrf", outputs, references)["chrf"] == pytest.approx(63.61553, abs=5e-6)
    assert score("chrf+:gem", outputs, references)["chrf+"] == pytest.approx(63.40982, abs=5e-6)
    assert score("chrf++:gem", outputs, references)["chrf++"] == pytest.approx(60.0482, abs=5e-5)
    assert score("chrf", references, references)["chrf"] == pytest.approx(100)
