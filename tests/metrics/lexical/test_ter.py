"""TER equals sacrebleu, including block shifts and beam."""

from __future__ import annotations

from itertools import zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER

from assay.metrics import resolve
from tests.support import WORDY, each, sacrebleus, score, without_version

PIECES = st.sampled_from(["a", "Ann's", "'s", ".", ",", "7", "-", "&amp;", "lt;", " ", "\n", "(", "中", "カ", "、"])
APOSTROPHES = st.lists(PIECES, max_size=12).map("".join)
FEW = st.lists(st.sampled_from("a b c d".split()), max_size=24).map(" ".join)
CORPUS = st.lists(st.tuples(FEW, st.lists(FEW, min_size=1, max_size=2)), min_size=1, max_size=3)
OPTIONS = st.sampled_from(
    [
        ("ter", {}),
        ("ter:case_sensitive=true", {"case_sensitive": True}),
        ("ter:sacrebleu", {"normalized": True}),
        ("ter:no_punct=true", {"no_punct": True}),
        ("ter:no_punct=true:asian_support=true", {"no_punct": True, "asian_support": True}),
        (
            "ter:sacrebleu:no_punct=true:asian_support=true",
            {"normalized": True, "no_punct": True, "asian_support": True},
        ),
    ]
)


@settings(max_examples=100)
@given(corpus=CORPUS)
def test_shifts(corpus: list[tuple[str, list[str]]]) -> None:
    outputs, references = [output for output, _ in corpus], [list(refs) for _, refs in corpus]
    expected = TER().corpus_score(outputs, [list(stream) for stream in zip_longest(*references)]).score
    assert score("ter", outputs, references)["ter"] == pytest.approx(expected, rel=1e-12)


@settings(max_examples=400)
@given(output=WORDY | APOSTROPHES, reference=WORDY | APOSTROPHES, options=OPTIONS)
def test_every_option_gives_the_score_of_sacrebleu(
    output: str, reference: str, options: tuple[str, dict[str, bool]]
) -> None:
    theirs = TER(**options[1])
    expected = theirs.sentence_score(output, [reference]).score
    assert each(options[0], [output], [reference])["ter"][0] == pytest.approx(expected, rel=1e-12)
    assert sacrebleus(resolve(options[0])[0].metric.signature("1")) == without_version(theirs)


@given(texts=st.lists(APOSTROPHES, min_size=1, max_size=3))
def test_sacrebleu_normalizes_references_twice(texts: list[str]) -> None:
    """A text is zero edits from itself; in sacrebleu it may not be, and the signatures differ."""
    assert score("ter:normalized=true", texts, texts)["ter"] == 0
    theirs = TER(normalized=True)
    assert score("ter:sacrebleu", texts, texts)["ter"] == theirs.corpus_score(texts, [texts]).score
    ours = resolve("ter:normalized=true")[0].metric.signature("1")
    assert sacrebleus(ours) == without_version(theirs).replace("norm:yes", "norm:once")


def test_a_text_with_edits_from_itself_in_sacrebleu() -> None:
    assert score("ter:sacrebleu", ["It is Ann's."], ["It is Ann's."])["ter"] == 40
    assert score("ter:normalized=true", ["It is Ann's."], ["It is Ann's."])["ter"] == 0


@pytest.mark.parametrize(
    ("output", "reference"),
    [
        (" ".join("abc"[i % 3] for i in range(60)), " ".join("cab"[i % 3] for i in range(70))),
        ("a b", " ".join("abc"[i % 3] for i in range(300))),
        (" ".join("abc"[i * i % 3] for i in range(150)), "b a"),
        (" ".join(map(str, range(70))), " ".join(map(str, [*range(60, 70), *range(60)]))),
    ],
)
def test_the_limits_of_beam_and_shifts(output: str, reference: str) -> None:
    assert score("ter", [output], [reference])["ter"] == TER().corpus_score([output], [[reference]]).score


def test_gem_vectors() -> None:
    from tests.conftest import OUTPUTS, REFERENCES

    assert score("ter:sacrebleu", OUTPUTS, REFERENCES)["ter"] == pytest.approx(47.5)
    assert score("ter:normalized=true", OUTPUTS, REFERENCES)["ter"] == pytest.approx(47.5)
    assert score("ter:gem", OUTPUTS, REFERENCES)["ter"] == pytest.approx(47.5)
    assert score("ter", REFERENCES, REFERENCES)["ter"] == 0
    assert score("ter", [""] * 3, REFERENCES)["ter"] == 100
