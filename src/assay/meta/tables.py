"""A table of text cells as a terminal, Markdown or LaTeX (booktabs) shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.show.escape import latex, markdown, plain

Format = Literal["text", "markdown", "latex"]


@dataclass(frozen=True)
class Table:
    """A caption, headings and rows; the first column names the row, the others are numbers."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def render(self, form: Format) -> str:
        """The whole table as text in the form asked for."""
        return {"text": self._text, "markdown": self._markdown, "latex": self._latex}[form]()

    def _text(self) -> str:
        table = [[plain(cell) for cell in row] for row in (self.headings, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]

        def line(cells: Sequence[str]) -> str:
            first, *others = zip(cells, widths, strict=True)
            return "  ".join([first[0].ljust(first[1]), *(cell.rjust(size) for cell, size in others)]).rstrip()

        return "\n".join([plain(self.caption), *(f"  {line(row)}" for row in table)])

    def _markdown(self) -> str:
        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(markdown(cell) for cell in cells) + " |"

        rule = "|" + "|".join([":--", *["--:"] * (len(self.headings) - 1)]) + "|"
        return "\n".join([f"**{markdown(self.caption)}**", "", line(self.headings), rule, *map(line, self.rows)])

    def _latex(self) -> str:
        def line(cells: Sequence[str]) -> str:
            return " & ".join(latex(cell) for cell in cells) + r" \\"

        columns = "l" + "r" * (len(self.headings) - 1)
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{latex(self.caption)}}}",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                line(self.headings),
                r"\midrule",
                *map(line, self.rows),
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
            ]
        )


def figure(value: float | None, digits: int = 3) -> str:
    """A number below one by nature, without its leading zero; a dash where there is none."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    if text.lstrip("-").startswith("0."):
        text = text.replace("0.", ".", 1)
    return text.lstrip("-") if float(text) == 0 else text
