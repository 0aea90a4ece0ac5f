"""Originality: the example corpus of the paper, rules for sources, parts, indexes, the literal algorithm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from assay.metrics.diversity.fragment_index import add_to_index, fragment_counts, literal_counts, parts_of, read_corpus
from assay.metrics.diversity.fragment_segments import Segment, Sentence, segments
from assay.metrics.diversity.originality import Originality
from assay.text.fragments import fragment_words, windows
from tests.support import each, interpreted, score

CORPUS = [
    ("d1", "A", "an institution is the lengthened shadow of one man ."),
    ("d2", "B", "every great book is the lengthened shadow of one mind ."),
    ("d3", "C", "the writer is a lonely man ."),
    ("d4", "D", "the writer is a thief of time ."),
    ("d5", "E", "hope is a waking dream ."),
    ("d5", "E", "a waking dream is hope ."),
    ("d6", "E", "she kept a waking dream alive ."),
]
COPIED = [
    ("the writer is the lengthened shadow of a man .", 6, True, set(), {"lengthened shadow"}),
    ("hope is a waking dream .", 3, False, {"waking dream", "hope is a waking", "hope is a waking dream"}, set()),
    ("the lengthened shadow of one man .", 6, False, {"one man", "shadow of one man", "lengthened shadow of one man"},
     {"lengthened shadow", "shadow of one", "lengthened shadow of one"}),
]  # fmt: skip


def sentences() -> list[Sentence]:
    return [Sentence(text, document, author) for document, author, text in CORPUS]


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    rows = [{"text": text, "document": document, "author": author} for document, author, text in CORPUS]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_documents_and_authors_may_be_numbered_from_0(tmp_path: Path) -> None:
    path = tmp_path / "numbered.jsonl"
    rows = [{"id": str(i), "text": f"{word} dream .", "document": 0, "author": 0} for i, word in enumerate("xyz")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert {(one.document, one.author) for one in read_corpus(path)} == {("0", "0")}


def counts(sentences: list[Sentence], size: int = 1 << 20) -> dict[str, int]:
    parts = [part for part, _ in segments(sentences, True, size)]
    return {" ".join(fragment): count for fragment, count in fragment_counts(parts).items()}


@pytest.mark.parametrize("size", [1, 20, 1 << 20])
def test_the_example_corpus_in_parts_of_any_size(size: int) -> None:
    actual = counts(sentences(), size)
    assert len(actual) == 48
    twice = {"lengthened shadow", "shadow of one", "lengthened shadow of one"}
    assert {fragment for fragment, count in actual.items() if count == 2} == twice
    assert {count for fragment, count in actual.items() if fragment not in twice} == {1}


def test_the_literal_algorithm(corpus: str) -> None:
    actual = {" ".join(fragment): count for fragment, count in literal_counts(sentences(), True).items()}
    assert len(actual) == 45
    assert {*counts(sentences())} - {*actual} == {"one mind", "shadow of one mind", "dream alive"}
    assert actual["waking dream"] == 3
    verdict = score(f"originality:literal=true:corpus={corpus}", ["hope is a waking dream ."])
    assert verdict["originality.common"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("text", "n", "original", "rare", "common"), COPIED)
def test_verdicts(corpus: str, text: str, n: int, original: bool, rare: set[str], common: set[str]) -> None:
    ((one,),) = Originality(corpus=corpus).examined([text])
    sources = {" ".join(one.words[f.start : f.end]): f.sources for f in one.fragments}
    assert len(sources) == n
    assert one.original is original
    assert {fragment for fragment, count in sources.items() if count == 1} == rare
    assert {fragment for fragment, count in sources.items() if count > 1} == common
    assert [f.end - f.start for f in one.rare] == sorted((f.end - f.start for f in one.rare), reverse=True)


def test_scores_of_a_set(corpus: str) -> None:
    actual = score(f"originality:corpus={corpus}", [text for text, *_ in COPIED])
    assert actual["originality"] == pytest.approx(1 / 3)
    assert actual["originality.pass"] == pytest.approx(1 / 3)
    assert [actual[f"originality.{kind}"] for kind in ("novel", "rare", "common")] == pytest.approx(
        [5 / 15, 6 / 15, 4 / 15]
    )
    assert actual["originality.longest"] == pytest.approx((0 + 5 + 5) / 3)
    several = each(f"originality:corpus={corpus}", ["Hope is a waking dream. The writer is a tree.", "Yes.", ""])
    assert several["originality"][:2] == [0.5, 0.0]
    assert several["originality.pass"][1] == 1
    assert several["originality.testable"][:2] == [1, 0]


def test_the_source_of_a_copied_fragment(corpus: str) -> None:
    ((one,),) = Originality(corpus=corpus).examined(["the lengthened shadow of one man ."])
    sources = one.rare[0].matches
    assert sources is not None
    assert sources.first == Sentence("an institution is the lengthened shadow of one man .", "d1", "A")


def test_sources_are_authors_where_they_are_known() -> None:
    base = sentences()
    assert counts([*base, base[0]]) == counts(base)  # repeated
    again = base[4]._replace(document="d9", author="Z")
    more = counts([*base, again])
    assert more["hope is a waking dream"] == 2
    assert counts([*base, again._replace(author="E")]) == counts(base)  # the same author in another document
    assert counts([*base, again._replace(author=None)])["waking dream"] == 2  # unknown author: another document counts
    assert counts([*base, again._replace(document="d5", author=None)]) == counts(base)  # or the same document
    assert counts([*base, again._replace(document="d5")])["waking dream"] == 2  # one document, two authors
    plain = [Sentence("he kept a diary"), Sentence("he kept a diary"), Sentence("she kept a diary")]
    assert counts(plain)["kept a diary"] == 2


WORDS = st.lists(st.sampled_from("ab cd ef the of , gh".split()), min_size=1, max_size=9).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6), st.lists(WORDS, max_size=3), st.sampled_from([1, 5, 1 << 20]))
def test_counts_agree_with_counting_by_hand(texts: list[str], queries: list[str], size: int) -> None:
    corpus_sentences = [Sentence(text, f"d{i}") for i, text in enumerate(texts)]
    expected: dict[tuple[str, ...], set[str]] = {}
    for one in corpus_sentences:
        cut = tuple(fragment_words(one.text))
        for start, end in windows(cut, len(cut)):
            expected.setdefault(cut[start:end], set()).add(str(one.document))
    parts = [part for part, _ in segments(corpus_sentences, True, size)]
    assert fragment_counts(parts, 100) == {fragment: len(documents) for fragment, documents in expected.items()}


@settings(max_examples=30, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=5), WORDS)
def test_compiled_and_interpreted_search_agree(texts: list[str], query: str) -> None:
    (part, _), *_ = segments([Sentence(text) for text in texts], True)
    import numpy as np

    numbers = np.array([part.words.get(word, -1) for word in fragment_words(query)], dtype=np.int32)
    from assay.metrics._kernels.suffixes import occurrences

    slow = interpreted("suffixes").occurrences(part.tokens, part.suffixes, numbers, 60)
    assert occurrences(part.tokens, part.suffixes, numbers, 60).tolist() == slow.tolist()


def test_sentences_of_the_corpus_are_never_original(corpus: str) -> None:
    actual = score(f"originality:corpus={corpus}", [text for _, _, text in CORPUS])
    assert actual["originality"] == 0
    rates = [
        score(f"originality:corpus={corpus}:most={most}", [t for t, *_ in COPIED])["originality.pass"]
        for most in (1, 2, 3)
    ]
    assert rates == sorted(rates, reverse=True)


def test_an_extended_index_gives_the_same_scores(corpus: str, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    contents = add_to_index(folder, sentences()[:3], size=10)
    contents = add_to_index(folder, sentences()[3:], size=10)
    assert (contents.sentences, contents.documents, contents.authors) == (7, True, True)
    outputs = [text for text, *_ in COPIED]
    assert score(f"originality:corpus={folder}", outputs) == score(f"originality:corpus={corpus}", outputs)
    assert len(list(parts_of(str(folder), True, "plain"))) == 5
    assert list(Segment.load(folder / "part-0000").lines) == sentences()[:1]
    with pytest.raises(AssayError, match="was built with lowercase=true"):
        add_to_index(folder, sentences(), lowercase=False)
    (folder / "index.json").write_text("{")
    with pytest.raises(AssayError, match="not an index"):
        list(parts_of(str(folder), True, "plain"))


def test_files_of_a_corpus(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_text("One tree grew. Two trees fell.\n\nThree are left\n", encoding="utf-8")
    assert [one.text for one in read_corpus(path)] == ["One tree grew.", "Two trees fell.", "Three are left"]
    path.write_text('{"id": "7", "references": ["One tree grew."], "tags": {"author": "Ann"}}\n', encoding="utf-8")
    assert list(read_corpus(path)) == [Sentence("One tree grew.", "7", "Ann")]
    path.write_text('{"id": "7"}\n', encoding="utf-8")
    with pytest.raises(AssayError, match=':1: "text" is missing'):
        list(read_corpus(path))
    path.write_text("", encoding="utf-8")
    assert score(f"originality:corpus={path}", ["One tree grew."])["originality"] == 1


def test_missing_corpora_are_skipped_with_the_reason(tmp_path: Path, corpus: str) -> None:
    assert "corpus=FILE" in assay.score(["x"], metrics=["originality"]).skipped[0].why
    gone = assay.score(["x"], metrics=[f"originality:corpus={tmp_path}/none"])
    assert "no such file or index" in gone.skipped[0].why
    (tmp_path / "nothing.txt").write_text(" \n", encoding="utf-8")
    for how in ("", ":literal=true"):
        (failed,) = assay.score(["a tree"], metrics=[f"originality:corpus={tmp_path}/nothing.txt{how}"]).skipped
        assert "nothing.txt: is empty, so every fragment would be new" in failed.why
    signature = assay.score(["a tree"], metrics=[f"originality:corpus={corpus}"]).scores["originality"].signature
    assert corpus not in signature
    assert "most:1" in signature
