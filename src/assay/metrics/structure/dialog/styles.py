"""Agreement of styles of delexicalisation: the same responses with the slots of several systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from assay.errors import AssayError
from assay.metrics.structure.dialog.responses import slots_in
from assay.records.documents import JSONObject


@dataclass(frozen=True)
class StyleAgreement:
    """Number of turns by how far the normalised texts of all styles agree."""

    styles: tuple[str, ...]
    turns: int
    """Turns that every style has."""
    slotted: int
    """Turns with a slot in at least one style."""
    identical: int
    """Of these, turns that are equal in all styles."""
    distinct: int
    """Of these, turns that are different in every style."""

    def to_dict(self) -> JSONObject:
        return asdict(self) | {"styles": list(self.styles)}


def style_agreement(styles: Mapping[str, Mapping[str, Sequence[str]]]) -> StyleAgreement:
    """Compare normalised references of several styles on the dialogues, and first turns, that all have.

    >>> style_agreement({"a": {"d": ["NAME is nice.", "bye"]}, "b": {"d": ["the mill is nice.", "bye"]}}).slotted
    1
    """
    first, *others = styles.values()
    common = [id for id in first if all(id in other for other in others)]
    if not common:
        raise AssayError(f"references: the styles {', '.join(styles)} have no dialogue in common; check the ids")
    turns = slotted = identical = distinct = 0
    for id in common:
        for texts in zip(*(of[id] for of in styles.values()), strict=False):
            turns += 1
            if not any(slots_in(text) for text in texts):
                continue
            slotted += 1
            different = len(set(texts))
            identical += different == 1
            distinct += different == len(texts)
    return StyleAgreement(tuple(styles), turns, slotted, identical, distinct)
