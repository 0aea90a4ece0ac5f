r"""Tables: said once, written as text, Markdown, LaTeX, HTML or CSV.

A `Table` is a caption, columns, rows of cells, and notes below. Whoever knows what is shown builds one; `write` turns
it into any of the five forms:

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

What may stand in a cell:

- a text, shown as it is: format numbers with `assay.show.numbers` first;
- an int, or a float, which is rounded to four figures (CSV keeps it exactly);
- None, a dash (nothing in CSV);
- a `Cell`, when there is more to say: the exact number behind a text, its interval, that it is strong, remarks.
  `score_cell(score, part)` is the cell of a `Score`. (mypy wants rows of mixed cells called `list[list[Content]]`.)

Texts are hostile until written: the writer escapes captions, headings, cells and notes for the form, so give them raw
and never escape them yourself. Text is as wide as it is, or folded to `width`; columns with `fold=True` give way first.
LaTeX needs `\usepackage{booktabs}`. CSV has no caption and no notes; a column whose cells have intervals becomes three
(`rouge1`, `rouge1.low`, `rouge1.high`), and what begins like a formula is guarded.
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
    name: str
    align: Literal["left", "right"] = "right"
    fold: bool = False
    """Its texts may take several lines where the table is too wide for a terminal."""
    group: str = ""
    """What it stands under together with its neighbours of the same group: a dataset, a subset."""
    sign: str = ""
    """For people, after the name: an arrow that says which way is better."""

    @property
    def heading(self) -> str:
        return f"{self.name} {self.sign}".rstrip()

    @property
    def full_name(self) -> str:
        """Where headings cannot span columns, the group stands before the name."""
        return f"{self.group} {self.name}".strip()


@dataclass(frozen=True)
class Cell:
    """A text with what stands behind it."""

    text: str
    value: float | None = None
    """The exact number, which CSV writes in place of the text."""
    low: float | None = None
    high: float | None = None
    strong: bool = False
    remark: str = ""
    """Why it is as it is; pages show it when pointed at."""
    mark: str = ""
    """A sign that a note explains, raised where a form can do so; it does not move the digits."""
    verdict: str = ""
    """What strong type and marks say, in a word: CSV has it in a column of its own."""


Content = str | int | float | None | Cell


@dataclass(frozen=True)
class Table:
    """Columns and rows of cells, every row as long as there are columns; the first column names the row."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Content]]
    caption: str = ""
    notes: Sequence[str] = ()
    comments: Sequence[str] = ()
    """For whoever reads the source of a LaTeX, Markdown or HTML table."""
    label: str = ""
    """By which a LaTeX document refers to it."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells in a table of {len(self.columns)} columns: {row}")

    @classmethod
    def of(cls, caption: str, headings: Sequence[str], rows: Sequence[Sequence[Content]]) -> Table:
        """The usual table: the first column is text on the left, all others are numbers on the right."""
        columns = [Column(name, "right" if place else "left") for place, name in enumerate(headings)]
        return cls(columns, rows, caption)


def score_cell(score: Score | None, part: Shown, *, strong: bool = False) -> Cell:
    """A score as its metric's part wants it shown; a dash with the reason where there is none."""
    if score is None or score.value is None:
        return Cell(DASH, remark=(score.why if score else "") or "not computed")
    return Cell(scored(score, part), score.value, score.low, score.high, strong)


def write(table: Table, form: Form, width: int | None = None, *, styled: bool = False) -> str:
    """The table in one of the forms, without a line break at its end.

    `width` and `styled` are for text: the columns of the terminal, and whether headings and strong cells are bold.
    """
    if form == "text":
        return _text(table, width, styled)
    from assay.show.markup import to_html, to_latex, to_markdown

    writers: dict[str, Callable[[Table], str]] = {
        "markdown": to_markdown, "latex": to_latex, "html": to_html, "csv": _csv
    }  # fmt: skip
    if form not in writers:
        raise AssayError(f"no table format '{form}'; choose from {', '.join(FORMS)}")
    return writers[form](table)


def write_all(tables: Sequence[Table], form: Form, width: int | None = None, *, styled: bool = False) -> str:
    """Tables one below the other, an empty line between them; in CSV each below its caption."""
    if form == "csv" and len(tables) > 1:
        return "\n\n".join(f"{_lines([[table.caption]])}\n{_csv(table)}" for table in tables)
    return "\n\n".join(write(table, form, width, styled=styled) for table in tables)


def shown(content: Content) -> str:
    """A cell's text as people see it, not escaped yet."""
    if isinstance(content, Cell):
        return content.text
    if content is None:
        return DASH
    return rounded(content) if isinstance(content, float) else str(content)


def as_cell(content: Content) -> Cell:
    """Whatever stands in a row, as a cell."""
    if isinstance(content, Cell):
        return content
    return Cell(shown(content), content if isinstance(content, float) else None)


def is_strong(content: Content) -> bool:
    return isinstance(content, Cell) and content.strong


def _text(table: Table, width: int | None, styled: bool) -> str:
    head = [f"{column.group} {column.heading}".strip() for column in table.columns]
    marked = [any(as_cell(row[place]).mark for row in table.rows) for place in range(len(head))]
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
    for place, column in enumerate(table.columns):
        contents = [row[place] for row in table.rows]
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
    """Lines of CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(map(_field, row) for row in rows)
    return stream.getvalue().removesuffix("\n")


def _field(content: Content) -> str:
    """A dash is a number that does not exist, and stays empty."""
    if isinstance(content, float):
        return repr(content)
    text = shown(content)
    return "" if text == DASH else escape.csv(text)
