"""Tokens by rule: the kernel against plain definitions of the same rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from assay.errors import AssayError
from assay.text import tokenize
from assay.text._kernels.words import Vocabulary
from assay.text.tokenize import RULES, ascii_words, gem_words, latin, unicode_words
from tests.support import TEXT, WORDY, score

ANY = st.one_of(TEXT, WORDY)


def cut(text: str, name: str, lower: bool = True) -> list[str]:
    """The tokens of one text, through the kernel."""
    vocabulary = Vocabulary()
    ids, _ = tokenize.read(vocabulary, [text], name, lower)
    words = vocabulary.words()
    return [words[number] for number in ids.tolist()]


@given(ANY)
def test_same_tokens_as_the_definitions(text: str) -> None:
    assert cut(text, "rouge_score") == ascii_words(text)
    assert cut(text, "unicode") == unicode_words(text)
    assert cut(text, "gem") == gem_words(text)
    assert cut(text, "gem-ascii") == tokenize.gem_ascii_words(text)
    assert cut(text, "none", lower=False) == text.split()
    assert cut(text, "char", lower=False) == list("".join(text.split()))


@given(ANY)
def test_same_tokens_as_sacrebleu(text: str) -> None:
    assert cut(text, "13a", lower=False) == Tokenizer13a()(text.rstrip()).split()
    assert cut(text, "peeled", lower=False) == CHRF(word_order=2)._remove_punctuation(text)


def test_white_space_is_what_python_splits_at() -> None:
    for code in range(0x11000):
        character = chr(code)
        assert (cut(character, "none", lower=False) == []) == (not character.split())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It isn't John's well-known cat.", ["it", "is", "n't", "john", "'s", "well-known", "cat", "."]),
        ("3.5, 10:30 and 1/2!", ["3.5", ",", "10:30", "and", "1/2", "!"]),
        ("我爱你。", ["我", "爱", "你", "。"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("日本のカメラ", ["日", "本", "の", "カ", "メ", "ラ"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
    ],
)
def test_words_of_many_scripts(text: str, tokens: list[str]) -> None:
    assert cut(text, "gem") == tokens


@pytest.mark.parametrize(
    ("language", "output", "reference"),
    [
        ("th", "แมวนั่งบนเสื่อสีแดง", "แมวนั่งบนเสื่อ"),
        ("zh", "猫坐在红色的垫子上", "猫坐在垫子上"),
        ("ja", "猫は赤いマットに座った", "猫はマットに座った"),
        ("ar", "جلست القطة على السجادة الحمراء", "جلست القطة على السجادة"),
        ("hi", "बिल्ली लाल चटाई पर बैठी", "बिल्ली चटाई पर बैठी"),
    ],
)
def test_sane_scores_in_every_script(language: str, output: str, reference: str) -> None:
    """More than nothing and less than everything, without a dictionary; the same texts score 1."""
    partial = score("rouge", [output], [reference], language=language)
    assert 0.5 < partial["rouge1"] < 1
    assert 0.2 < partial["rouge2"] < 1
    assert score("rouge", [output], [output], language=language)["rouge1"] == 1
    assert 10 < score("chrf", [output], [reference])["chrf"] < 100


def test_multiwoz_rule() -> None:
    assert cut("Hello, there! It's [value_name].", "multiwoz") == ["hello", "there", "its", "[valuename]"]
    assert cut("", "multiwoz") == [""]


def test_latin() -> None:
    assert latin(["Größe", "abc"])
    assert latin(["123"])
    assert not latin(["привет", "ok"])


@given(texts=st.lists(st.text(alphabet="aZ9 .,_-é£яж中\n", max_size=12), max_size=5))
def test_shortcuts_count_what_they_stand_for(texts: list[str]) -> None:
    """Letters and words that are counted without looking at each are those that a look at each would find."""
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    assert latin(texts) == (2 * sum(letter in "aZé" for letter in letters) >= len(letters))
    words = [word for text in texts for word in tokenize.unicode_words(text)]
    share = sum(not word.isascii() for word in words) / len(words) if words else 0.0
    assert tokenize.dropped_share(texts) == share


def test_unknown_rule_is_refused() -> None:
    with pytest.raises(AssayError, match="did you mean unicode"):
        tokenize.rule("unicod")
    assert "13a" in RULES
