"""Reports of results as one file: a page that opens from disk, tables for papers, or rows for other tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assay.errors import AssayError
from assay.explorer.export import EXPORTS, signatures_of
from assay.explorer.headline import headline
from assay.explorer.queries import Queries
from assay.explorer.standalone import built, single_page
from assay.explorer.tables import best_first, judgements_table, scores_table, shown_axes, subset_tables, wholes
from assay.records.files import replacing
from assay.results.comparable import SIGNATURES
from assay.show import escape
from assay.show.html_multiples import html_multiples
from assay.show.numbers import counted, number
from assay.show.sheet import sheet
from assay.show.table_panels import panels_of
from assay.show.tables import Form, Table, as_cell, write
from assay.version import VERSION

if TYPE_CHECKING:
    from markupsafe import Markup

    from assay.explorer.payloads import ComparisonPage, ExampleShown, OutputShown
    from assay.results.verdict import Family

TEMPLATES: dict[str, tuple[str, Form]] = {".html": ("report.html", "html"), ".md": ("report.md", "markdown")}
SHOWN_EXAMPLES = 4
CONTROL_CHARACTERS = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\ud800-\udfff]")
"""Control characters, which a terminal could execute, and surrogates, which UTF-8 cannot encode."""


class Report(NamedTuple):
    """Summary of a written report: number of datasets, problems, and scores that are not comparable."""

    datasets: int
    problems: list[str]
    not_comparable: list[str]
    alarms: list[str]
    """Sentences about impossible or implausible scores."""


def write_report(folders: Sequence[Path], out: Path, *, plain: bool = False, family: Family = "all") -> Report:
    """Write the report of one or more folders; damaged parts are named, and the rest is shown.

    Args:
        folders: Results folders.
        out: File to write; its suffix is the format.
        plain: Write HTML without a script (default: the explorer's pages in one file, if they are built).
        family: Family of tests for the multiple-comparison correction, as in `assay compare`.

    Returns:
        A summary of the report.

    Raises:
        AssayError: The format is unknown, or there are no scores.
    """
    known = {*EXPORTS, *TEMPLATES}
    if out.suffix not in known:
        raise AssayError(f"{out}: unknown report format. Use one of {', '.join(sorted(known))}.")
    queries = Queries(folders, family)
    overview = queries.overview
    if not overview.runs:
        more = f" (and {len(overview.problems) - 1} more)" if len(overview.problems) > 1 else ""
        why = overview.problems[0] if overview.problems else "no scores"
        raise AssayError(f"{overview.title}: nothing to report: {why}{more}")
    if out.suffix in EXPORTS:
        content = EXPORTS[out.suffix][1](queries)
    elif out.suffix == ".html" and built() and not plain:
        content = single_page(queries).encode()
    else:
        content = CONTROL_CHARACTERS.sub("\ufffd", _filled(queries, out.suffix)).encode()
    with replacing(out, "wb") as stream:
        stream.write(content)
    not_comparable = [
        f"{dataset}: {note}" for dataset in overview.datasets for note in overview.not_comparable.get(dataset, ())
    ]
    problems = [*overview.problems, *overview.skipped, *queries.damaged_texts()]
    return Report(len(overview.datasets), problems, not_comparable, overview.alarms())


@dataclass(frozen=True)
class Verdict:
    """Significant differences between two systems, in words."""

    a: str
    b: str
    text: str
    warnings: list[str]
    """Warnings of `assay compare` for these two systems."""


@dataclass(frozen=True)
class Section:
    """The section of one dataset."""

    name: str
    about: str
    items: str
    """Number of items, or the smallest and the largest where systems have different ones."""
    systems: list[str]
    notes: list[str]
    answer: str
    """Best and tied systems in a sentence; empty without tests."""
    picture: str
    """Small multiples of the scores as SVG; empty without intervals."""
    scores: Table
    test: str
    verdicts: list[Verdict]
    parents: list[Table]
    """For challenge sets: each system compared with itself on the original items."""
    subsets: list[Table]
    judgements: Table | None
    synthetic: bool
    signatures: list[tuple[str, list[str]]]
    missing: list[tuple[str, str, str]]
    """System, metric, reason."""
    examples: list[tuple[ExampleShown, list[tuple[OutputShown, str]]]]
    """With the scores of each output as text."""


def _filled(queries: Queries, suffix: str) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    name, form = TEMPLATES[suffix]
    environment = Environment(
        loader=PackageLoader("assay.explorer"),
        autoescape=suffix == ".html",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"markdown": escape.markdown, "code": escape.markdown_code, "prose": _prose}
    # Tables and plots are escaped where they are written.
    environment.globals |= {"table": lambda table: Markup(write(table, form)), "drawing": Markup}
    overview = queries.overview
    comparisons, untested = queries.comparisons()
    drawable = any(score.low is not None for run in overview.runs for score in run.scores.values())
    sections = [
        section_of(queries, dataset, [one for one in comparisons if one.dataset == dataset], suffix == ".html")
        for dataset in overview.datasets
    ]
    return environment.get_template(name).render(
        sheet=Markup(sheet()),
        title=overview.title,
        problems=[*overview.problems, *queries.damaged_texts()],
        notes=[*overview.alarms(), *untested],
        sections=sections,
        intervals=drawable,
        version=VERSION,
    )


def _prose(text: str) -> Markup:
    """Return a sentence as HTML: commands in backticks are set as code."""
    from markupsafe import Markup

    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without a second one
        return Markup.escape(text)
    pieces = (Markup("<code>{}</code>").format(part) if i % 2 else Markup.escape(part) for i, part in enumerate(parts))
    return Markup("").join(pieces)


def _items(sizes: Sequence[int]) -> str:
    """Return the number of items in words."""
    if not sizes:
        return "0 items"
    least, most = min(sizes), max(sizes)
    return counted(most, "item") if least == most else f"{least:,} to {counted(most, 'item')}"


def _verdicts(compared: Sequence[ComparisonPage], notes: Sequence[str]) -> list[Verdict]:
    """Return the verdicts with their warnings, each once: some are about all systems, and some are notes already."""
    stated = set(notes)
    verdicts = []
    for one in compared:
        # the dataset's notes state mixed signatures already
        warnings = [note for note in one.warnings if note not in stated and SIGNATURES not in note]
        verdicts.append(Verdict(one.a, one.b, one.verdict, warnings))
        stated.update(warnings)
    return verdicts


def section_of(queries: Queries, dataset: str, compared: Sequence[ComparisonPage], pictures: bool) -> Section:
    overview = queries.overview
    runs = wholes(overview, dataset)
    systems = list(dict.fromkeys(run.system for run in runs))
    stored = queries.library.datasets.get(dataset)
    judgements, synthetic = _judgements(queries, dataset, systems) if stored and stored.judgements else (None, False)
    notes = overview.notes.get(dataset, [])
    tests = {one.test for one in compared}
    tested = queries.tested_table(dataset)
    scores = scores_table(best_first(overview, dataset), dataset, tested=tested, arrows=True)
    return Section(
        name=dataset,
        about=overview.about.get(dataset, ""),
        items=_items([run.n for run in runs if run.n]),
        systems=systems,
        notes=notes,
        answer=headline(tested, [str(as_cell(row[0]).text) for row in scores.rows]) if tested else "",
        picture=_picture(scores) if pictures else "",
        scores=scores,
        test=" or ".join(sorted(tests)),
        verdicts=_verdicts(compared, notes),
        parents=[one.table() for one in queries.against_parents(dataset)],
        subsets=subset_tables(overview, dataset),
        judgements=judgements,
        synthetic=synthetic,
        signatures=signatures_of(overview, dataset),
        missing=[
            (run.system, name, score.why or "no value")
            for run in runs
            for name, score in run.scores.items()
            if score.value is None
        ],
        examples=_examples(queries, dataset) if pictures and stored else [],
    )


def _picture(scores: Table) -> str:
    """Return small multiples of all scores with confidence intervals; empty without intervals."""
    rows = [[as_cell(content) for content in row] for row in scores.rows]
    if all(cell.low is None for row in rows for cell in row):
        return ""
    several = len(scores.columns) > 1 and scores.columns[1].name == "set"
    names = [f"{row[0].text} {row[1].text}" if several else row[0].text for row in rows]
    return html_multiples(names, panels_of([column.heading for column in scores.columns], rows))


def _judgements(queries: Queries, dataset: str, systems: list[str]) -> tuple[Table | None, bool]:
    from assay.explorer.human_correlation import criteria_of, is_synthetic, judged, ranked_of

    stored = queries.library.dataset(dataset)
    warnings: list[str] = []
    rows = {
        criterion: (len(judged(stored, criterion)), ranked_of(stored, criterion, warnings))
        for criterion in criteria_of(stored.judgements)
    }
    if not rows:
        return None, False
    return judgements_table(systems, rows, list(dict.fromkeys(warnings))), is_synthetic(stored.judgements)


def _examples(queries: Queries, dataset: str) -> list[tuple[ExampleShown, list[tuple[OutputShown, str]]]]:
    """Return the first items with the scores of their outputs; empty if the texts were deleted."""
    axes = [
        axis for axis in shown_axes(queries.overview, wholes(queries.overview, dataset)) if axis.category == "lexical"
    ]
    shown = []
    for example in queries.examples(dataset, [("limit", str(SHOWN_EXAMPLES))]).examples:
        outputs = [
            (output, " · ".join(f"{axis.printed} {number(output.scores.get(axis.name), axis.part)}" for axis in axes))
            for output in example.outputs
            if output.text is not None
        ]
        if outputs:
            shown.append((example, outputs))
    return shown
