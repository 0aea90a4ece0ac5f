"""Cost of extracting groups: linear in documents, also where a document has thousands of possible groups."""

from __future__ import annotations

import random

from assay.datasets.entity_groups import PER_DOCUMENT, Entity, Extraction, groups_of, windows
from tests.support.processor_time import processor_seconds


def crowded(number: int) -> tuple[str, list[Entity]]:
    """Twelve persons in forty sentences: about two thousand groups near each other."""
    draw = random.Random(number)
    names = [f"Person{letter}" for letter in "ABCDEFGHIJKL"]
    places: dict[str, list[int]] = {name: [] for name in names}
    text = ""
    for _ in range(40):
        first, second = draw.sample(names, 2)
        for name, after in ((first, " met "), (second, " by the harbour. ")):
            places[name].append(len(text))
            text += name + after
    return text, [Entity(name, "person", tuple(own)) for name, own in places.items()]


def test_crowded_documents_take_a_hundredth_of_a_second_each() -> None:
    how = Extraction()
    made: list[int] = []

    def extract() -> None:
        made[:] = [len(list(groups_of(f"d{n}", *crowded(n), how=how))) for n in range(10)]

    assert processor_seconds(extract, quick=1) < 10 * 0.1  # 1,000 documents in 30 s, with room for a slow machine
    assert made == [PER_DOCUMENT] * 10
    assert how.left_out[f"instances beyond {PER_DOCUMENT} of a document"] > 10_000


def test_windows_by_exhaustion() -> None:
    """Against all ranges: minimal ones that mention every entity in at most as many sentences as there are entities."""
    draw = random.Random(4)
    for _ in range(300):
        sentences = draw.randint(1, 9)
        mentioned = [set(draw.sample(range(sentences), draw.randint(1, sentences))) for _ in range(draw.randint(2, 4))]
        whole = [
            (start, end)
            for start in range(sentences)
            for end in range(start + 1, min(sentences, start + len(mentioned)) + 1)
            if all(places & set(range(start, end)) for places in mentioned)
        ]
        minimal = [
            (start, end)
            for start, end in whole
            if not any((a, b) != (start, end) and start <= a and b <= end for a, b in whole)
        ]
        widened = [
            (start, end) if end - start > 1 else (start - 1, end) if start else (0, min(end + 1, sentences))
            for start, end in minimal
        ]
        assert list(windows(mentioned, sentences)) == widened
