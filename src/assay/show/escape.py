"""Escaping of texts for terminals, LaTeX, Markdown, HTML and CSV, so that none becomes a command or markup."""

from __future__ import annotations

import re
from html import escape

LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "·": r"\textperiodcentered{}",
    "≥": r"$\geq$", "<": r"$<$", ">": r"$>$", "|": r"\textbar{}", "`": r"\textasciigrave{}",
    "↑": r"$\uparrow$", "↓": r"$\downarrow$", "→": r"$\rightarrow$", "†": r"\textdagger{}", "−": "$-$",
}  # fmt: skip
INTERVAL = r"\[[-+.\d]+, [-+.\d]+\](?![(\[:])"
"""Brackets that cannot become a link; they are not escaped, so that sources of tables stay readable."""
MARKDOWN = re.compile(rf"({INTERVAL})|[\\`*_\[\]<>|~$]|&(?=#?\w+;)")
LIGATURE = re.compile("([-'])(?=[-'])")
"""Characters that LaTeX would join: `--` to a dash, `''` to a quotation mark."""
FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")


def plain(text: object) -> str:
    """Return a text in one line without control characters, which are replaced by spaces."""
    line = str(text)
    return line if line.isprintable() else "".join(letter if letter.isprintable() else " " for letter in line)


def latex(text: object) -> str:
    """Escape a text for a LaTeX document."""
    written = "".join(LATEX.get(letter, letter) for letter in LIGATURE.sub(r"\1\0", plain(text)))
    return written.replace("\0", "{}")


def markdown(text: object) -> str:
    """Escape a text for a line of Markdown or a cell of a table."""
    return MARKDOWN.sub(lambda match: match[1] or f"\\{match[0]}", " ".join(plain(text).split()))


def markdown_code(text: object) -> str:
    """Return a text as inline code of Markdown, between more backticks than it contains in a row."""
    line = " ".join(plain(text).split())
    runs = re.findall("`+", line)
    fence = "`" * (max(map(len, runs)) + 1 if runs else 1)
    room = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{room}{line}{room}{fence}" if line else ""


def html(text: object) -> str:
    """Escape a text for HTML, between tags or in a quoted attribute."""
    return escape(plain(text), quote=True)


def latex_comment(text: object) -> str:
    """Return a comment of LaTeX."""
    return f"% {plain(text)}"


def html_comment(text: object) -> str:
    """Return a comment of HTML or Markdown, without hyphens or angle brackets that could end it."""
    return f"<!-- {plain(text).replace('--', '- -').replace('>', '&gt;')} -->"


def csv(text: object) -> str:
    """Escape a text for a spreadsheet, which would execute what starts like a formula; numbers are unchanged."""
    safe = plain(text)
    try:
        float(safe)
    except ValueError:
        return f"'{safe}" if FORMULA.match(safe) else safe
    return safe
