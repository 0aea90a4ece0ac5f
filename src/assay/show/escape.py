"""Texts on a terminal and inside LaTeX, Markdown, HTML and CSV: nothing in them may become a command or markup."""

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
"""Brackets that cannot become a link, so that tables of numbers stay readable as they are."""
MARKDOWN = re.compile(rf"({INTERVAL})|[\\`*_\[\]<>|~$]|&(?=#?\w+;)")
LIGATURE = re.compile("([-'])(?=[-'])")
"""Marks that LaTeX would make one of: `--` a dash, `''` a quotation mark."""
FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")


def plain(text: object) -> str:
    """Text that stays on its line and cannot steer a terminal: blanks stand for what cannot be printed."""
    given = str(text)
    return given if given.isprintable() else "".join(letter if letter.isprintable() else " " for letter in given)


def latex(text: object) -> str:
    """Text in a LaTeX document: every letter stands for itself."""
    written = "".join(LATEX.get(letter, letter) for letter in LIGATURE.sub(r"\1\0", plain(text)))
    return written.replace("\0", "{}")


def markdown(text: object) -> str:
    """Text inside a line of Markdown or a table's cell: nothing in it may end the cell or become markup."""
    return MARKDOWN.sub(lambda found: found[1] or f"\\{found[0]}", " ".join(plain(text).split()))


def markdown_code(text: object) -> str:
    """Text as code inside a line of Markdown: between more backticks than it has in a row."""
    line = " ".join(plain(text).split())
    runs = re.findall("`+", line)
    fence = "`" * (max(map(len, runs)) + 1 if runs else 1)
    room = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{room}{line}{room}{fence}" if line else ""


def html(text: object) -> str:
    """Text in a page, between tags or in a quoted attribute."""
    return escape(plain(text), quote=True)


def latex_comment(text: object) -> str:
    """Text in a comment of a LaTeX source: it stays on its line."""
    return f"% {plain(text)}"


def html_comment(text: object) -> str:
    """Text in a comment of a page or of Markdown, which two hyphens or an angle bracket might end."""
    return f"<!-- {plain(text).replace('--', '- -').replace('>', '&gt;')} -->"


def csv(text: object) -> str:
    """Text in a spreadsheet's cell, which would run what begins like a formula; a number is left alone."""
    safe = plain(text)
    try:
        float(safe)
    except ValueError:
        return f"'{safe}" if FORMULA.match(safe) else safe
    return safe
