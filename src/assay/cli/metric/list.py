"""`assay metric list`: the metrics, what they need and whether they run here."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.shared.display import cannot_be_loaded, print_options, print_preset, print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import json_option
from assay.metrics import METRICS, SUITES, Metric, resolve
from assay.metrics.checks.linter import depends_on_size
from assay.records import to_json
from assay.show.tables import Column, Table
from assay.specs import options
from assay.specs_help import options_of

EXAMPLE = """\b
Examples:
  assay metric list
  assay metric list rouge
  assay metric list --json
"""


@new_command(epilog=EXAMPLE)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List all metrics, or describe one: scores, options, requirements, signature, citation."""
    if name:
        metric = resolve([name])[0].metric
        if as_json:
            click.echo(to_json({"metrics": {metric.name: describe(metric)}}))
        else:
            _print_one(metric)
        return
    broken: dict[str, str] = {}
    described = dict(METRICS.each(lambda cls: describe(cls()), broken))
    if as_json:
        suites = {suite: [spec.removesuffix("?") for spec in specs] for suite, specs in SUITES.items()}
        click.echo(to_json({"metrics": described, "suites": suites} | cannot_be_loaded(broken)))
    else:
        _print_all(described, broken)


def describe(metric: Metric) -> dict[str, Any]:
    """Return the metadata of a metric."""
    why_not = metric.why_not()
    return {
        "category": metric.category,
        "summary": metric.summary,
        "numbers": [
            {
                "name": part.name,
                "better": part.better,
                "low": part.bounds[0],
                "high": part.bounds[1],
                "size_dependent": metric.sized(part),
            }
            for part in metric.parts()
        ],
        "needs": list(metric.needs),
        "options": options(metric),
        "settings": [option.name for option in options_of(type(metric)) if option.setting],
        "presets": {name: dict(values) for name, values in metric.presets.items()},
        "signature": metric.signature("1"),
        "citation": metric.citation,
        "size_dependent": depends_on_size(metric),
        "available": why_not is None,
        "why_not": why_not,
    }


def _print_all(metrics: dict[str, dict[str, Any]], broken: dict[str, str]) -> None:
    headings = ("metric", "measures", "what", "needs", "here")
    columns = [Column(heading, "left", fold=heading in ("what", "needs", "here")) for heading in headings]
    rows = [
        [name, about["category"], about["summary"], ", ".join(("outputs", *about["needs"])), about["why_not"] or "yes"]
        for name, about in sorted(metrics.items(), key=lambda each: each[1]["category"])
    ]
    rows += [[name, "", "", "", why] for name, why in broken.items()]
    print_tables(Table(columns, rows))
    click.echo("Suites:")
    for suite, specs in SUITES.items():
        click.echo(f"  {suite:<15} {', '.join(spec.removesuffix('?') for spec in specs)}")
    click.echo("Next: assay metric list NAME")


def _print_one(metric: Metric) -> None:
    click.echo(f"{metric.name}: {metric.summary}")
    if metric.__doc__:
        click.echo(f"  {' '.join(metric.__doc__.split())}")
    click.echo(
        f"  measures   {metric.category}" + ("; depends on the number of items" if depends_on_size(metric) else "")
    )
    click.echo(f"  needs      {', '.join(('outputs', *metric.needs))}")
    click.echo(f"  here       {metric.why_not() or 'yes'}")
    numbers = ", ".join(part.name for part in metric.parts())
    click.echo(click.wrap_text(numbers, initial_indent="  scores     ", subsequent_indent="             "))
    print_options(option._replace(default=getattr(metric, option.name)) for option in options_of(type(metric)))
    for preset, values in metric.presets.items():
        print_preset(metric.name, preset, values)
    click.echo(f"  signature  {metric.signature('1')}")
    click.echo(f"  cite       {metric.citation}")
