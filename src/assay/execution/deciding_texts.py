"""Texts of contributing items, from the compared files or from saved runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.execution.loading import load_items
from assay.execution.request import ScoreRequest
from assay.records.items import Items
from assay.records.types import Example
from assay.results.contributing_items import ContributingItem, ContributingItems
from assay.store.run_manifest import EXAMPLES

if TYPE_CHECKING:
    from assay.text.word_differences import Piece


@dataclass(frozen=True)
class DecidingText:
    """One item with both outputs and their word differences."""

    item: ContributingItem
    example: Example
    a: str
    b: str
    pieces_a: list[Piece]
    pieces_b: list[Piece]

    def to_dict(self, deciding: ContributingItems) -> dict[str, object]:
        """Return a record for JSONL."""
        return {
            "id": self.item.id,
            "metric": deciding.name,
            "contribution": self.item.contribution,
            "difference": deciding.difference,
            "references": list(self.example.references),
            "source": self.example.source,
            "outputs": {deciding.a: self.a, deciding.b: self.b},
            "scores": {deciding.a: self.item.a, deciding.b: self.item.b},
            "only": {
                deciding.a: [piece.text.strip() for piece in self.pieces_a if piece.kind == "own"],
                deciding.b: [piece.text.strip() for piece in self.pieces_b if piece.kind == "own"],
            },
        }


def deciding_texts(deciding: ContributingItems, a: Path, b: Path, request: ScoreRequest) -> list[DecidingText]:
    """Return both outputs of every deciding item; outputs files are joined as the request says."""
    from assay.text.word_differences import word_differences  # its pattern takes long to compile

    first, second = (_texts(path, request) for path in (a, b))
    texts = []
    for item in deciding.items:
        for path, by_id in ((a, first), (b, second)):
            if item.id not in by_id:
                raise AssayError(f"{path}: no text of item {item.id}, which was scored. Pass the outputs file itself.")
        (mine, example), (theirs, _) = first[item.id], second[item.id]
        texts.append(DecidingText(item, example, mine, theirs, *word_differences(mine, theirs)))
    return texts


def _texts(path: Path, request: ScoreRequest) -> dict[str, tuple[str, Example]]:
    items = _of_run(path) if path.is_dir() else request.load([path])[0]
    return {example.id: (text, example) for text, example in zip(items.outputs, items.examples, strict=True)}


def _of_run(path: Path) -> Items:
    """Load the texts of a run folder; a results folder has the examples one level up."""
    outputs = path / "outputs.jsonl"
    examples = next((folder / EXAMPLES for folder in (path, path.parent) if (folder / EXAMPLES).is_file()), None)
    if not outputs.is_file():
        raise AssayError(f"{path}: its texts are missing, so items cannot be shown. Pass outputs files.")
    return load_items(outputs, examples=examples, allow_missing=True)
