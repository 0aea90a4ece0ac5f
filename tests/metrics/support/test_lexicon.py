"""Words of support: forms, words that may stand for each other, opposites, and names in full and in initials."""

from __future__ import annotations

from assay.metrics.support.claims import initials, read_sentence
from assay.metrics.support.evidence import Document
from assay.metrics.support.lexicon import ALSO_CALLED, OPPOSITE_OF, SAME_AS, form, opposites
from assay.text.quantities import quantities


def test_irregular_words_have_the_form_of_their_base() -> None:
    assert form("bought") == form("buys") == form("buy")
    assert form("Children’s") == form("child")
    assert form("fell") == form("falling") != form("felt")


def test_no_word_is_its_own_opposite_or_stands_for_its_opposite() -> None:
    assert not [(one, other) for one, others in SAME_AS.items() for other in others & OPPOSITE_OF.get(one, frozenset())]
    assert not [one for one, others in OPPOSITE_OF.items() if one in others]
    assert all(others for others in (*SAME_AS.values(), *ALSO_CALLED.values()))


def test_a_prefix_makes_an_opposite_of_a_word_and_not_of_a_part() -> None:
    assert opposites(form("happy"), frozenset({form("unhappy")})) == {form("unhappy")}
    assert opposites(form("unlikely"), frozenset({form("likely")})) == {form("likely")}
    assert not opposites("it", frozenset({"unit"}))
    assert not opposites("til", frozenset({"until"}))
    assert not opposites("less", frozenset({"unless"}))
    assert opposites(form("paid"), frozenset({form("unpaid")}))
    assert opposites(form("unknown"), frozenset({form("known")}))


def test_initials_are_those_of_names() -> None:
    found = initials(read_sentence("Officials of the World Health Organization met the Bank of England."))
    assert found["who"] == {form("World"), form("Health"), form("Organization")}
    assert "be" in found
    assert not initials(read_sentence("Some words are small."))


def test_missing_words_under_another_name() -> None:
    document = Document([("source", "The chief executive of the World Bank bought a car in Britain.")])
    known = frozenset(document.where)

    def missing(text: str) -> float:
        return document.missing(read_sentence(text), known)

    assert missing("The CEO of the WB bought a car in the UK.") == 0
    assert 0 < missing("The CEO of the WB bought a vehicle.") < missing("The CEO of the WB bought a horse.")


def test_capitals_are_no_function_words() -> None:
    assert "WHO" in read_sentence("Officials of the WHO met us.").names
    assert read_sentence("Officials who met us.").names == frozenset()


def test_a_currency_before_the_number() -> None:
    (one,) = quantities("about EUR 30m")
    assert (one.value, one.unit, one.text) == (3e7, "euro", "EUR 30m")
    assert not read_sentence("It saves about EUR 30m.").names
