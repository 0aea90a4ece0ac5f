"""`assay analyze power`: detectable difference, and the sample size for a smaller one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click

from assay.cli.analyze.power_request import PlanRequest, are_systems
from assay.cli.shared.display import counted, print_tables, warn
from assay.cli.shared.help import advanced, new_command
from assay.cli.shared.load_systems import load_systems
from assay.cli.shared.options import (
    PATH,
    ListOption,
    comma_separated,
    data_options,
    family_option,
    refuse_idle,
    table_options,
)
from assay.errors import UsageError
from assay.execution.request import ScoreRequest
from assay.meta.comparison_power import ComparisonPower, PowerRequest, plan_comparison
from assay.meta.power import PowerRow, StudyPower, power_from_judgements, power_from_runs, power_from_scores
from assay.meta.tables.power import correlation_table, power_table, sources_tables, study_table
from assay.meta.variance_sources import Runs
from assay.records import read_judgements, to_json
from assay.results.compare import CompareRequest
from assay.show.tables import Form, Table
from assay.stats.power import correlation_items_needed, detectable_effect, items_needed, power_of

EXAMPLE = """\b
Examples:
  assay analyze power bart.jsonl t5.jsonl --references refs.jsonl -m rouge1,chrf --effect rouge1=1,chrf=0.5
  assay analyze power runs/bart runs/t5 --cluster document --items 500
  assay analyze power a1.jsonl a2.jsonl a3.jsonl --versus b1.jsonl --versus b2.jsonl --versus b3.jsonl -m rouge1
  assay analyze power --judgements judgements.jsonl --systems bart,t5 --criterion fluency --effect 0.2
  assay analyze power --judgements judgements.jsonl --systems bart,t5 --criterion fluency --budget 500 \\
      --cost item=2,annotator=30,judgement=0.5
  assay analyze power --sd 0.12 --effect 0.01
  assay analyze power --sd 0.12 --items 500
  assay analyze power --correlation 0.3
"""

CORPUS = ("bleu", "chrf", "chrf++", "ter", "nist", "wer")
"""Metrics whose corpus score is not the mean of the scores of items."""


@new_command(epilog=EXAMPLE)
@click.argument("paths", nargs=-1, type=PATH, metavar="[SYSTEMS]...")
@data_options
@click.option(
    "--effect",
    cls=ListOption,
    help="True difference to detect, or per metric in points of tables (rouge1=1,chrf=0.5) (default: the "
    "observed one, which is optimistic).",
)
@click.option("--cluster", metavar="KEY", help="Field of dependent items, as in `assay compare`.")
@click.option("--items", type=click.IntRange(2), help="Number of items planned (default: those of the systems).")
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    help="Budget to allocate at the prices of --cost.",
)
@click.option("--cost", cls=ListOption, help="Unit prices: item=2,annotator=30,judgement=0.5, or item=1,run=40.")
@click.option("--judgements", type=PATH, help="Human judgements, instead of metric scores.")
@click.option("--systems", cls=ListOption, help="Two systems of --judgements: A,B.")
@click.option("--criterion", help="Criterion of --judgements.")
@click.option("--sd", type=float, help="Standard deviation of the paired differences, without files.")
@click.option(
    "--power", type=click.FloatRange(0.5, 1, max_open=True), default=0.8, show_default=True, help="Target power."
)
@click.option(
    "--alpha", type=click.FloatRange(0, 0.5, min_open=True), default=0.05, show_default=True,
    help="Significance level, two-sided.",
)  # fmt: skip
@advanced(
    click.option(
        "--correction", type=click.Choice(("max-t", "holm")), help="Correction over the metrics (default: max-t)."
    ),
    family_option,
    click.option("--versus", type=PATH, multiple=True, help="Item scores of a run of B; others are of A. Repeatable."),
    click.option(
        "--runs", type=click.Choice(get_args(Runs)),
        help="With --versus: independent runs, or paired ones with shared seeds or references (default: independent).",
    ),
    click.option(
        "--correlation", type=float, help="Correlation to distinguish from --against: print the number of items needed."
    ),
    click.option("--against", type=float, help="With --correlation: correlation of the null hypothesis (default: 0)."),
)  # fmt: skip
@table_options
def command(
    paths: tuple[Path, ...],
    form: Form,
    plots: Path | None,
    as_json: bool,
    figure_format: str,
    request: ScoreRequest,
    **options: Any,
) -> None:
    """Compute the power of `assay compare A B`: its difference, test and correction over all metrics.

    SYSTEMS are two outputs files or saved runs, as in `assay compare`. Two files of `assay score --per-example` give
    the power of the mean of item scores, which for corpus metrics (BLEU, chrF, TER) is another number.
    """
    if plots is None:
        refuse_idle(figure_format="--plots")
    plan = PlanRequest(**options)
    power, alpha = plan.power, plan.alpha
    effect = plan.true_difference
    plan.check(paths, request)
    notes: list[str] = []
    tables: list[Table] = []
    if are_systems(paths, request):
        planned = _of_systems(paths, plan, request)
        rows, notes = planned.rows, planned.notes
        report: dict[str, object] = {"metrics": {row.metric: asdict(row) for row in rows}, "warnings": notes}
        report["family"] = planned.comparison.how.words()
        table = power_table(rows, power, [f"Power after correction: {report['family']}."])
    elif len(paths) == 2 or plan.versus:
        rows, notes = _of_files(paths, plan, request)
        corpus = [row.metric for row in rows if row.metric in CORPUS]
        if corpus:
            means = f"{', '.join(corpus)}: mean of item scores, not the corpus score that `assay compare` tests."
            notes = [*notes, means]
        report = {"metrics": {row.metric: asdict(row) for row in rows}, "warnings": notes}
        table = power_table(rows, power)
        for row in rows:
            tables += sources_tables(row.metric, row.sources, power, row.scale) if row.sources else []
    elif paths:
        raise UsageError("pass two systems, A and B; or runs of A, and runs of B with --versus")
    elif plan.judgements:
        study = _study(plan.judgements, plan)
        rows = [study.row]
        report, table = asdict(study), study_table(study, power)
        if study.sources:
            tables = sources_tables(plan.criterion or "", study.sources, power)
            notes = study.sources.notes
        else:
            notes = [f"other annotators: {study.why_no_sources}"]
    elif plan.correlation is not None:
        r, against = plan.correlation, plan.against or 0.0
        needed = correlation_items_needed(r, against, power, alpha)
        rows = []
        report = {"correlation": r, "against": against, "items_needed": needed}
        table = correlation_table(r, against, needed)
    elif plan.sd is not None and (effect is not None or plan.items):
        row = _of_sd(plan.sd, plan)
        rows = [row]
        report, table = asdict(row), power_table([row], power)
    else:
        raise UsageError("pass two systems, --judgements, --correlation, or --sd with --effect or --items")
    report |= {"wanted_power": power, "alpha": alpha}
    if plots is not None:
        from assay.meta.figures.power import draw

        for path in draw(rows, plots, figure_format, power, alpha):
            click.echo(f"{path}", err=True)
    if as_json:
        click.echo(to_json(report))
        return
    print_tables(table, *tables, form=form)
    doubts = [f"{row.metric}: {note}" for row in rows if row.sources for note in row.sources.notes]
    warn([*notes, *doubts, *(f"{row.metric}: {row.why}" for row in rows if row.why)])


def _of_systems(paths: tuple[Path, ...], plan: PlanRequest, request: ScoreRequest) -> ComparisonPower:
    results = load_systems(list(paths), request)
    if len(results) != 2:
        raise UsageError(f"{counted(len(results), 'system')}; power is that of a comparison of two, A and B")
    compared = CompareRequest(
        cluster=plan.cluster, seed=request.resampling_seed, correction=plan.correction, family=plan.family
    )
    planned = PowerRequest(plan.true_difference, plan.power, plan.alpha, plan.items, compare=compared)
    return plan_comparison(results[0], results[1], planned)


def _of_files(paths: tuple[Path, ...], plan: PlanRequest, request: ScoreRequest) -> tuple[list[PowerRow], list[str]]:
    effect, power, alpha, budget = plan.true_difference, plan.power, plan.alpha, plan.allocation
    metrics, allow_missing = request.metrics, request.allow_missing
    columns = comma_separated(metrics) if isinstance(metrics, str) else list(metrics or ())
    if not plan.versus:
        return power_from_scores(paths[0], paths[1], effect, power, alpha, columns, allow_missing, budget)
    runs = plan.runs or "independent"
    return power_from_runs(paths, plan.versus, effect, power, alpha, columns, allow_missing, budget, runs)


def _study(judgements: Path, plan: PlanRequest) -> StudyPower:
    effect, pair, criterion = plan.true_difference, plan.pair, plan.criterion
    if len(pair) != 2 or not criterion:
        raise UsageError("--judgements needs --systems A,B and --criterion C")
    if isinstance(effect, Mapping):
        if [*effect] != [criterion]:
            raise UsageError(f"--effect: give a number, or {criterion}=NUMBER")
        effect = effect[criterion]
    records = read_judgements(judgements)
    systems = (pair[0], pair[1])
    return power_from_judgements(records, systems, criterion, effect, plan.power, plan.alpha, plan.allocation)


def _of_sd(sd: float, plan: PlanRequest) -> PowerRow:
    effect, n, power, alpha = plan.true_difference, plan.items, plan.power, plan.alpha
    if isinstance(effect, Mapping):
        raise UsageError("--effect: with --sd it is one number")
    needed = None if effect is None else items_needed(effect, sd, power, alpha)
    detectable = None if n is None else detectable_effect(sd, n, power, alpha)
    seen = None if n is None or effect is None else power_of(effect, sd, n, alpha)
    more = None if needed is None or n is None else max(0, needed - n)
    return PowerRow("paired differences", n, None, sd, effect, seen, detectable, needed, more)
