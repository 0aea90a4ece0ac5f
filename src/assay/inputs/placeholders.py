"""Entities as placeholders, `person@1`: by offset in the source, literally and longest first in its simplification."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assay.errors import AssayError
from assay.inputs.controls import PLACEHOLDER, restore_entities
from assay.inputs.taggers import Tagged, apart

LITERAL = "literal"
"""Type of a text that looks like a placeholder before any entity is replaced."""


class Placed(NamedTuple):
    text: str
    table: dict[str, str]
    """Entity by placeholder."""
    spans: dict[str, tuple[int, int]]
    """Offsets of each entity in the original text."""

    def target(self, text: str) -> str:
        """Return another text with the same entities replaced: each once, the longest first, by literal match."""
        pieces: list[tuple[str, bool]] = [(text, False)]
        for name, entity in sorted(self.table.items(), key=lambda item: -len(item[1])):
            for i, (piece, done) in enumerate(pieces):
                if not done and entity in piece:
                    before, _, after = piece.partition(entity)
                    pieces[i : i + 1] = [(before, False), (name, True), (after, False)]
                    break
        return "".join(piece for piece, _ in pieces)


def placeholder_type(label: str) -> str:
    """Return a label in the letters that a placeholder may have: `B-PER` is `b_per`.

    Raises:
        AssayError: It has none of them, so that its placeholder could not be restored.
    """
    kind = re.sub(r"[^a-z]+", "_", label.lower()).strip("_")
    if not kind:
        raise AssayError(f"entity type {label!r}: no Latin letter for a placeholder; give a name such as person")
    return kind


def place(text: str, spans: Iterable[Tagged]) -> Placed:
    """Replace entities by `type@index`, numbered by type in order of appearance; of overlapping ones the longest.

    What already looks like a placeholder (`team@1`) becomes one too, so that it is restored as it was.
    """
    literal = [Tagged(*match.span(), LITERAL) for match in PLACEHOLDER.finditer(text)]
    spans = [*literal, *(span for span in spans if not any(_crosses(span, other) for other in literal))]
    counts: Counter[str] = Counter()
    table: dict[str, str] = {}
    places: dict[str, tuple[int, int]] = {}
    pieces: list[str] = []
    end = 0
    for span in apart(spans):
        kind = placeholder_type(span.label)
        counts[kind] += 1
        name = f"{kind}@{counts[kind]}"
        table[name], places[name] = text[span.start : span.end], (span.start, span.end)
        pieces += [text[end : span.start], name]
        end = span.end
    return Placed("".join([*pieces, text[end:]]), table, places)


def _crosses(span: Tagged, other: Tagged) -> bool:
    """Return whether a span has a part of another one, but not all of it."""
    overlaps = span.start < other.end and other.start < span.end
    return overlaps and not (span.start <= other.start and other.end <= span.end)


class Restored(NamedTuple):
    text: str
    unknown: list[str]
    """Placeholders of a wrong type or index, which remain in the text."""
    dropped: list[str]
    """Entities of the source whose placeholder the text does not have."""


def restore(text: str, table: Mapping[str, str]) -> Restored:
    """Put the entities back, every occurrence of a placeholder."""
    restored, unknown = restore_entities(text, table)
    written = set(PLACEHOLDER.findall(text))
    return Restored(restored, unknown, [entity for name, entity in table.items() if name not in written])


def restoration_notes(restored: Sequence[Restored]) -> list[str]:
    """Return how many placeholders could not be restored, with the most frequent ones."""
    unknown = Counter(name for one in restored for name in one.unknown)
    if not unknown:
        return []
    several = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in unknown.most_common(5))
    outputs = sum(bool(one.unknown) for one in restored)
    return [f"{unknown.total()} placeholders in {outputs} outputs have no entity in their source and remain: {several}"]
