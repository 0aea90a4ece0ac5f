"""Constructors of typed inputs, one per kind, shared by readers, forms and challenge sets."""

from __future__ import annotations

import re
from typing import Any

from assay.datasets.record import Record, kind
from assay.records.kinds import Slots, Table, Triple, Value

MR_SLOT = re.compile(r"\s*+([^\[\],]+?)\[([^\]]*)\]\s*(?:,|$)")
CZECH_ACT = re.compile(r"(\??\w+)\((.*)\)", re.DOTALL)
CZECH_SLOT = re.compile(r"""\s*(\w+)(?:=(?:'([^']*)'|"([^"]*)"|([^,]*)))?\s*(?:,|$)""")


def triple(record: Record, value: Any, field: str) -> Triple:
    """Parse subject, predicate, object from a list of three or from "s | p | o"."""
    parts = [part.strip() for part in value.split(" | ")] if isinstance(value, str) else value
    if not isinstance(parts, list) or len(parts) != 3 or not all(isinstance(part, str) for part in parts):
        raise record.bad(field, f"holds {kind(value)} that is not subject, predicate and object")
    return Triple(*parts)


def slots(record: Record, text: str, field: str = "mr") -> Slots:
    """`name[Thornbeck], area[city centre]` to ordered slot-value pairs."""
    pairs: list[tuple[str, Value]] = []
    position = 0
    while position < len(text):
        match = MR_SLOT.match(text, position)
        if not match:
            raise record.bad(field, f"is not a list of slot[value] at character {position + 1}")
        pairs.append((match[1].strip(), match[2]))
        position = match.end()
    if not pairs:
        raise record.bad(field, "has no slot")
    return Slots(slots=pairs)


def czech_act(record: Record, text: str, field: str = "da") -> Slots:
    """`inform(area='X or Y',food=none)` to an act with ordered slot-value pairs; `?request(area)` has no value."""
    match = CZECH_ACT.fullmatch(text.strip())
    if not match:
        raise record.bad(field, "is not act(slot=value,...)")
    act, inside = match[1], match[2]
    pairs: list[tuple[str, Value]] = []
    position = 0
    while position < len(inside):
        slot = CZECH_SLOT.match(inside, position)
        if not slot or slot.end() == position:
            raise record.bad(field, f"is not a list of slot=value at character {len(act) + position + 2}")
        value = next((group for group in slot.groups()[1:] if group is not None), None)
        pairs.append((slot[1], value))
        position = slot.end()
    return Slots(act=act, slots=pairs)


def table(record: Record) -> Table:
    """Return a table with its titles and the cells to describe, in ToTTo's format."""
    rows = record.typed("table", list)
    if not all(isinstance(row, list) and all(isinstance(cell, dict) for cell in row) for row in rows):
        raise record.bad("table", "is not a list of rows of cells")
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if not isinstance(cell.get("value"), str):
                raise record.bad(f"table[{r}][{c}]", "has no text under 'value'")
    cells = record.typed("highlighted_cells", list)
    for i, cell in enumerate(cells):
        ok = isinstance(cell, list) and len(cell) == 2 and all(isinstance(x, int) and x >= 0 for x in cell)
        if not ok or cell[0] >= len(rows) or cell[1] >= len(rows[cell[0]]):
            raise record.bad(f"highlighted_cells[{i}]", "does not point to a cell of the table")
    return Table(
        page_title=record.optional("table_page_title"),
        section_title=record.optional("table_section_title"),
        section_text=record.optional("table_section_text"),
        table=rows,  # the cells as they were published
        highlighted=cells,
    )
