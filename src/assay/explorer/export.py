"""The board as files for other tools: one row a line, one column a number."""

from __future__ import annotations

import io
from collections.abc import Callable

import polars

from assay.explorer.overview import Board
from assay.show.escape import latex
from assay.show.numbers import number

FACTS = ("system", "dataset", "subset", "kind", "task", "language", "n")


def frame_of(board: Board) -> polars.DataFrame:
    """Plain values, unrounded; intervals stand in columns of their own where there are any."""
    columns: dict[str, polars.Series] = {
        name: polars.Series(name, [getattr(line, name) for line in board.lines]) for name in FACTS
    }
    for axis in board.ordered():
        scores = [line.scores.get(axis.name) for line in board.lines]
        for end, suffix in (("value", ""), ("low", ".low"), ("high", ".high")):
            values = [None if score is None else getattr(score, end) for score in scores]
            if not suffix or any(value is not None for value in values):
                columns[axis.name + suffix] = polars.Series(axis.name + suffix, values, dtype=polars.Float64)
    return polars.DataFrame(list(columns.values()))


def to_csv(board: Board) -> bytes:
    frame = frame_of(board)
    # A spreadsheet would run a text that begins like a formula.
    texts = polars.col(polars.String)
    guarded = polars.when(texts.str.contains(r"^[=+\-@\t\r]")).then(polars.lit("'") + texts).otherwise(texts)
    return frame.with_columns(guarded.name.keep()).write_csv().encode()


def to_parquet(board: Board) -> bytes:
    stream = io.BytesIO()
    frame_of(board).write_parquet(stream, compression="zstd")
    return stream.getvalue()


def to_latex(board: Board) -> bytes:
    """One table a dataset: whole sets, the numbers a table shows."""
    blocks = ["% Needs \\usepackage{booktabs}."]
    for dataset in dict.fromkeys(line.dataset for line in board.lines):
        lines = [line for line in board.lines if line.dataset == dataset and line.kind != "subset"]
        axes = [a for a in board.ordered() if a.part.shown and any(_has(line.scores.get(a.name)) for line in lines)]
        head = " & ".join(["system", "set", *(latex(axis.name) for axis in axes)])
        rows = []
        for line in lines:
            cells = [latex(line.system), latex(line.subset or "all")]
            for axis in axes:
                score = line.scores.get(axis.name)
                cells.append(latex(number(None if score is None else score.value, axis.part)))
            rows.append(" & ".join(cells) + r" \\")
        blocks.append(
            "\\begin{table}\n\\centering\n"
            + f"\\caption{{{latex(dataset)}}}\n\\begin{{tabular}}{{ll{'r' * len(axes)}}}\n\\toprule\n"
            + head + " \\\\\n\\midrule\n" + "\n".join(rows)
            + "\n\\bottomrule\n\\end{tabular}\n\\end{table}\n"
        )  # fmt: skip
    return "\n".join(blocks).encode()


def _has(score: object) -> bool:
    return getattr(score, "value", None) is not None


EXPORTS: dict[str, tuple[str, Callable[[Board], bytes]]] = {
    ".csv": ("text/csv; charset=utf-8", to_csv),
    ".parquet": ("application/vnd.apache.parquet", to_parquet),
    ".tex": ("text/x-tex; charset=utf-8", to_latex),
}
