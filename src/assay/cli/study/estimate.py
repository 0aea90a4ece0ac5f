"""`assay study estimate`: mean judgements of systems from few judgements and proxy scores of all outputs."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.judge.run import scale_of
from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ListOption, comma_separated, format_option, json_option
from assay.errors import AssayError
from assay.meta.estimate import EstimateReport, EstimateRequest, estimate_systems
from assay.records import to_json
from assay.show.numbers import fixed, span
from assay.show.tables import Cell, Content, Form, Table
from assay.studies.load import load_judgements, scale_of_design, why_none

EXAMPLE = """\b
Examples:
  assay study estimate --judgements few.jsonl --scores all.jsonl --proxy chrf,judge
  assay study estimate --judgements study.jsonl --design design.toml --scores all.jsonl --finite
"""


@new_command(epilog=EXAMPLE)
@click.option("--judgements", type=PATH, required=True, help="Judgements of a random sample of the outputs.")
@click.option("--scores", type=PATH, required=True, multiple=True, help="Scores of all outputs, by id and system.")
@click.option("--proxy", cls=ListOption, help="Scores to use, comma-separated (default: all numeric columns).")
@click.option("--criterion", help="Criterion, if the judgements have several.")
@click.option("--design", type=PATH, help="Design, if the judgements are the journal of a study.")
@click.option("--finite", is_flag=True, help="Estimate the means of exactly these outputs, not of others like them.")
@click.option("--annotators", is_flag=True, help="Intervals that also hold for other annotators.")
@click.option("--probability", metavar="COLUMN", help="Column of the scores: probability of having been drawn.")
@click.option("--stratum", metavar="COLUMN", help="Column of the scores: stratum of a stratified sample.")
@click.option("--win-rates", is_flag=True, help="Estimate how often annotators rate one system above another.")
@click.option(
    "--scale", metavar="LOW-HIGH", help="Ends of the rating scale (default: of the design, or of the judgements)."
)
@format_option
@json_option
def command(
    judgements: Path,
    scores: tuple[Path, ...],
    proxy: str | None,
    criterion: str | None,
    design: Path | None,
    finite: bool,
    annotators: bool,
    probability: str | None,
    stratum: str | None,
    win_rates: bool,
    scale: str | None,
    form: Form,
    as_json: bool,
) -> None:
    """Estimate the mean judgement of each system from few judgements, with proxy scores of all outputs.

    The judged outputs must be drawn at random. Proxies only narrow the intervals: a useless one is ignored.
    """
    rows = load_judgements(judgements, design)
    if not rows:
        raise AssayError(f"{judgements}: {why_none(judgements, design)}")
    ends = scale_of_design(design, criterion) if scale is None else scale_of(scale)
    request = EstimateRequest(
        comma_separated(proxy), criterion, finite, annotators, probability, stratum, win_rates, ends
    )
    report = estimate_systems(rows, scores, request)
    if as_json:
        click.echo(to_json(report))
        return
    print_tables(_table(report), *_wins(report), form=form)
    known = [each for each in report["systems"].values() if each["worth"] is not None]
    paid, worth = sum(each["judgements"] for each in known), sum(each["worth"] or 0 for each in known)
    click.echo(f"\nAs tight as {worth:,.0f} judgements; you paid for {paid:,}.")
    for group in report["groups"]:
        if len(group) > 1:
            click.echo(f"No significant difference: {', '.join(group)}.")
    warn(report["warnings"])


def _table(report: EstimateReport) -> Table:
    systems = sorted(report["systems"].items(), key=lambda pair: -pair[1]["value"])
    rows: list[list[Content]] = [
        [
            name, Cell(fixed(each["value"]), each["value"], each["low"], each["high"]), span(each["low"], each["high"]),
            span(each["simultaneous"]["low"], each["simultaneous"]["high"]),
            span(each["alone"]["low"], each["alone"]["high"]), each["judgements"],
            None if each["worth"] is None else round(each["worth"]),
        ]
        for name, each in systems
    ]  # fmt: skip
    caption = f"{report['criterion']}, with {', '.join(report['proxies'])} of all outputs"
    return Table.of(
        caption, ["", "mean", "95 % CI", "simultaneous CI", "judgements alone", "judgements", "worth"], rows
    )


def _wins(report: EstimateReport) -> list[Table]:
    if not report.get("win_rates"):
        return []
    rows: list[list[Content]] = [
        [f"{each['a']} over {each['b']}", Cell(fixed(each["value"]), each["value"], each["low"], each["high"]),
         span(each["low"], each["high"]), each["items"], None if each["worth"] is None else round(each["worth"])]
        for each in report["win_rates"]
    ]  # fmt: skip
    return [Table.of("Win rates, ties divided", ["", "win rate", "95 %", "items judged", "worth"], rows)]
