"""Tables as Markdown, LaTeX and HTML, with headings that span columns, superscript marks and comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from assay.show import escape
from assay.show.tables import Column, Content, Table, as_cell, is_strong, shown

LABEL = re.compile(r"[^\w:.+-]")
"""Characters that a LaTeX label cannot contain."""


def to_markdown(table: Table) -> str:
    """Return a pipe table; group names are written before the column names."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def cell(content: Content) -> str:
        text = escape.markdown(shown(content))
        return (f"**{text}**" if is_strong(content) and text else text) + escape.markdown(as_cell(content).mark)

    lines = [escape.html_comment(comment) for comment in table.comments]
    lines += [""] if lines else []
    lines += [f"**{escape.markdown(table.caption)}**", ""] if table.caption else []
    lines.append(line([escape.markdown(f"{column.group} {column.heading}".strip()) for column in table.columns]))
    lines.append(f"|{'|'.join(':--' if column.align == 'left' else '--:' for column in table.columns)}|")
    lines += [line([cell(content) for content in row]) for row in table.rows]
    for note in table.notes:
        lines += ["", f"*{escape.markdown(note)}*"]
    return "\n".join(lines)


def to_latex(table: Table) -> str:
    """Return a table environment with the rules of booktabs."""

    def line(cells: Sequence[str]) -> str:
        text = " & ".join(cells)
        # A row that starts with a bracket or star would be an option of the previous command.
        return ("{}" if text.startswith(("[", "*")) else "") + text + r" \\"

    def cell(content: Content) -> str:
        text, mark = escape.latex(shown(content)), escape.latex(as_cell(content).mark)
        written = rf"\textbf{{{text}}}" if is_strong(content) else text
        return written + (rf"\rlap{{\textsuperscript{{{mark}}}}}" if mark else "")

    lines = [escape.latex_comment(comment) for comment in table.comments]
    lines += [r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{escape.latex(table.caption)}}}"] if table.caption else []
    lines += [rf"\label{{{LABEL.sub('-', table.label)}}}"] if table.label else []
    lines.append(rf"\begin{{tabular}}{{{''.join(column.align[0] for column in table.columns)}}}")
    lines.append(r"\toprule")
    if any(column.group for column in table.columns):
        heads, rules, place = [], [], 1
        for group, span in spans(table.columns):
            heads.append(rf"\multicolumn{{{span}}}{{c}}{{{escape.latex(group)}}}" if group else " & " * (span - 1))
            if group:
                rules.append(rf"\cmidrule(lr){{{place}-{place + span - 1}}}")
            place += span
        lines += [line(heads), " ".join(rules)]
    lines += [line([escape.latex(column.heading) for column in table.columns]), r"\midrule"]
    lines += [line([cell(content) for content in row]) for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    for note in table.notes:
        lines += ["", rf"\smallskip {escape.latex(note)}"]
    return "\n".join([*lines, r"\end{table}"])


def to_html(table: Table) -> str:
    """Return a table element, and a paragraph for each note."""
    sides = [f' style="text-align:{column.align}"' for column in table.columns]

    def cell(content: Content, place: int) -> str:
        text, mark = escape.html(shown(content)), escape.html(as_cell(content).mark)
        remark = as_cell(content).remark
        attributes = sides[place] + (f' title="{escape.html(remark)}"' if remark else "")
        inner = (f"<strong>{text}</strong>" if is_strong(content) else text) + (f"<sup>{mark}</sup>" if mark else "")
        return f"<td{attributes}>{inner}</td>" if place else f'<th scope="row"{attributes}>{inner}</th>'

    heads = [
        f'<th scope="col"{side}>{escape.html(column.heading)}</th>'
        for column, side in zip(table.columns, sides, strict=True)
    ]
    lines = [*(escape.html_comment(comment) for comment in table.comments), "<table>"]
    lines += [f"<caption>{escape.html(table.caption)}</caption>"] if table.caption else []
    groups = ""
    if any(column.group for column in table.columns):
        each = (
            f'<th scope="colgroup" colspan="{span}">{escape.html(name)}</th>' for name, span in spans(table.columns)
        )
        groups = f"<tr>{''.join(each)}</tr>"
    lines += [f"<thead>{groups}<tr>{''.join(heads)}</tr></thead>", "<tbody>"]
    lines += [f"<tr>{''.join(cell(content, place) for place, content in enumerate(row))}</tr>" for row in table.rows]
    return "\n".join([*lines, "</tbody>", "</table>", *(f"<p>{escape.html(note)}</p>" for note in table.notes)])


def spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """Return the groups of neighbouring columns with their numbers of columns."""
    return [(group, len(list(members))) for group, members in groupby(columns, key=lambda column: column.group)]
