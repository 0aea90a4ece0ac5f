"""Texts on a terminal and inside LaTeX and Markdown: nothing in them may become a command or markup."""

from __future__ import annotations

LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "·": r"\textperiodcentered{}",
    "≥": r"$\geq$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


def plain(text: object) -> str:
    """Text that stays on its line and cannot steer a terminal: blanks stand for what cannot be printed."""
    return "".join(letter if letter.isprintable() else " " for letter in str(text))


def latex(text: object) -> str:
    """Text in a LaTeX document: every letter stands for itself."""
    return "".join(LATEX.get(letter, letter) for letter in plain(text))


def markdown(text: object) -> str:
    """Text in a Markdown table cell: nothing in it may end the cell or become markup."""
    marked = "".join("\\" + letter if letter in "\\`*_[]<>|~" else letter for letter in plain(text))
    return " ".join(marked.split())
