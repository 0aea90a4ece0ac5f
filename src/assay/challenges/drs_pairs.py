"""Challenge items paired with their parents, with the clauses that express the changed phenomenon."""

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
    """Clauses of the phenomenon in the parent, as written."""
    after: list[str]

    @property
    def unchanged(self) -> bool:
        """Whether the two structures are identical, which is a defect of a challenge item."""
        return self._clauses(self.parent) == self._clauses(self.child)

    @staticmethod
    def _clauses(example: Example) -> list[list[str]]:
        return [list(clause) for clause in read_input(example, Drs).clauses]


def drs_pairs(originals: Sequence[Example], changed: Sequence[Example], phenomenon: str | None = None) -> list[Pair]:
    """Pair every changed item with its parent among the originals; a missing parent is an error.

    The phenomenon is the tag `phenomenon` or `challenge` of an item unless one is named.
    """
    known = {example.id: example for example in originals}
    pairs = []
    for child in changed:
        if child.parent is None:
            raise AssayError(f"id {child.id}: has no parent, so it is not a challenge item")
        parent = known.get(child.parent)
        if parent is None:
            raise AssayError(f"id {child.id}: its parent {child.parent} is not among the originals; pass their file")
        of = phenomenon or child.tags.get("phenomenon") or child.tags.get("challenge") or ""
        if of not in PHENOMENA:
            raise AssayError(f"id {child.id}: no phenomenon called '{of}'; there are {', '.join(PHENOMENA)}")
        what: Phenomenon = of
        sides = [read_input(one, Drs).clauses for one in (parent, child)]
        clauses = [[" ".join(clause) for clause in speaking(side, what)] for side in sides]
        pairs.append(Pair(what, parent, child, edit_between(sides[0], sides[1], what), *clauses))
    return pairs
