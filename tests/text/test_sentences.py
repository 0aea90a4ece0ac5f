"""Sentences by rule: the gold of ten languages, what every splitting must keep, and the older rules as they were."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.text.sentences import Splitter, split_sentences
from tests.text.gold_sentences import GOLD, HELD_OUT, sentences_of, unmarked

KNOWN_MISTAKES = ("It was Plan B.", "Yahoo! Japan")
"""An initial before a name and a name with a mark of its own: no list tells them from what they look like."""

WORDS = "Dr|z. B|3|12|IV|A|I|he|The|Nr|т. д|Он|он|น|บ้านใหม่และโรงเรียน|ๆ|谁|と|u.s|No|ß|...|''| |\n|" + "|".join(
    '"“”„«»()[]—….?!。？「」।'
)
PIECES = st.lists(st.sampled_from(WORDS.split("|")), max_size=30).map(
    lambda pieces: " ".join(pieces).replace(" .", ".").replace("  ", "")
)


def boundaries(sentences: Iterable[str]) -> set[int]:
    """After how many characters that are not white space a sentence ends, but for the last."""
    ends, seen = set(), 0
    for sentence in sentences:
        seen += len("".join(sentence.split()))
        ends.add(seen)
    return ends - {seen}


def f1(rule: Splitter, texts: Iterable[tuple[str, list[str], str | None]]) -> float:
    right = wrong = 0
    for text, gold, language in texts:
        found, wanted = boundaries(split_sentences(text, rule, language)), boundaries(gold)
        right += 2 * len(found & wanted)
        wrong += len(found ^ wanted)
    return right / (right + wrong)


@pytest.mark.parametrize(("language", "marked"), [(language, text) for language in GOLD for text in GOLD[language]])
def test_gold(language: str, marked: str) -> None:
    right = split_sentences(unmarked(marked), "multilingual", language) == sentences_of(marked)
    assert right != unmarked(marked).startswith(KNOWN_MISTAKES)


def test_texts_written_after_the_rules() -> None:
    texts = [(unmarked(text), sentences_of(text), language) for language in HELD_OUT for text in HELD_OUT[language]]
    assert f1("multilingual", texts) > 0.97
    assert f1("plain", texts) < 0.75
    assert f1("capitals", texts) < 0.5


def test_without_a_language_it_is_guessed() -> None:
    texts = [(unmarked(text), sentences_of(text), None) for language in GOLD for text in GOLD[language]]
    assert f1("multilingual", texts) > 0.97


def test_released_splits(shared_data: Callable[[str], Path]) -> None:
    """FRANK's summaries (tokenized, half of them in lower case) and MUCSUM's documents (all of them in lower case)."""
    import json

    with (shared_data("frank") / "texts.jsonl").open(encoding="utf-8") as lines:
        summaries = [[text for text in json.loads(line)["sentences"] if text.strip()] for line in lines]
    frank = [(" ".join(sentences), sentences, "en") for sentences in summaries]
    assert f1("multilingual", frank) == pytest.approx(0.967, abs=0.002)
    events = json.loads((shared_data("eks/data/mucsum") / "test.json").read_text(encoding="utf-8"))
    documents = sorted({tuple(event["document"]) for of in events.values() for event in of})
    mucsum = [(" ".join(document), list(document), "en") for document in documents]
    assert f1("multilingual", mucsum) == pytest.approx(0.976, abs=0.002)
    assert f1("plain", mucsum) < 0.2


@given(st.one_of(PIECES, st.text(max_size=40)), st.sampled_from([None, *GOLD]))
def test_nothing_is_lost_or_moved(text: str, language: str | None) -> None:
    found = split_sentences(text, "multilingual", language)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() != "" and len(sentence.splitlines()) == 1 for sentence in found)


@given(PIECES, st.sampled_from([*GOLD]))
def test_a_sentence_is_one_sentence(text: str, language: str) -> None:
    for sentence in split_sentences(text, "multilingual", language):
        assume(sentence != sentence.lower() or text == text.lower())  # what has no capitals is read by other rules
        assert split_sentences(sentence, "multilingual", language) == [sentence]


@pytest.mark.parametrize(
    ("sentence", "times", "found"),
    [
        ("Dr. No said it, i.e. twice. ", 20_000, 20_000),
        ("ฝนตกหนักตลอดทั้งคืนในหลายจังหวัด ", 20_000, 20_000),
        ("“谁？”她问。", 20_000, 20_000),
        (".", 200_000, 1),
        (".a", 200_000, 1),
        ('go." " ', 20_000, 20_000),
    ],
)
def test_a_line_may_be_as_long_as_a_book(sentence: str, times: int, found: int) -> None:
    """None of these would end if the time grew with the square of the length."""
    assert len(split_sentences(sentence * times, "multilingual")) == found


def test_capitals_is_kept_as_it_was() -> None:
    text = 'He said "No." Then he left at 3.5 p.m. today.\nA line without an end\n\nLast?'
    assert split_sentences(text, "capitals") == [
        'He said "No.', "Then he left at 3.5 p.m. today.", "A line without an end", "Last?",
    ]  # fmt: skip
    assert split_sentences("Dr. Smith left.", "capitals") == ["Dr.", "Smith left."]


def test_unknown_rule() -> None:
    with pytest.raises(AssayError, match=r"no sentence splitter called capital\b.*capitals"):
        split_sentences("A.", "capital")  # type: ignore[arg-type]


def test_a_long_line_of_marks_takes_no_time() -> None:
    line = ". " * 50_000
    assert split_sentences(line) == [line.strip()]
