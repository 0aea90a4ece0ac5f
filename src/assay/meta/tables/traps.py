"""Tables of trap sentences: how often metrics rank the original above the trap, by kind of error."""

from __future__ import annotations

from assay.meta.traps import Probe
from assay.show.numbers import share
from assay.show.tables import Cell, Column, Content, Table


def trap_tables(probe: Probe) -> list[Table]:
    """Return the share of originals ranked above their trap by metric and kind, and the counts of traps."""
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
        "Share of originals ranked above the trap [95 % CI, Wilson, effective n by documents]; =N%: ties; bold: the "
        "trap is ranked higher more often than the original."
    ]
    return [
        Table(columns, rows, "Original ranked above the trap", notes),
        Table.of("Traps", ["kind", "traps", "with original", "one word apart", "verbatim"], counts),
    ]
