"""Write the documentation page of each dataset and the overview table from its card.

python -m assay.datasets.doc_pages docs/datasets
"""

from __future__ import annotations

import dataclasses
import sys
import textwrap
from itertools import zip_longest
from pathlib import Path

from assay.datasets import DATASETS, Dataset, dataset
from assay.errors import AssayError
from assay.records import write_text
from assay.show.tables import Column, Table, write

HEAD = "| dataset | task | input | dataset | task | input |\n|---|---|---|---|---|---|\n"


def page(reader: Dataset) -> str:
    """Return the card as Markdown."""
    card = reader.card
    rows = [
        ("task", card.task),
        ("goal", card.goal),
        ("languages", ", ".join(card.languages)),
        ("sizes", ", ".join(f"{split} {count:,}" for split, count in card.sizes.items())),
        ("references per item", card.references),
        ("input", card.input_type),
        ("suite", card.suite or "none: no text is generated"),
        ("licence", card.licence),
        ("access", card.access),
        ("hub", card.hub[0] + (f" ({card.hub[1]})" if card.hub[1] else "") if card.hub else "not there"),
        ("cite", card.citation),
    ]
    table = write(Table([Column("", "left"), Column("", "left")], rows), "markdown")
    options = "".join(
        _wrapped(f"- `{reader.name}:{field.name}=…` {_choices(field)}; default `{field.default}`")
        for field in dataclasses.fields(reader)
    )
    listed = "".join(_wrapped(f"- {text}") for text in card.notes)
    changed = "".join(_wrapped(f"- {text}") for text in card.modifications)
    return (
        f"# {reader.name}\n\n{_wrapped(f'{card.title}: {card.source}')}\n"
        f"    assay data read {reader.name} PATH -o {reader.name}.jsonl\n\n"
        f"{_wrapped(f'PATH contains {card.files}.')}\n{table}\n"
        + (f"\n## Options\n\n{options}" if options else "")
        + (f"\n## What GEM changed\n\n{changed}" if changed else "")
        + (f"\n## Notes\n\n{listed}" if listed else "")
    )


def _wrapped(text: str) -> str:
    """Return a paragraph or an entry of a list, in lines of at most 120 characters."""
    indent = "  " if text.startswith("- ") else ""
    lines = textwrap.wrap(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def _choices(field: dataclasses.Field[object]) -> str:
    return str(field.type).removeprefix("Literal").strip("[]").replace("'", "`").replace('"', "`")


def overview(index: str) -> str:
    """Return the overview page with its table from the current cards: two datasets per row, in column order.

    Its cells contain links, which `show.tables` would write as plain text.
    """
    cards = [(name, dataset(name).card) for name in DATASETS]
    cells = [f"| [{name}]({name}.md) | {card.task} | {card.input_type} " for name, card in cards]
    half = (len(cells) + 1) // 2
    pairs = zip_longest(cells[:half], cells[half:], fillvalue="| | | ")
    before, head, rest = index.partition(HEAD)
    if not head:
        raise AssayError(f"index.md: has no table that starts with {HEAD.splitlines()[0]}")
    return before + head + "".join(f"{left}{right}|\n" for left, right in pairs) + rest[rest.index("\n\n") + 1 :]


def main(folder: Path) -> None:
    for name in DATASETS:
        write_text(folder / f"{name}.md", page(dataset(name)))
    index = folder / "index.md"
    write_text(index, overview(index.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
