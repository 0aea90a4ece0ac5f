"""A dataset's page of documentation, written from its card, so that the two cannot disagree.

python -m assay.datasets.doc_pages docs/datasets
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from assay.datasets import DATASETS, Dataset, dataset
from assay.records import write_text


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
        ("suite", card.suite),
        ("licence", card.licence),
        ("access", card.access),
        ("hub", card.hub[0] + (f" ({card.hub[1]})" if card.hub[1] else "") if card.hub else "not there"),
        ("cite", card.citation),
    ]
    table = "".join(f"| {name} | {text.replace('|', chr(92) + '|')} |\n" for name, text in rows)
    options = "".join(
        f"- `{found.name}:{field.name}=…` {_choices(field)}; default `{field.default}`\n"
        for field in dataclasses.fields(found)
    )
    listed = "".join(f"- {text}\n" for text in card.notes)
    changed = "".join(f"- {text}\n" for text in card.modifications)
    return (
        f"# {found.name}\n\n{card.title}: {card.source}\n\n"
        f"    assay read {found.name} PATH -o {found.name}.jsonl\n\n"
        f"PATH holds {card.files}.\n\n| | |\n|---|---|\n{table}"
        + (f"\n## Options\n\n{options}" if options else "")
        + (f"\n## What GEM changed\n\n{changed}" if changed else "")
        + (f"\n## Good to know\n\n{listed}" if listed else "")
    )


def _choices(field: dataclasses.Field[object]) -> str:
    return str(field.type).removeprefix("Literal").strip("[]").replace("'", "`").replace('"', "`")


def main(folder: Path) -> None:
    for name in DATASETS:
        write_text(folder / f"{name}.md", page(dataset(name)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
