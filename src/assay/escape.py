"""Texts inside LaTeX and Markdown: nothing in them may become a command or markup."""

from __future__ import annotations

LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "·": r"\textperiodcentered{}",
    "≥": r"$\geq$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


def latex(text: object) -> str:
    """Text in a LaTeX document: every letter stands for itself."""
    return "".join(LATEX.get(letter, letter) for letter in str(text))


def markdown(text: object) -> str:
    """Text in a Markdown table cell: nothing in it may end the cell or become markup."""
    marked = "".join("\\" + letter if letter in "\\`*_[]<>|~" else letter for letter in str(text))
    return " ".join(marked.split())
