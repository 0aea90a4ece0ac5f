"""Groupings of items that have no field in common: a context, the beginning of a chat, the beginning of their ids."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.records.types import Example, Message, Passage
from assay.results.dependence import groupings
from assay.results.result import Result
from assay.results.text_groups import TextGroups, by_id

WORDS = [f"word{i}" for i in range(2000)]
SIZES = (25, 18, 14, 11, 9, 8, 7, 6, 5, 4, 4, 3, 3, 2, 2, 1, 1, 1)
"""Questions of each document: few documents have most of them."""


def text(draw: random.Random, words: int = 16) -> str:
    return " ".join(draw.choices(WORDS, k=words))


def two_systems(fields: Callable[[random.Random, int], dict[str, Any]], ids: str = "{1}") -> tuple[Result, Result]:
    """Return two systems whose losses are the same for all questions of a document; equally good on average."""
    draw = random.Random(3)
    examples: list[dict[str, Any]] = []
    outputs: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for document, size in enumerate(SIZES):
        document_text, lost = text(draw, 60), [draw.randrange(1, 12) for _ in outputs]
        for number in range(size):
            id = ids.format(document, len(examples), number)
            reference = text(draw)
            own = {
                key: value(document_text) if callable(value) else value for key, value in fields(draw, number).items()
            }
            examples.append({"id": id, "references": [reference], **own})
            for side, texts in enumerate(outputs):
                texts[id] = " ".join(reference.split()[lost[side] :])
    a, b = (
        assay.score(each, examples=examples, metrics="rouge1", system=name)
        for name, each in zip("ab", outputs, strict=True)
    )
    return a, b


def retrieved(draw: random.Random, number: int) -> dict[str, Any]:
    """Questions about a document, with one passage that all questions have and one that none shares."""
    return {
        "source": text(draw, 6),
        "contexts": lambda document: [
            {"id": "0", "text": "Answer from the passages below."},
            {"id": "1", "text": text(draw, 30)},
            {"id": "2", "text": document},
        ],
    }


def instructed(draw: random.Random, number: int) -> dict[str, Any]:
    """Chats about a document in the instructions."""
    return {
        "messages": lambda document: [
            {"role": "system", "content": document},
            {"role": "user", "content": text(draw, 6)},
        ]
    }


@pytest.mark.parametrize(
    ("fields", "ids", "cluster"),
    [
        (retrieved, "{1}", "contexts"),
        (instructed, "{1}", "messages"),
        (lambda draw, number: {}, "doc{0}_{2}", "id-prefix"),
        (lambda draw, number: {}, "{0}#{2}", "id-prefix"),
    ],
)
def test_dependence_without_a_field_is_found(fields: Any, ids: str, cluster: str) -> None:
    a, b = two_systems(fields, ids)
    (warning,) = (line for line in assay.compare(a, b).warnings if "not independent" in line)
    assert warning.endswith(f"Use --cluster {cluster}.")
    row, alone = assay.compare(a, b, cluster=cluster)["rouge1"], assay.compare(a, b)["rouge1"]
    assert row.clusters == len(SIZES)
    assert (row.high or 0) - (row.low or 0) > 1.5 * ((alone.high or 0) - (alone.low or 0))
    assert any("not independent" in line for line in assay.table([a, b]).warnings)


def chats(*turns: Sequence[str]) -> TextGroups:
    return TextGroups(
        [
            Example(id=str(i), messages=tuple(Message(role="user", content=each) for each in turn))
            for i, turn in enumerate(turns)
        ]
    )


def test_turns_of_one_conversation_share_its_beginning() -> None:
    hotel = ("Be brief.", "I need a hotel.", "Where?", "In the north.", "Done.", "Thanks.")
    train = ("Be brief.", "I need a train.", "When?", "At noon.", "Done.", "Thanks.")
    groups = chats(hotel[:2], hotel[:4], hotel, train[:2], train[:4], train)
    found = groups.codes("messages", list("012345"))
    assert found is not None
    assert found.tolist() == [0, 1, 1, 2, 3, 3]  # the first turns have the instructions of all in common, and no more


def test_a_context_of_all_items_groups_none() -> None:
    groups = TextGroups([Example(id=str(i), contexts=(Passage(id="c", text="the manual"),)) for i in range(6)])
    found = groups.codes("contexts", [str(i) for i in range(6)])
    assert found is not None
    assert found.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "ids",
    [
        [f"{i}" for i in range(40)],
        [f"item-{i}" for i in range(40)],
        [f"{split}-{i}" for split in ("train", "dev", "test") for i in range(20)],  # splits, not documents
        [f"dm-test-{i:016x}" for i in range(40)],
    ],
)
def test_ids_that_name_no_document(ids: list[str]) -> None:
    codes = by_id(ids)
    assert codes is None or len(set(codes.tolist())) == len(ids)
    a = assay.score(["a word of text"] * len(ids), dict.fromkeys(ids, "a word of text").values(), metrics="rouge1")
    assert "id-prefix" not in dict(groupings(a))


@pytest.mark.parametrize("form", ["doc{0}_{1}", "{0}/{1}", "{0}.json-{1}", "MUL{0:04} #{1}", "q{0:02}abc"])
def test_ids_that_name_a_document(form: str) -> None:
    letters = "xyz"
    ids = [form.format(d, i).replace("abc", letters[i]) for d in range(12) for i in range(3)]
    codes = by_id(ids)
    assert codes is not None
    assert codes.tolist() == [d for d in range(12) for _ in range(3)]


def test_a_cluster_by_ids_that_have_no_documents_is_refused() -> None:
    with pytest.raises(AssayError, match="too few ids end in a number of their own"):
        assay.score(["a b", "c d"], ["a b", "c d"], metrics="rouge1", cluster="id-prefix")
