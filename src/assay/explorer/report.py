"""One file about results: a page that opens from disk, tables for a paper, or rows for other tools."""

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
from assay.explorer.tables import people_table, scores_table, shown_axes, subset_tables, wholes
from assay.records.files import replacing
from assay.records.types import Score
from assay.results.comparable import SIGNATURES
from assay.show import escape
from assay.show.numbers import number, scored
from assay.show.tables import Form, Table, write
from assay.store.lines import label_on
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.explorer.payloads import ComparisonPage, ExampleShown, OutputShown
    from assay.results.verdict import Family

TEMPLATES: dict[str, tuple[str, Form]] = {".html": ("report.html", "html"), ".md": ("report.md", "markdown")}
SHOWN_EXAMPLES = 4
UNSEEN = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\ud800-\udfff]")
"""Characters that are none in a file for people: a terminal would obey some of them, and UTF-8 cannot say others."""


class Report(NamedTuple):
    """What was written: how many datasets are in it, what could not be read, and what may not be compared."""

    datasets: int
    problems: list[str]
    apart: list[str]
    alarms: list[str]
    """Values that cannot be, or hardly."""


def write_report(folders: Sequence[Path], out: Path, *, plain: bool = False, family: Family = "all") -> Report:
    """Write the report of one or more folders. What is damaged is named in it, and the rest is shown.

    HTML is the explorer's pages in one file when they are built, else (or `plain`) a page without any script.
    `family` says over which tests p is corrected, as in `assay compare`.
    """
    known = {*EXPORTS, *TEMPLATES}
    if out.suffix not in known:
        raise AssayError(f"{out}: the ending says the form; use {', '.join(sorted(known))}")
    queries = Queries(folders, family)
    overview = queries.overview
    if not overview.lines:
        more = f" (and {len(overview.problems) - 1} more)" if len(overview.problems) > 1 else ""
        why = overview.problems[0] if overview.problems else "it holds no scores"
        raise AssayError(f"nothing of {overview.title} can be shown: {why}{more}")
    if out.suffix in EXPORTS:
        content = EXPORTS[out.suffix][1](queries)
    elif out.suffix == ".html" and built() and not plain:
        content = single_page(queries).encode()
    else:
        content = UNSEEN.sub("\ufffd", _filled(queries, out.suffix)).encode()
    with replacing(out, "wb") as stream:
        stream.write(content)
    apart = [f"{dataset}: {note}" for dataset in overview.datasets for note in overview.apart.get(dataset, ())]
    return Report(len(overview.datasets), [*overview.problems, *queries.damaged_texts()], apart, overview.alarms())


@dataclass(frozen=True)
class Verdict:
    """What differs between two systems beyond chance, in words."""

    a: str
    b: str
    text: str
    warnings: list[str]
    """What else a reader should know of these two, as `assay compare` says it."""


@dataclass(frozen=True)
class Section:
    """What a report says of one dataset."""

    name: str
    about: str
    n: int
    systems: list[str]
    notes: list[str]
    scores: Table
    drawings: list[tuple[str, str]]
    """The name of a number and its drawing, where there is anything to draw with."""
    test: str
    verdicts: list[Verdict]
    parents: list[Table]
    """Of a challenge set: each system against itself on the original items."""
    subsets: list[Table]
    people: Table | None
    made_up: bool
    signatures: list[tuple[str, list[str]]]
    missing: list[tuple[str, str, str]]
    """System, number, why."""
    examples: list[tuple[ExampleShown, list[tuple[OutputShown, str]]]]
    """With the numbers of each output, in words."""


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
    # What writes tables and drawings has escaped every text in them.
    environment.globals |= {"table": lambda table: Markup(write(table, form)), "drawing": Markup}
    overview = queries.overview
    comparisons, untested = queries.comparisons()
    drawable = any(score.low is not None for line in overview.lines for score in line.scores.values())
    if suffix == ".html" and drawable and (why := _no_figures()):
        untested = [*untested, f"nothing is drawn here: {why}"]
    sections = [
        section_of(queries, dataset, [one for one in comparisons if one.dataset == dataset], suffix == ".html")
        for dataset in overview.datasets
    ]
    return environment.get_template(name).render(
        title=overview.title,
        problems=[*overview.problems, *queries.damaged_texts()],
        notes=untested,
        sections=sections,
        version=VERSION,
    )


def section_of(queries: Queries, dataset: str, compared: Sequence[ComparisonPage], pictures: bool) -> Section:
    overview = queries.overview
    lines = wholes(overview, dataset)
    systems = list(dict.fromkeys(line.system for line in lines))
    held = queries.library.datasets.get(dataset)
    people, made_up = _people(queries, dataset, systems) if held and held.judgements else (None, False)
    notes = overview.notes.get(dataset, [])
    tests = {one.test for one in compared}
    return Section(
        name=dataset,
        about=overview.about.get(dataset, ""),
        n=max((line.n or 0 for line in lines), default=0),
        systems=systems,
        notes=notes,
        scores=scores_table(overview, dataset, tabled=queries.tabled(dataset)),
        drawings=_drawings(queries, dataset) if pictures else [],
        test=" or ".join(sorted(tests)),
        verdicts=[
            Verdict(
                one.a,
                one.b,
                one.verdict,
                [
                    note for note in one.warnings if note not in notes and SIGNATURES not in note
                ],  # these it names itself
            )
            for one in compared
        ],
        parents=[one.table() for one in queries.against_parents(dataset)],
        subsets=subset_tables(overview, dataset),
        people=people,
        made_up=made_up,
        signatures=signatures_of(overview, dataset),
        missing=[
            (line.system, name, score.why or "no value")
            for line in lines
            for name, score in line.scores.items()
            if score.value is None
        ],
        examples=_examples(queries, dataset) if pictures and held else [],
    )


def _no_figures() -> str:
    """Why nothing can be drawn; empty if it can."""
    from assay.show.canvas import need_matplotlib

    try:
        need_matplotlib()
    except AssayError as error:
        return str(error)
    return ""


def _drawings(queries: Queries, dataset: str) -> list[tuple[str, str]]:
    """Every number that has intervals, system by system. Without intervals the table alone says it."""
    from assay.show.canvas import inline
    from assay.show.figures import intervals

    if _no_figures():
        return []
    lines = wholes(queries.overview, dataset)
    shades = {system: place for place, system in enumerate(dict.fromkeys(line.system for line in lines))}
    drawn = []
    for axis in shown_axes(queries.overview, lines):
        scores = [line.scores.get(axis.name, Score(value=None, why="not computed")) for line in lines]
        if all(score.low is None for score in scores):
            continue
        figure = intervals(
            [f"{line.system} {line.subset}".rstrip() for line in lines],
            [(score.value, score.low, score.high) for score in scores],
            texts=[score.why or "" if score.value is None else scored(score, axis.part) for score in scores],
            shades=[shades[line.system] for line in lines],
        )
        drawn.append((label_on(axis, lines), inline(figure)))
    return drawn


def _people(queries: Queries, dataset: str, systems: list[str]) -> tuple[Table | None, bool]:
    from assay.explorer.people import criteria_of, judged, made_up, ranked_of

    held = queries.library.dataset(dataset)
    warnings: list[str] = []
    rows = {
        criterion: (len(judged(held, criterion)), ranked_of(held, criterion, warnings))
        for criterion in criteria_of(held.judgements)
    }
    if not rows:
        return None, False
    return people_table(systems, rows, list(dict.fromkeys(warnings))), made_up(held.judgements)


def _examples(queries: Queries, dataset: str) -> list[tuple[ExampleShown, list[tuple[OutputShown, str]]]]:
    """The first items with the numbers of their outputs; texts may have been deleted, and then there is nothing."""
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
