"""The linter: mistakes from real evaluations, each of which must be refused, labelled or warned about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.metrics import resolve
from assay.metrics.checks.linter import TOKENIZED, _with_spaced_marks, lint
from assay.records import Items
from tests.support import each, items, score


def warnings(scored: Items, *specs: str) -> str:
    return " | ".join(lint(scored, [request.metric for request in resolve(list(specs))]))


PLAIN = ["The cat sat on the mat.", "A dog ran home, happily.", "It rained all day long."]
CLEANED = (
    "the two beautiful white black sheep that are standing out and grazing close up together together in a blue green "
    "grassy field standing together."
)


@given(texts=st.lists(st.text(alphabet="a .,!'nst\n\ud800é", max_size=12), max_size=6))
def test_no_tokenized_text_is_overlooked(texts: list[str]) -> None:
    """The fast search for a mark after a space misses no text that looks tokenized."""
    candidates = _with_spaced_marks(texts, "\n".join([*texts, "\n"]))
    assert [text for text in candidates if TOKENIZED.search(text)] == [text for text in texts if TOKENIZED.search(text)]


def test_clean_items_give_no_warning() -> None:
    assert warnings(items(PLAIN * 40, PLAIN * 40), "rouge", "bleu", "chrf") == ""


def test_defect_1_mean_of_sentence_bleu() -> None:
    """Corpus BLEU is not the mean of sentence BLEU; the mean has another name and a warning."""
    outputs, references = ["a b c d e f", "a b x y"], ["a b c d e g", "a b c d"]
    assert score("bleu", outputs, references)["bleu"] != pytest.approx(
        np.mean(each("bleu", outputs, references)["bleu"]), abs=0.1
    )
    assert "mean:sentences" in resolve("sentence_bleu")[0].metric.signature("1")
    assert "published BLEU" in warnings(items(outputs, references), "sentence_bleu")


def test_defect_2_a_reference_split_into_a_list() -> None:
    words = items(PLAIN, [text.split() for text in PLAIN])
    assert "single word" in warnings(words, "nist")
    letters = items(PLAIN, [list(text.replace(" ", "")) for text in PLAIN])
    assert "single character" in warnings(letters, "nist")
    assert "single" not in warnings(items(PLAIN, [[text] * 3 for text in PLAIN]), "nist")


def test_defect_3_segment_longer_than_the_text() -> None:
    assert np.isnan(score("msttr:segment=50", [CLEANED])["msttr"])
    assert "fewer than 50 tokens" in resolve("msttr:segment=50")[0].metric.undefined("msttr")


def test_defect_4_characters_counted_as_words() -> None:
    """A string is split into words, never into characters: 22 of 24 words and all 23 bigrams differ."""
    values = score("ngrams:tokenizer=none", [CLEANED])
    assert values["distinct-1"] == pytest.approx(22 / 24)
    assert values["distinct-2"] == 1


def test_defect_5_sets_of_different_size() -> None:
    small, large = assay.score(PLAIN[:2], metrics="ngrams"), assay.score([*PLAIN[:1], PLAIN[1] * 4], metrics="ngrams")
    assert any("amount of text" in warning for warning in assay.compare(small, large, samples=50).warnings)
    assert "same 120 items" in warnings(items(PLAIN * 40), "ngrams", "ttr")
    assert "Small sample (n = 3): entropies and type counts" in warnings(items(PLAIN), "ngrams")
    weighed = warnings(items(PLAIN * 40, PLAIN * 40), "nist", "cider", "msttr", "lengths", "bleu")
    assert weighed.startswith("nist, cider: scores depend on the number of outputs")
    few = warnings(items(PLAIN, PLAIN), "ngrams", "nist")
    assert "Small sample (n = 3): entropies and type counts" in few
    assert "nist: scores depend on the number of outputs" in few


def test_a_ratio_over_segments_does_not_depend_on_the_amount_of_text() -> None:
    """MSTTR is designed for comparing texts of different length."""
    small, large = assay.score(PLAIN[:2] * 40, metrics="msttr"), assay.score([PLAIN[0] * 4] * 80, metrics="msttr")
    assert not any("amount of text" in warning for warning in assay.compare(small, large, samples=50).warnings)


def test_ngrams_do_not_cross_outputs() -> None:
    assert score("ngrams", ["a b", "c d"])["vocab-2"] == 2


def test_entropy_is_in_bits_and_of_its_order() -> None:
    values = score("ngrams", ["a b c d"])
    assert values["entropy-1"] == pytest.approx(2)
    assert values["entropy-2"] == pytest.approx(np.log2(3))
    assert 5.818 / np.log(2) == pytest.approx(8.394, abs=1e-3)


def test_special_tokens_and_empty_outputs() -> None:
    raw = items(["the two [unused1] sheep", "a field", ""], PLAIN)
    assert "special tokens" in warnings(raw, "rouge")
    assert "1 of 3 outputs are empty and are scored as empty texts" in warnings(raw, "rouge")


def test_tokenized_text() -> None:
    tokenized = items(["the cat sat , then left ."] * 4, ["the cat sat, then left."] * 4)
    assert "look tokenized" in warnings(tokenized, "bleu")


def test_uneven_references() -> None:
    assert "1 to 2 references" in warnings(items(PLAIN[:2], [PLAIN[:2], PLAIN[2]]), "rouge")


def test_a_comparison_warns_about_different_tokenizers() -> None:
    a = assay.score(PLAIN, PLAIN, metrics="bleu")
    b = assay.score(PLAIN, PLAIN, metrics="bleu:tokenizer=char")
    assert any("signatures differ" in warning for warning in assay.compare(a, b, samples=50).warnings)
