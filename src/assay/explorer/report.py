"""One file about a results folder: a page that opens from disk, or tables for a paper."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay.errors import AssayError
from assay.explorer.pages import pages_of
from assay.explorer.svg import colour, intervals
from assay.records import write_text
from assay.results.format import number, scored
from assay.version import VERSION

TEMPLATES = {".html": "report.html", ".md": "report.md", ".tex": "report.tex"}
LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "·": r"\textperiodcentered{}",
}  # fmt: skip


def latex(text: object) -> str:
    return "".join(LATEX.get(letter, letter) for letter in str(text))


def markdown(text: object) -> str:
    """Text in a Markdown table cell: nothing in it may end the cell or become markup."""
    marked = "".join("\\" + letter if letter in "\\`*_[]<>|~" else letter for letter in str(text))
    return " ".join(marked.split())


def write_report(folders: list[Path], out: Path) -> int:
    """Write the report of one or more folders; returns the number of datasets in it."""
    if out.suffix not in TEMPLATES:
        raise AssayError(f"{out}: the ending says the form; use {', '.join(TEMPLATES)}")
    title, pages = pages_of(folders)
    environment = Environment(
        loader=PackageLoader("assay.explorer"),
        autoescape=out.suffix == ".html",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"latex": latex, "markdown": markdown}
    environment.globals |= {
        "number": number,
        "scored": scored,
        "colour": colour,
        "intervals": lambda column, systems: Markup(intervals(column, systems)),
    }
    text = environment.get_template(TEMPLATES[out.suffix]).render(title=title, pages=pages, version=VERSION)
    write_text(out, text)
    return len(pages)
