"""Challenge items beside the ones they were made from, with the clauses that speak of what was changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.challenges.drs_clauses import PHENOMENA, Phenomenon, edit_between, speaking
from assay.errors import AssayError
from assay.records.inputs import read_input
from assay.records.kinds import Drs
from assay.records.types import Example


class Pair(NamedTuple):
    """A changed item and its parent."""

    phenomenon: Phenomenon
    parent: Example
    child: Example
    edit: str
    before: list[str]
    """The parent's clauses of the phenomenon, as they are written."""
    after: list[str]

    @property
    def unchanged(self) -> bool:
        """Whether the two structures are the same, which a challenge item's should not be."""
        return self._clauses(self.parent) == self._clauses(self.child)

    @staticmethod
    def _clauses(example: Example) -> list[list[str]]:
        return [list(clause) for clause in read_input(example, Drs).clauses]


def drs_pairs(originals: Sequence[Example], changed: Sequence[Example], phenomenon: str | None = None) -> list[Pair]:
    """Every changed item that has a parent among the originals, which a missing one is an error for.

    The phenomenon is the tag `phenomenon` or `challenge` of an item unless one is named.
    """
    known = {example.id: example for example in originals}
    pairs = []
    for child in changed:
        if child.parent is None:
            raise AssayError(f"id {child.id}: names no parent, so it is no challenge item")
        parent = known.get(child.parent)
        if parent is None:
            raise AssayError(f"id {child.id}: its parent {child.parent} is not among the originals; give their file")
        of = phenomenon or child.tags.get("phenomenon") or child.tags.get("challenge") or ""
        if of not in PHENOMENA:
            raise AssayError(f"id {child.id}: no phenomenon called '{of}'; there are {', '.join(PHENOMENA)}")
        what: Phenomenon = of
        sides = [read_input(one, Drs).clauses for one in (parent, child)]
        clauses = [[" ".join(clause) for clause in speaking(side, what)] for side in sides]
        pairs.append(Pair(what, parent, child, edit_between(sides[0], sides[1], what), *clauses))
    return pairs
