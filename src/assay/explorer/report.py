"""One file about a results folder: a page that opens from disk, or tables for a paper."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay.errors import AssayError
from assay.explorer.export import EXPORTS
from assay.explorer.library import open_results
from assay.explorer.lines import board_of
from assay.explorer.pages import pages_of
from assay.explorer.standalone import single_page
from assay.explorer.static_files import built
from assay.explorer.svg import colour, intervals
from assay.records import write_text
from assay.records.files import replacing
from assay.runs.manifest import is_run
from assay.runs.results_folder import is_benchmark
from assay.show.escape import latex, markdown
from assay.show.numbers import number, scored
from assay.version import VERSION

TEMPLATES = {".html": "report.html", ".md": "report.md", ".tex": "report.tex"}


def is_ours(folder: Path) -> bool:
    return is_benchmark(folder) or is_run(folder)


def write_report(folders: list[Path], out: Path, *, plain: bool = False) -> int:
    """Write the report of one or more folders; returns the number of datasets in it.

    HTML is the explorer's pages in one file when they are built, else (or `plain`) a page without any script.
    """
    if out.suffix in EXPORTS and (out.suffix != ".tex" or not all(map(is_ours, folders))):
        board = board_of(open_results(folders))
        with replacing(out, "wb") as stream:
            stream.write(EXPORTS[out.suffix][1](board))
        return len({line.dataset for line in board.lines})
    if out.suffix not in TEMPLATES:
        raise AssayError(f"{out}: the ending says the form; use {', '.join((*TEMPLATES, '.csv', '.parquet'))}")
    if out.suffix == ".html" and built() and not plain:
        page, count = single_page(folders)
        write_text(out, page)
        return count
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
