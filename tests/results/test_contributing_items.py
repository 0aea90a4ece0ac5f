"""Contributing items: their contributions sum to the difference, and the largest come first."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from assay.text.word_differences import word_differences
from tests.support import WORDY

WORDS = "the a cat dog sat ran on mat in house tree big".split()


def texts(n: int, seed: int) -> tuple[dict[str, list[str]], list[str]]:
    chance = np.random.default_rng(seed)
    references = [" ".join(chance.choice(WORDS, 12)) for _ in range(n)]
    systems = {
        name: [" ".join(np.where(chance.random(12) < share, text.split(), "x")) for text in references]
        for name, share in (("a", 0.6), ("b", 0.75))
    }
    systems["b"][0] = systems["a"][0]
    return systems, references


def compared(metrics: str, n: int = 60, seed: int = 0) -> assay.Comparison:
    systems, references = texts(n, seed)
    results = assay.score_all(systems, references, metrics=metrics)
    return assay.compare(results["a"], results["b"], samples=100)


def test_contributions_add_up_to_the_difference() -> None:
    for name in ("bleu", "chrf", "rouge1", "ter", "cider"):
        comparison = compared("bleu,chrf,rouge1,ter,cider", n=40)
        found = comparison.contributing_items(name, 1000)
        assert len(found.items) == found.n == 40
        assert sum(item.contribution for item in found.items) == pytest.approx(found.difference)
        sizes = [abs(item.contribution) for item in found.items]
        assert sizes == sorted(sizes, reverse=True)
        assert found.better + found.equal + found.worse == 40
        assert found.equal >= 1
        assert (found.better > found.worse) == (comparison[name].better != "a")


def test_a_mean_is_taken_apart_into_its_items() -> None:
    comparison = compared("rouge1")
    values = {system.system: system.per_example["rouge1"].to_numpy() for system in (comparison.a, comparison.b)}
    gaps = (values["b"] - values["a"]) / 60
    found = comparison.contributing_items("rouge1", 5)
    for item in found.items:
        place = int(item.id) - 1
        assert item.contribution == pytest.approx(gaps[place])
        assert (item.a, item.b) == (values["a"][place], values["b"][place])
    assert abs(found.items[-1].contribution) == pytest.approx(np.sort(np.abs(gaps))[-5])


def test_leaving_items_out_of_corpus_bleu_as_sacrebleu_computes_it() -> None:
    systems, references = texts(15, 3)
    results = assay.score_all(systems, references, metrics="bleu")
    found = assay.compare(results["a"], results["b"], samples=100).contributing_items("bleu", 15)
    by_hand = {}
    for name, outputs in systems.items():
        every = sacrebleu.corpus_bleu(outputs, [references]).score
        without = []
        for left in range(15):
            kept = [i for i in range(15) if i != left]
            without.append(sacrebleu.corpus_bleu([outputs[i] for i in kept], [[references[i] for i in kept]]).score)
        by_hand[name] = every + 14 * (np.mean(without) - np.array(without))
    wanted = (by_hand["b"] - by_hand["a"]) / 15
    for item in found.items:
        assert item.contribution == pytest.approx(wanted[int(item.id) - 1], abs=1e-9)


def test_what_cannot_be_taken_apart_says_so() -> None:
    comparison = compared("rouge1,entropy-2")
    with pytest.raises(AssayError, match="entropy-2: this metric depends on all texts together"):
        comparison.contributing_items("entropy-2")
    with pytest.raises(
        AssayError, match=r"items by bleu: this metric is not compared\. Use one of rouge1, entropy-2\."
    ):
        comparison.contributing_items("bleu")
    with pytest.raises(AssayError, match="use a number of at least 1"):
        comparison.contributing_items("rouge1", 0)
    with pytest.raises(AssayError, match="No compared metric can be split by item"):
        compared("entropy-2").contributing_items()
    assert comparison.contributing_items().name == "rouge1"


@given(WORDY, WORDY)
def test_pieces_are_the_texts_again(a: str, b: str) -> None:
    first, second = word_differences(a, b)
    assert "".join(piece.text for piece in first) == a
    assert "".join(piece.text for piece in second) == b
    same = [["".join(piece.text.split()) for piece in side if piece.kind == "same"] for side in (first, second)]
    assert same[0] == same[1]
    assert word_differences(a, a)[0] == word_differences(a, a)[1]
    assert all(piece.kind == "same" for piece in word_differences(a, a)[0])


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_own_words_are_those_that_were_changed(a: list[str], b: list[str]) -> None:
    first, second = word_differences(" ".join(a), " ".join(b))
    kept = [sum(len(piece.text.split()) for piece in side if piece.kind == "same") for side in (first, second)]
    assert kept[0] == kept[1] <= min(len(a), len(b))
    assert (kept[0] > 0) == bool(set(a) & set(b))


def test_scripts_without_spaces_are_compared_letter_by_letter() -> None:
    assert [piece.text for piece in word_differences("我爱猫", "我爱狗")[1] if piece.kind == "own"] == ["狗"]
