"""A dataset's page of documentation and its row in the overview, written from its card, so that they cannot disagree.

python -m assay.datasets.doc_pages docs/datasets
"""

from __future__ import annotations

import dataclasses
import sys
from itertools import zip_longest
from pathlib import Path

from assay.datasets import DATASETS, Dataset, dataset
from assay.errors import AssayError
from assay.records import write_text
from assay.show.tables import Column, Table, write

HEAD = "| dataset | task | input | dataset | task | input |\n|---|---|---|---|---|---|\n"


def page(found: Dataset) -> str:
    """The card as Markdown."""
    card = found.card
    rows = [
        ("task", card.task),
        ("goal", card.goal),
        ("languages", ", ".join(card.languages)),
        ("sizes", ", ".join(f"{split} {count:,}" for split, count in card.sizes.items())),
        ("references an item", card.references),
        ("input", card.input_type),
        ("suite", card.suite or "none: no text is generated"),
        ("licence", card.licence),
        ("access", card.access),
        ("hub", card.hub[0] + (f" ({card.hub[1]})" if card.hub[1] else "") if card.hub else "not there"),
        ("cite", card.citation),
    ]
    table = write(Table([Column("", "left"), Column("", "left")], rows), "markdown")
    options = "".join(
        f"- `{found.name}:{field.name}=…` {_choices(field)}; default `{field.default}`\n"
        for field in dataclasses.fields(found)
    )
    listed = "".join(f"- {text}\n" for text in card.notes)
    changed = "".join(f"- {text}\n" for text in card.modifications)
    return (
        f"# {found.name}\n\n{card.title}: {card.source}\n\n"
        f"    assay data read {found.name} PATH -o {found.name}.jsonl\n\n"
        f"PATH holds {card.files}.\n\n{table}\n"
        + (f"\n## Options\n\n{options}" if options else "")
        + (f"\n## What GEM changed\n\n{changed}" if changed else "")
        + (f"\n## Good to know\n\n{listed}" if listed else "")
    )


def _choices(field: dataclasses.Field[object]) -> str:
    return str(field.type).removeprefix("Literal").strip("[]").replace("'", "`").replace('"', "`")


def overview(index: str) -> str:
    """The page of all datasets with its table as the cards are now: two datasets a row, read down the columns.

    Its cells hold links, which `show.tables` would write as plain text.
    """
    cards = [(name, dataset(name).card) for name in DATASETS]
    cells = [f"| [{name}]({name}.md) | {card.task} | {card.input_type} " for name, card in cards]
    half = (len(cells) + 1) // 2
    pairs = zip_longest(cells[:half], cells[half:], fillvalue="| | | ")
    before, head, rest = index.partition(HEAD)
    if not head:
        raise AssayError(f"index.md: has no table that begins with {HEAD.splitlines()[0]}")
    return before + head + "".join(f"{left}{right}|\n" for left, right in pairs) + rest[rest.index("\n\n") + 1 :]


def main(folder: Path) -> None:
    for name in DATASETS:
        write_text(folder / f"{name}.md", page(dataset(name)))
    index = folder / "index.md"
    write_text(index, overview(index.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
