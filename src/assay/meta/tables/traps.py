"""How often metrics put the original above the trap, as a table: a row a number, a column a kind of mistake."""

from __future__ import annotations

from assay.meta.traps import Probe
from assay.show.numbers import share
from assay.show.tables import Cell, Column, Content, Table


def trap_tables(probe: Probe) -> list[Table]:
    kinds = list(dict.fromkeys(row.kind for row in probe.rows))
    rows: list[list[Content]] = []
    for name, (label, _) in probe.parts.items():
        cells: list[Content] = [label]
        for kind in kinds:
            row = next((row for row in probe.rows if (row.metric, row.kind) == (name, kind)), None)
            if row is None:
                cells.append(None)
                continue
            tied = f" ={share(row.tied)}" if row.tied >= 0.005 else ""
            text = f"{share(row.above)} [{share(row.low)}, {share(row.high)}]{tied}"
            cells.append(Cell(text, row.above, row.low, row.high, strong=row.below > row.above))
        rows.append(cells)
    counts: list[list[Content]] = [
        [kind, own["n"], own["with_original"], own["one_word_apart"], own["verbatim"]]
        for kind, own in probe.counts.items()
    ]
    columns = [Column("", "left"), *(Column(kind) for kind in kinds)]
    notes = [
        "original above the trap, with Wilson's 95 % interval (of as many items as the documents' are worth); "
        "=N%: not told apart; strong: the trap comes first more often than the original"
    ]
    return [
        Table(columns, rows, "Does the original come first?", notes),
        Table.of("Traps", ["kind", "traps", "with an original", "one word apart", "verbatim"], counts),
    ]
