"""Notes of the runs of a dataset, once each: those that differ in names and figures only are one note."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MARKS = "(),;:.!?"


def joined_notes(notes: Iterable[tuple[str, Sequence[str]]], names: Iterable[str]) -> list[str]:
    """Return notes, of those that say the same of several systems the first.

    Args:
        notes: Each system with its notes.
        names: Words that do not distinguish notes, such as names of metrics.

    Returns:
        The notes in their order; one that others repeat says for how many systems.
    """
    groups: dict[str, dict[str, list[str]]] = {}
    known = set(names)
    for system, texts in notes:
        for text in texts:
            groups.setdefault(_pattern(text, known), {}).setdefault(text, []).append(system)
    return [note for texts in groups.values() for note in _joined(texts)]


def _pattern(text: str, names: set[str]) -> str:
    """Return a note with files, names and figures left out."""
    words = [word.strip(MARKS) for word in text.split()]
    return " ".join("#" if word in names or "/" in word or any(map(str.isdigit, word)) else word for word in words)


def _joined(texts: dict[str, list[str]]) -> list[str]:
    first, *_ = next(iter(texts.values()))
    own = [text for text, systems in texts.items() if first in systems]
    others = {system for text, systems in texts.items() if text not in own for system in systems}
    others -= {system for text in own for system in texts[text]}
    if others:
        more = f"(and similarly for {len(others)} more system{'s' if len(others) > 1 else ''})"
        own[-1] = f"{own[-1].removesuffix('.')} {more}{'.' if own[-1].endswith('.') else ''}"
    return own
