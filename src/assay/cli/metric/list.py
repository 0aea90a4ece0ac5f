"""`assay metric list`: the metrics, what they need and whether they run here."""

from __future__ import annotations

import click
import msgspec

from assay.cli.shared.listing import Facts, Listing, list_command, text_columns
from assay.metrics import METRICS, SUITES, Metric, resolve
from assay.metrics.checks.linter import depends_on_size
from assay.specs import options
from assay.specs_help import options_of

EXAMPLE = """\b
Examples:
  assay metric list
  assay metric list rouge
  assay metric list --json
"""


class ScoreEntry(msgspec.Struct, frozen=True):
    """The JSON object of a score of a metric."""

    name: str
    better: str | None
    low: float | None
    high: float | None
    size_dependent: bool


class MetricEntry(msgspec.Struct, frozen=True):
    """The JSON object of a metric."""

    category: str
    summary: str
    numbers: list[ScoreEntry]
    needs: list[str]
    options: dict[str, object]
    settings: list[str]
    presets: dict[str, dict[str, object]]
    signature: str
    citation: str
    size_dependent: bool
    available: bool
    why_not: str | None


def describe(metric: Metric) -> MetricEntry:
    why_not = metric.why_not()
    return MetricEntry(
        category=metric.category,
        summary=metric.summary,
        numbers=[
            ScoreEntry(part.name, part.better, part.bounds[0], part.bounds[1], metric.sized(part))
            for part in metric.parts()
        ],
        needs=list(metric.needs),
        options=options(metric),
        settings=[option.name for option in options_of(type(metric)) if option.setting],
        presets={name: dict(values) for name, values in metric.presets.items()},
        signature=metric.signature("1"),
        citation=metric.citation,
        size_dependent=depends_on_size(metric),
        available=why_not is None,
        why_not=why_not,
    )


LISTING = Listing(
    key="metrics",
    registry=METRICS,
    make=lambda metric: metric(),
    describe=describe,
    columns=text_columns("metric", "measures", "what", "needs", "here", fold=("what", "needs", "here")),
    why="here",
    row=lambda name, about: [
        name, about.category, about.summary, ", ".join(("outputs", *about.needs)), about.why_not or "yes"
    ],
    order=lambda name, about: about.category,
)  # fmt: skip


@list_command(EXAMPLE)
def command(name: str | None, as_json: bool) -> None:
    """List all metrics, or describe one: scores, options, requirements, signature, citation."""
    if name:
        metric = resolve([name])[0].metric
        LISTING.show_one(metric.name, metric, _facts, as_json)
        return
    suites = {suite: [spec.removesuffix("?") for spec in specs] for suite, specs in SUITES.items()}
    listed = "\n".join(f"  {suite:<15} {', '.join(specs)}" for suite, specs in suites.items())
    LISTING.show(f"Suites:\n{listed}\nNext: assay metric list NAME", as_json, suites=suites)


def _facts(metric: Metric) -> Facts:
    scores = ", ".join(part.name for part in metric.parts())
    size = "; depends on the number of items" if depends_on_size(metric) else ""
    return Facts(
        title=metric.summary,
        about=" ".join((metric.__doc__ or "").split()),
        lines=[
            ("measures", f"{metric.category}{size}"),
            ("needs", ", ".join(("outputs", *metric.needs))),
            ("here", metric.why_not() or "yes"),
            ("scores", click.wrap_text(scores, 78, " " * 13, " " * 13).lstrip()),
        ],
        options=[option._replace(default=getattr(metric, option.name)) for option in options_of(type(metric))],
        presets=metric.presets,
        last=[("signature", metric.signature("1")), ("cite", metric.citation)],
    )
