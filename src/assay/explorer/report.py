"""Reports of results as one file: a page that opens from disk, tables for papers, or rows for other tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assay.errors import AssayError
from assay.explorer.export import EXPORTS, signatures_of
from assay.explorer.queries import Queries
from assay.explorer.standalone import built, single_page
from assay.explorer.tables import judgements_table, scores_table, shown_axes, subset_tables, wholes
from assay.records.files import replacing
from assay.records.types import Score
from assay.results.comparable import SIGNATURES
from assay.show import escape
from assay.show.numbers import number, scored
from assay.show.sheet import sheet
from assay.show.tables import Form, Table, write
from assay.store.scored_runs import label_on
from assay.version import VERSION

if TYPE_CHECKING:
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
    n: int
    systems: list[str]
    notes: list[str]
    scores: Table
    drawings: list[tuple[str, str]]
    """Name of a metric and its plot as SVG; empty if plots are not available."""
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
    environment.filters |= {"markdown": escape.markdown, "code": escape.markdown_code}
    # Tables and plots are escaped where they are written.
    environment.globals |= {"table": lambda table: Markup(write(table, form)), "drawing": Markup}
    overview = queries.overview
    comparisons, untested = queries.comparisons()
    drawable = any(score.low is not None for run in overview.runs for score in run.scores.values())
    if suffix == ".html" and drawable and (why := _no_figures()):
        untested = [*untested, f"No plots: {why}"]
    sections = [
        section_of(queries, dataset, [one for one in comparisons if one.dataset == dataset], suffix == ".html")
        for dataset in overview.datasets
    ]
    return environment.get_template(name).render(
        sheet=Markup(sheet()),
        title=overview.title,
        problems=[*overview.problems, *queries.damaged_texts()],
        notes=untested,
        sections=sections,
        intervals=drawable,
        version=VERSION,
    )


def section_of(queries: Queries, dataset: str, compared: Sequence[ComparisonPage], pictures: bool) -> Section:
    overview = queries.overview
    runs = wholes(overview, dataset)
    systems = list(dict.fromkeys(run.system for run in runs))
    stored = queries.library.datasets.get(dataset)
    judgements, synthetic = _judgements(queries, dataset, systems) if stored and stored.judgements else (None, False)
    notes = overview.notes.get(dataset, [])
    tests = {one.test for one in compared}
    return Section(
        name=dataset,
        about=overview.about.get(dataset, ""),
        n=max((run.n or 0 for run in runs), default=0),
        systems=systems,
        notes=notes,
        scores=scores_table(overview, dataset, tested=queries.tested_table(dataset)),
        drawings=_drawings(queries, dataset) if pictures else [],
        test=" or ".join(sorted(tests)),
        verdicts=[
            Verdict(
                one.a,
                one.b,
                one.verdict,
                # the dataset's notes state mixed signatures already
                [note for note in one.warnings if note not in notes and SIGNATURES not in note],
            )
            for one in compared
        ],
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


def _no_figures() -> str:
    """Return why there are no plots; empty if there are."""
    from assay.show.canvas import need_matplotlib

    try:
        need_matplotlib()
    except AssayError as error:
        return str(error)
    return ""


def _drawings(queries: Queries, dataset: str) -> list[tuple[str, str]]:
    """Return a plot of every metric with confidence intervals."""
    from assay.show.canvas import inline
    from assay.show.figures import intervals

    if _no_figures():
        return []
    runs = wholes(queries.overview, dataset)
    shades = {system: place for place, system in enumerate(dict.fromkeys(run.system for run in runs))}
    drawn = []
    for axis in shown_axes(queries.overview, runs):
        scores = [run.scores.get(axis.name, Score(value=None, why="not computed")) for run in runs]
        if all(score.low is None for score in scores):
            continue
        figure = intervals(
            [f"{run.system} {run.subset}".rstrip() for run in runs],
            [(score.value, score.low, score.high) for score in scores],
            texts=[score.why or "" if score.value is None else scored(score, axis.part) for score in scores],
            shades=[shades[run.system] for run in runs],
        )
        drawn.append((label_on(axis, runs), inline(figure)))
    return drawn


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
