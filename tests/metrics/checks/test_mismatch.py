"""Warnings about shifted lines: found in distinct items, not claimed where neighbouring items are nearly alike."""

from __future__ import annotations

import random

import pytest

from assay.metrics.checks.mismatch import find_mismatch
from assay.records import Items
from assay.records.types import Example

WORDS = [f"word{i}" for i in range(900)]


def changed(words: list[str], share: float, draw: random.Random) -> list[str]:
    return [draw.choice(WORDS) if draw.random() < share else word for word in words]


def documents(count: int, each: int, seed: int, edits: float) -> Items:
    """Return items of documents; references, and outputs of one system, differ by some words within a document."""
    draw = random.Random(seed)
    outputs, examples = [], []
    for document in range(count):
        text = draw.choices(WORDS, k=20)
        answer = changed(text, draw.uniform(0.1, 0.6), draw)
        for number in range(each):
            reference = " ".join(changed(text, edits, draw))
            examples.append(Example(id=f"{document}-{number}", references=(reference,)))
            outputs.append(" ".join(changed(answer, 0.03, draw)))
    return Items(tuple(outputs), tuple(examples), "system", by_position=True)


@pytest.mark.parametrize("edits", [0.0, 0.05, 0.3])
def test_items_that_are_alike_are_not_shifted(edits: float) -> None:
    warned = [warning for seed in range(60) for warning in find_mismatch(documents(20, 10, seed, edits))]
    assert not warned


@pytest.mark.parametrize(("start", "where"), [(0, "in the whole file"), (120, "from about item 120-0 on")])
def test_shifted_lines_are_found(start: int, where: str) -> None:
    for seed in range(20):
        sound = documents(200, 1, seed, 0.05)
        assert not list(find_mismatch(sound))
        shifted = (*sound.outputs[:start], *sound.outputs[start + 1 :], "an extra line at the end of the file")
        found = list(find_mismatch(Items(shifted, sound.examples, "system", by_position=True)))
        assert len(found) == 1
        assert "fit the next item better than their own" in found[0]
        assert where in found[0] or start  # the position is approximate


def test_lines_shifted_among_documents_are_found() -> None:
    sound = documents(40, 5, 3, 0.05)
    extra = ("an extra line", *sound.outputs[:-1])
    found = list(find_mismatch(Items(extra, sound.examples, "system", by_position=True)))
    assert "fit the previous item better than their own" in found[0]  # one in five shows it
    other = (*["an extra line"] * 5, *sound.outputs[:-5])
    found = list(find_mismatch(Items(other, sound.examples, "system", by_position=True)))
    assert "better than" in found[0]
