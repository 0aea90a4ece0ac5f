"""The overview as files for other tools (one row per run, one column per metric) and as tables for papers."""

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
    """Return unrounded scores; confidence intervals have columns of their own."""
    import polars

    columns: dict[str, polars.Series] = {
        name: polars.Series(name, [getattr(run, name) for run in overview.runs]) for name in FACTS
    }
    for name in (axis.name for axis in overview.ordered()):
        scores = [run.scores.get(name) for run in overview.runs]
        for end, suffix in (("value", ""), ("low", ".low"), ("high", ".high")):
            values = [None if score is None else getattr(score, end) for score in scores]
            if not suffix or any(value is not None for value in values):
                columns[name + suffix] = polars.Series(name + suffix, values, dtype=polars.Float64)
    return polars.DataFrame(list(columns.values()))


def to_csv(overview: Overview) -> bytes:
    """Return CSV for spreadsheets: names that start like a formula are escaped."""
    frame = frame_of(overview)
    return (write(Table([Column(name) for name in frame.columns], frame.rows()), "csv") + "\n").encode()


def to_parquet(overview: Overview) -> bytes:
    stream = io.BytesIO()
    frame_of(overview).write_parquet(stream, compression="zstd")
    return stream.getvalue()


def to_latex(
    overview: Overview,
    tested: Callable[[str], TableSection | None] = lambda dataset: None,
    parents: Callable[[str], Sequence[Comparison]] = lambda dataset: (),
) -> bytes:
    """Return one table for each dataset and each property of subsets, with problems and signatures as comments."""
    blocks = [f"% Written by assay {VERSION}. Needs \\usepackage{{booktabs}}."]
    blocks += [f"% not read: {escape.plain(problem)}" for problem in overview.problems]
    for dataset in overview.datasets:
        runs = wholes(overview, dataset)
        notes = [f"{note[:1].upper()}{note[1:]}." for note in overview.not_comparable.get(dataset, ())]
        sizes = sorted({run.n for run in runs if run.n is not None})
        items = f": {' or '.join(map(str, sizes))} items" if 0 < len(sizes) < 3 else ""
        intervals = any(score.low is not None for run in runs for score in run.scores.values())
        caption = f"{dataset}{items}{', scores with 95 % confidence intervals' if intervals else ''}."
        table = write(scores_table(overview, dataset, caption, notes, tested(dataset)), "latex")
        signed = [
            f"% {escape.plain(signature)}" + (f" ({escape.plain(', '.join(systems))})" if systems else "")
            for signature, systems in signatures_of(overview, dataset)
        ]
        subsets = [write(one.table(), "latex") for one in parents(dataset)]
        subsets += [write(subset, "latex") for subset in subset_tables(overview, dataset)]
        blocks += ["", table, *signed, *(run for subset in subsets for run in ("", subset))]
    return ("\n".join(blocks) + "\n").encode()


def signatures_of(overview: Overview, dataset: str) -> list[tuple[str, list[str]]]:
    """Return the signatures of a dataset's scores, with the systems they apply to where that is not all."""
    runs = wholes(overview, dataset)
    names = {axis.name for axis in shown_axes(overview, runs)}
    systems_by_signature: dict[str, dict[str, None]] = {}
    for run in runs:
        for name, score in run.scores.items():
            if name in names and score.value is not None and score.signature:
                systems_by_signature.setdefault(score.signature, {})[run.system] = None
    all_systems = {run.system for run in runs}
    return [
        (signature, [] if all_systems == set(systems) else list(systems))
        for signature, systems in systems_by_signature.items()
    ]


EXPORTS: dict[str, tuple[str, Callable[[Queries], bytes]]] = {
    ".csv": ("text/csv; charset=utf-8", lambda queries: to_csv(queries.overview)),
    ".parquet": ("application/vnd.apache.parquet", lambda queries: to_parquet(queries.overview)),
    ".json": ("application/json", lambda queries: to_every_eval(queries.overview)),
    ".yaml": ("application/yaml", lambda queries: to_model_index(queries.overview)),
    ".tex": (
        "text/x-tex; charset=utf-8",
        lambda queries: to_latex(queries.overview, queries.tested_table, queries.against_parents),
    ),
}
