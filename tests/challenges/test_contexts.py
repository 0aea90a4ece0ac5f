"""Planted contexts: what is planted where, and what stays."""

from __future__ import annotations

import pytest

from assay.challenges import perturbation
from assay.challenges.perturbation import challenge_set
from assay.errors import AssayError
from assay.records import Example
from assay.records.types import Passage

CONTEXTS = (
    Passage("a", "Acme had 120 ships in 2019."),
    Passage("b", "The harbour was calm."),
    Passage("c", "Rain fell."),
)


def made(spec: str, **fields: object) -> Example | None:
    example = Example(**{"id": "q", "references": ("120",), "contexts": CONTEXTS, **fields})  # type: ignore[arg-type]
    found = challenge_set(perturbation(spec), [example], seed=3).examples
    return found[0] if found else None


def test_unrelated_passages_stand_beside_the_others() -> None:
    item = made("contexts:count=4")
    assert item is not None
    assert len(item.contexts) == 7
    assert [one for one in item.contexts if one.id in "abc"] == list(CONTEXTS)
    assert item.tags["planted"].count("planted-") == 4
    assert item.references == ("120",)
    assert item.parent == "q"


def test_a_conflicting_copy_has_other_numbers() -> None:
    item = made("contexts:plant=conflicting")
    assert item is not None
    wrong, right = item.contexts[:2]
    assert right == CONTEXTS[0]
    assert wrong.text != right.text
    assert wrong.text.startswith("Acme had ")
    assert wrong.id == item.tags["planted"]


def test_relevant_contexts_are_removed_and_the_item_is_unanswerable() -> None:
    item = made("contexts:plant=removed", tags={"relevant": "a, c", "answerable": "true"})
    assert item is not None
    assert [one.id for one in item.contexts] == ["b"]
    assert item.tags["answerable"] == "false"


def test_another_order() -> None:
    item = made("contexts:plant=shuffled")
    assert item is not None
    assert sorted(item.contexts, key=lambda one: one.id) == list(CONTEXTS)
    assert item.contexts != CONTEXTS
    assert "planted" not in item.tags


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ("contexts", {"contexts": (), "source": "x"}),
        ("contexts:plant=conflicting", {"contexts": CONTEXTS[1:]}),
        ("contexts:plant=removed", {}),
        ("contexts:plant=shuffled", {"contexts": CONTEXTS[:1]}),
    ],
)
def test_items_with_nothing_to_change_are_left_out(spec: str, fields: dict[str, object]) -> None:
    assert made(spec, **fields) is None


def test_ids_of_planted_contexts_are_free() -> None:
    item = made("contexts:count=1", contexts=(Passage("planted-1", "x"), Passage("b", "y")))
    assert item is not None
    assert len({one.id for one in item.contexts}) == 3


def test_too_many_passages_are_refused() -> None:
    with pytest.raises(AssayError, match="count"):
        perturbation("contexts:count=99")
