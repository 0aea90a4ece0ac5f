"""Checks of items that are paired by position or by numbers: ids that differ by one, and lines in another order."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from assay.text.integers import is_integer

COMPARED = 200
"""Outputs that are compared with the references of two orders."""
CLEAR = 4.0
"""Standard errors by which outputs must fit the references in the order of ids better than in the order of lines."""


def off_by_one(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether two lists of integer ids are the same numbers, counted from 0 and from 1."""
    if len(a) != len(b) or len(a) < 2 or not all(id.isascii() and is_integer(id) for id in (*a, *b)):
        return False
    first, second = ({int(id) for id in ids} for ids in (a, b))
    return first != second and any({number + step for number in first} == second for step in (1, -1))


def written_otherwise(ids: Sequence[str], known: Sequence[str]) -> tuple[str, str] | None:
    """Return an id and the known one that it equals but for spaces, case, leading zeros and `.0`, as data frames write
    integers next to missing values. None if half of the ids or more equal no known one.

    >>> written_otherwise(["1.0", "2.0"], ["001", "002"])
    ('1.0', '001')
    """
    by_form = {_form(id): id for id in known}
    pairs = [(id, by_form[form]) for id in ids if (form := _form(id)) in by_form]
    return pairs[0] if 2 * len(pairs) > len(ids) else None


def _form(id: str) -> str:
    text = id.strip().lower()
    return (text.removesuffix(".0").lstrip("0") or "0") if text[:1].isdigit() else text


def in_order_of_ids(ids: Sequence[str], texts: Sequence[str], references: Sequence[str]) -> bool:
    """Return whether texts whose numbered ids are in another order fit references in the order of the ids.

    Args:
        ids: Ids of the texts, in the order of lines.
        texts: Outputs, in the same order.
        references: References without ids, one per line.
    """
    ranks = _ranks(ids)
    if ranks is None or len(references) != len(texts):
        return False
    moved = [place for place, rank in enumerate(ranks) if place != rank]
    step = max(1, len(moved) // COMPARED)
    gains = [
        _shared(texts[place], references[ranks[place]]) - _shared(texts[place], references[place])
        for place in moved[::step]
    ]
    if len(gains) < 2:
        return False
    spread = stdev(gains)
    return fmean(gains) > 0 if spread == 0 else fmean(gains) / spread * len(gains) ** 0.5 > CLEAR


def _ranks(ids: Sequence[str]) -> list[int] | None:
    """Return the rank of each id by its number; None if ids are not numbered consecutively, or already in order."""
    prefixes = [id.rstrip("0123456789") for id in ids]
    ends = [id[len(prefix) :] for id, prefix in zip(ids, prefixes, strict=True)]
    if not all(map(is_integer, ends)) or len(set(prefixes)) > 1:
        return None
    numbers = [int(end) for end in ends]
    first = min(numbers)
    ranks = [number - first for number in numbers]
    return None if ranks == sorted(ranks) or sorted(ranks) != list(range(len(ranks))) else ranks


def _shared(text: str, reference: str) -> float:
    mine, theirs = set(text.lower().split()), set(reference.lower().split())
    return len(mine & theirs) / max(1, len(mine | theirs))
