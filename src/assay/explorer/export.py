"""The overview as files for other tools: one row a line, one column a number; and as tables for a paper."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assay.explorer.exchange import to_every_eval, to_model_index
from assay.explorer.tables import scores_table, shown_axes, subset_tables, wholes
from assay.show import escape
from assay.show.tables import Column, Table, write
from assay.version import VERSION

if TYPE_CHECKING:
    import polars

    from assay.explorer.overview import Overview
    from assay.explorer.queries import Queries
    from assay.results.comparison import Comparison
    from assay.results.table_section import TableSection

FACTS = ("system", "dataset", "subset", "kind", "task", "language", "n")


def frame_of(overview: Overview) -> polars.DataFrame:
    """Plain values, unrounded; intervals stand in columns of their own where there are any."""
    import polars

    columns: dict[str, polars.Series] = {
        name: polars.Series(name, [getattr(line, name) for line in overview.lines]) for name in FACTS
    }
    for name in (axis.name for axis in overview.ordered()):
        scores = [line.scores.get(name) for line in overview.lines]
        for end, suffix in (("value", ""), ("low", ".low"), ("high", ".high")):
            values = [None if score is None else getattr(score, end) for score in scores]
            if not suffix or any(value is not None for value in values):
                columns[name + suffix] = polars.Series(name + suffix, values, dtype=polars.Float64)
    return polars.DataFrame(list(columns.values()))


def to_csv(overview: Overview) -> bytes:
    """For a spreadsheet: names of systems and of numbers that begin like a formula are guarded."""
    frame = frame_of(overview)
    return (write(Table([Column(name) for name in frame.columns], frame.rows()), "csv") + "\n").encode()


def to_parquet(overview: Overview) -> bytes:
    stream = io.BytesIO()
    frame_of(overview).write_parquet(stream, compression="zstd")
    return stream.getvalue()


def to_latex(
    overview: Overview,
    tabled: Callable[[str], TableSection | None] = lambda dataset: None,
    parents: Callable[[str], Sequence[Comparison]] = lambda dataset: (),
) -> bytes:
    """One table a dataset and one for each property it is broken down by, with what could not be read and every
    signature as comments beside it."""
    blocks = [f"% Written by assay {VERSION}. Needs \\usepackage{{booktabs}}."]
    blocks += [f"% could not be read: {escape.plain(problem)}" for problem in overview.problems]
    for dataset in overview.datasets:
        lines = wholes(overview, dataset)
        notes = [f"{note[:1].upper()}{note[1:]}." for note in overview.apart.get(dataset, ())]
        sizes = sorted({line.n for line in lines if line.n is not None})
        items = f": {' or '.join(map(str, sizes))} items" if 0 < len(sizes) < 3 else ""
        intervals = any(score.low is not None for line in lines for score in line.scores.values())
        caption = f"{dataset}{items}{', values with 95 % intervals' if intervals else ''}."
        table = write(scores_table(overview, dataset, caption, notes, tabled(dataset)), "latex")
        signed = [
            f"% {escape.plain(signature)}" + (f" ({escape.plain(', '.join(systems))})" if systems else "")
            for signature, systems in signatures_of(overview, dataset)
        ]
        subsets = [write(one.table(), "latex") for one in parents(dataset)]
        subsets += [write(subset, "latex") for subset in subset_tables(overview, dataset)]
        blocks += ["", table, *signed, *(line for subset in subsets for line in ("", subset))]
    return ("\n".join(blocks) + "\n").encode()


def signatures_of(overview: Overview, dataset: str) -> list[tuple[str, list[str]]]:
    """How the numbers of a dataset were computed; with the systems where that does not hold for all."""
    lines = wholes(overview, dataset)
    names = {axis.name for axis in shown_axes(overview, lines)}
    holders: dict[str, dict[str, None]] = {}
    for line in lines:
        for name, score in line.scores.items():
            if name in names and score.value is not None and score.signature:
                holders.setdefault(score.signature, {})[line.system] = None
    everyone = {line.system for line in lines}
    return [(signature, [] if everyone == set(systems) else list(systems)) for signature, systems in holders.items()]


EXPORTS: dict[str, tuple[str, Callable[[Queries], bytes]]] = {
    ".csv": ("text/csv; charset=utf-8", lambda queries: to_csv(queries.overview)),
    ".parquet": ("application/vnd.apache.parquet", lambda queries: to_parquet(queries.overview)),
    ".json": ("application/json", lambda queries: to_every_eval(queries.overview)),
    ".yaml": ("application/yaml", lambda queries: to_model_index(queries.overview)),
    ".tex": (
        "text/x-tex; charset=utf-8",
        lambda queries: to_latex(queries.overview, queries.tabled, queries.against_parents),
    ),
}
