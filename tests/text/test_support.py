"""What a source has for each word: subsequences against a plain table, places in the text, pieces of long sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.text.support import LONGEST, WAYS, Source, _common, _members, sentences_of, words_of
from tests.support import TEXT, WORDY

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


def longest(ours: list[str], theirs: list[str]) -> int:
    table = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i, a in enumerate(ours):
        for j, b in enumerate(theirs):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@given(WORDS, WORDS)
def test_common_subsequences(ours: list[str], theirs: list[str]) -> None:
    """Both ways give the length of the table, and the words that are named are a subsequence of the other."""
    bits: dict[str, int] = {}
    for i, word in enumerate(ours):
        bits[word] = bits.get(word, 0) | 1 << i
    wanted = longest(ours, theirs)
    assert _common(bits, len(ours), [word for word in theirs if word in bits]) == wanted
    members = _members(ours, theirs)
    assert sum(members) == wanted
    left = iter(theirs)
    assert all(word in left for word, member in zip(ours, members, strict=True) if member)


@given(TEXT | WORDY)
def test_words_keep_their_places(text: str) -> None:
    for words in sentences_of(text):
        assert 0 < len(words) <= LONGEST
        for word in words:
            assert text[word.start : word.end].strip() == text[word.start : word.end] != ""
    assert sum(map(len, sentences_of(text))) == len(words_of(text))


@given(WORDY, WORDY)
def test_support_lies_between_0_and_1_and_a_text_supports_itself(text: str, other: str) -> None:
    own = Source(text)
    for words in sentences_of(other):
        found = own.support(words)
        assert set(found.shares) == set(WAYS)
        assert all(-1e-9 <= value <= 1 for value in (*found.shares.values(), found.copied))
    if "  " not in text:
        for words in sentences_of(text):
            assert own.support(words).shares["numbers"] == 1


def test_a_sentence_glued_to_the_last_begins_anew() -> None:
    """As in pages of news, whose furniture is left out, too."""
    source = Source("Share this withEmailCopy this linkClose share panelThe mill burned.Nobody was hurt.")
    assert [len(sentence) for sentence in source.sentences] == [3, 3]
    assert source.passage(0) == "The mill burned. Nobody was hurt"
    assert source.passage(1) == "Nobody was hurt"


def test_a_piece_too_short_belongs_to_its_neighbour() -> None:
    texts = [[word.form for word in words] for words in sentences_of("He paid £1. 8m more was lost. Yes.")]
    assert texts == [["he", "paid", "1"], ["8", "m", "more", "wa", "lost", "ye"]]
