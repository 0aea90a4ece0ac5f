r"""Tables, written as text, Markdown, LaTeX, HTML or CSV.

A `Table` has a caption, columns, rows of cells, and notes. `write` converts it to any of the five formats:

>>> from assay.show.tables import Cell, Column, Table, write
>>> columns = [Column("metric", "left"), Column("value"), Column("95 %")]
>>> table = Table(columns, [["rouge1", "41.0", "[38.2, 44.0]"], ["bleu", 7, None]], caption="lead · 40 outputs")
>>> print(write(table, "text"))
lead · 40 outputs
  metric   value           95 %
  rouge1    41.0   [38.2, 44.0]
  bleu         7              –
>>> print(write(table, "markdown"))
**lead · 40 outputs**
<BLANKLINE>
| metric | value | 95 % |
|:--|--:|--:|
| rouge1 | 41.0 | [38.2, 44.0] |
| bleu | 7 | – |

A cell is one of:

- a string, shown unchanged: format numbers with `assay.show.numbers` first;
- an int, or a float, which is rounded to four digits (CSV keeps it exactly);
- None, shown as a dash (empty in CSV);
- a `Cell` with more information: the exact value, its interval, bold type, remarks. `score_cell(score, part)` is the
  cell of a `Score`. (For mypy, rows of mixed cells have the type `list[list[Content]]`.)

The writer escapes captions, headings, cells and notes for each format: do not escape them yourself. Text is wrapped to
`width` if given, first in columns with `fold=True`. LaTeX needs `\usepackage{booktabs}`. CSV has no caption and no
notes; a column with intervals becomes three (`rouge1`, `rouge1.low`, `rouge1.high`), and cells that start like a
formula are quoted.
"""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from assay.errors import AssayError
from assay.show import escape
from assay.show.numbers import DASH, Shown, rounded, scored
from assay.show.text_table import text_table

if TYPE_CHECKING:
    from assay.records import Score

Form = Literal["text", "markdown", "latex", "html", "csv"]
FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    align: Literal["left", "right"] = "right"
    fold: bool = False
    """Whether its texts can be wrapped if the table is too wide for a terminal."""
    group: str = ""
    """Common heading of neighbouring columns: a dataset, a subset."""
    sign: str = ""
    """Arrow after the name that shows which direction is better."""

    @property
    def heading(self) -> str:
        return f"{self.name} {self.sign}".rstrip()

    @property
    def full_name(self) -> str:
        """The group and the name, for formats without headings that span columns."""
        return f"{self.group} {self.name}".strip()


@dataclass(frozen=True)
class Cell:
    """A text with its exact value and further information."""

    text: str
    value: float | None = None
    """Exact value, which CSV has instead of the text."""
    low: float | None = None
    high: float | None = None
    strong: bool = False
    """Whether it is in bold type."""
    remark: str = ""
    """Explanation, a tooltip in HTML."""
    mark: str = ""
    """Sign that a note explains, superscript if the format has it; it does not shift the digits."""
    verdict: str = ""
    """Meaning of bold type and marks in one word, a separate column in CSV."""


Content = str | int | float | None | Cell


@dataclass(frozen=True)
class Table:
    """Columns and rows of cells; the first column names the row."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Content]]
    caption: str = ""
    notes: Sequence[str] = ()
    comments: Sequence[str] = ()
    """Comments in the source of a LaTeX, Markdown or HTML table."""
    label: str = ""
    """Label of the table in LaTeX."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells in a table of {len(self.columns)} columns: {row}")

    @classmethod
    def of(cls, caption: str, headings: Sequence[str], rows: Sequence[Sequence[Content]]) -> Table:
        """Return a table with text in the first column and right-aligned numbers in the others."""
        columns = [Column(name, "right" if number else "left") for number, name in enumerate(headings)]
        return cls(columns, rows, caption)


def score_cell(score: Score | None, part: Shown, *, strong: bool = False) -> Cell:
    """Return the cell of a score in the format of its part; a dash with the reason if it has no value."""
    if score is None or score.value is None:
        return Cell(DASH, remark=(score.why if score else "") or "not computed")
    return Cell(scored(score, part), score.value, score.low, score.high, strong)


def write(table: Table, form: Form, width: int | None = None, *, styled: bool = False) -> str:
    """Return a table in one of the formats, without a final line break.

    Args:
        table: The table.
        form: `text`, `markdown`, `latex`, `html` or `csv`.
        width: Width of the terminal, for text (default: unlimited).
        styled: Whether headings and strong cells are bold, for text.
    """
    if form == "text":
        return _text(table, width, styled)
    from assay.show.markup import to_html, to_latex, to_markdown

    writers: dict[str, Callable[[Table], str]] = {
        "markdown": to_markdown, "latex": to_latex, "html": to_html, "csv": _csv
    }  # fmt: skip
    if form not in writers:
        raise AssayError(f"no table format '{form}'; choose one of {', '.join(FORMS)}")
    return writers[form](table)


def write_all(tables: Sequence[Table], form: Form, width: int | None = None, *, styled: bool = False) -> str:
    """Return several tables, separated by empty lines; in CSV, each with its caption."""
    if form == "csv" and len(tables) > 1:
        return "\n\n".join(f"{_lines([[table.caption]])}\n{_csv(table)}" for table in tables)
    return "\n\n".join(write(table, form, width, styled=styled) for table in tables)


def shown(content: Content) -> str:
    """Return the text of a cell, not yet escaped."""
    if isinstance(content, Cell):
        return content.text
    if content is None:
        return DASH
    return rounded(content) if isinstance(content, float) else str(content)


def as_cell(content: Content) -> Cell:
    """Return any content of a row as a `Cell`."""
    if isinstance(content, Cell):
        return content
    return Cell(shown(content), content if isinstance(content, float) else None)


def is_strong(content: Content) -> bool:
    return isinstance(content, Cell) and content.strong


def _text(table: Table, width: int | None, styled: bool) -> str:
    head = [f"{column.group} {column.heading}".strip() for column in table.columns]
    marked = [any(as_cell(row[number]).mark for row in table.rows) for number in range(len(head))]
    texts = [
        [shown(cell) + (as_cell(cell).mark or " ") * marks for cell, marks in zip(row, marked, strict=True)]
        for row in table.rows
    ]
    head = [name + " " * marks for name, marks in zip(head, marked, strict=True)]
    rows = [[escape.plain(cell) for cell in row] for row in (head, *texts)]
    strong = [[True for _ in head], *([is_strong(cell) for cell in row] for row in table.rows)]
    lines = text_table(
        rows,
        right=[column.align == "right" for column in table.columns],
        fold=[column.fold for column in table.columns],
        bold=strong if styled else None,
        width=width,
    )
    caption = [escape.plain(table.caption)] if table.caption else []
    notes = [f"  {escape.plain(note)}" for note in table.notes]
    if width:
        notes = [textwrap.fill(note, width, subsequent_indent="  ", break_on_hyphens=False) for note in notes]
    return "\n".join([*caption, *lines, *notes])


def _csv(table: Table) -> str:
    columns: list[list[Content]] = []
    for number, column in enumerate(table.columns):
        contents = [row[number] for row in table.rows]
        if not any(isinstance(content, Cell) for content in contents):
            columns.append([column.full_name, *contents])
            continue
        name, cells = column.full_name, [as_cell(content) for content in contents]
        columns.append([name, *(cell.text if cell.value is None else cell.value for cell in cells)])
        if any(cell.low is not None for cell in cells):
            columns.append([f"{name}.low", *(cell.low for cell in cells)])
            columns.append([f"{name}.high", *(cell.high for cell in cells)])
        if any(cell.verdict for cell in cells):
            columns.append([f"{name}.verdict", *(cell.verdict for cell in cells)])
    return _lines(zip(*columns, strict=True))


def _lines(rows: Iterable[Sequence[Content]]) -> str:
    """Return lines of CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(map(_field, row) for row in rows)
    return stream.getvalue().removesuffix("\n")


def _field(content: Content) -> str:
    """Return a field of CSV; a dash, for a missing number, is empty."""
    if isinstance(content, float):
        return repr(content)
    text = shown(content)
    return "" if text == DASH else escape.csv(text)
