"""`assay analyze power`: detectable difference, and the sample size for a smaller one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ListOption, comma_separated, named_numbers, refuse_idle, table_options
from assay.errors import UsageError
from assay.meta.power import Effect, PowerRow, StudyPower, power_from_judgements, power_from_runs, power_from_scores
from assay.meta.tables.power import correlation_table, power_table, sources_tables, study_table
from assay.meta.variance_sources import Budget, Runs
from assay.records import read_judgements, to_json
from assay.show.tables import Form, Table
from assay.stats.power import correlation_items_needed, detectable_effect, items_needed, power_of

EXAMPLE = """\b
Examples:
  assay analyze power a.per-example.jsonl b.per-example.jsonl --effect rouge1=1,chrf=0.5
  assay analyze power a1.jsonl a2.jsonl a3.jsonl --versus b1.jsonl --versus b2.jsonl --versus b3.jsonl -m rouge1
  assay analyze power --judgements judgements.jsonl --systems bart,t5 --criterion fluency --effect 0.2
  assay analyze power --judgements judgements.jsonl --systems bart,t5 --criterion fluency --budget 500 \\
      --cost item=2,annotator=30,judgement=0.5
  assay analyze power --sd 0.12 --effect 0.01
  assay analyze power --sd 0.12 --items 500
  assay analyze power --correlation 0.3
"""

SOURCES: dict[str, tuple[str, ...]] = {
    "two files": ("effect", "metrics", "allow_missing", "versus", "runs", "budget", "cost"),
    "--judgements": ("effect", "systems", "criterion", "budget", "cost"),
    "--correlation": ("against",),
    "--sd": ("effect", "items"),
}
"""What power is computed from, with the options that apply to each."""


@new_command(epilog=EXAMPLE)
@click.argument("scores", nargs=-1, type=PATH)
@click.option(
    "--effect",
    cls=ListOption,
    help="True difference to detect, or per metric in points of tables (rouge1=1,chrf=0.5) (default: the "
    "observed one, which is optimistic).",
)
@click.option("--versus", type=PATH, multiple=True, help="Run of B (repeatable); SCORES are then runs of A.")
@click.option(
    "--runs",
    type=click.Choice(get_args(Runs)),
    help="With --versus: independent (seeds, default) or paired runs (shared seeds or references).",
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    help="Budget to allocate at the prices of --cost.",
)
@click.option("--cost", cls=ListOption, help="Unit prices: item=2,annotator=30,judgement=0.5, or item=1,run=40.")
@click.option("--metrics", "-m", cls=ListOption, help="Columns of the per-example files (default: all).")
@click.option("--allow-missing", is_flag=True, help="Use the items in both files; report the number missing.")
@click.option("--judgements", type=PATH, help="Human judgements, instead of metric scores.")
@click.option("--systems", cls=ListOption, help="Two systems of --judgements: A,B.")
@click.option("--criterion", help="Criterion of --judgements.")
@click.option("--sd", type=float, help="Standard deviation of the paired differences, without files.")
@click.option("--items", type=click.IntRange(2), help="With --sd: number of items.")
@click.option("--correlation", type=float, help="Number of items to distinguish this correlation from --against.")
@click.option(
    "--against", type=float, show_default="0", help="With --correlation: correlation under the null hypothesis."
)
@click.option("--power", type=click.FloatRange(0.5, 1, max_open=True), default=0.8, show_default=True)
@click.option("--alpha", type=click.FloatRange(0, 0.5, min_open=True), default=0.05, show_default=True)
@table_options
def command(scores: tuple[Path, ...], form: Form, plots: Path | None, as_json: bool, **options: Any) -> None:
    """Compute the power of a paired comparison. SCORES are two files written by `assay score --per-example`, A and
    B."""
    if plots is None:
        refuse_idle(figure_format="--plots")
    power, alpha = options["power"], options["alpha"]
    effect = _effect(options)
    _check(scores, options)
    notes: list[str] = []
    tables: list[Table] = []
    if len(scores) == 2 or options["versus"]:
        rows, notes = _of_files(scores, effect, options)
        report: dict[str, Any] = {"metrics": {row.metric: asdict(row) for row in rows}, "warnings": notes}
        table = power_table(rows, power)
        for row in rows:
            tables += sources_tables(row.metric, row.sources, power, row.scale) if row.sources else []
    elif scores:
        raise UsageError("pass two per-example files, A and B; or runs of A, and runs of B with --versus")
    elif options["judgements"]:
        study = _study(effect, options)
        rows = [study.row]
        report, table = asdict(study), study_table(study, power)
        if study.sources:
            tables = sources_tables(options["criterion"], study.sources, power)
            notes = study.sources.notes
        else:
            notes = [f"other annotators: {study.why_no_sources}"]
    elif options["correlation"] is not None:
        r, against = options["correlation"], options["against"] or 0.0
        needed = correlation_items_needed(r, against, power, alpha)
        rows = []
        report = {"correlation": r, "against": against, "items_needed": needed}
        table = correlation_table(r, against, needed)
    elif options["sd"] is not None and (effect is not None or options["items"]):
        row = _of_sd(effect, options)
        rows = [row]
        report, table = asdict(row), power_table([row], power)
    else:
        raise UsageError("pass two per-example files, --judgements, --correlation, or --sd with --effect or --items")
    report |= {"wanted_power": power, "alpha": alpha}
    if plots is not None:
        from assay.meta.figures.power import draw

        for path in draw(rows, plots, options["figure_format"], power, alpha):
            click.echo(f"{path}", err=True)
    if as_json:
        click.echo(to_json(report))
        return
    print_tables(table, *tables, form=form)
    doubts = [f"{row.metric}: {note}" for row in rows if row.sources for note in row.sources.notes]
    warn([*notes, *doubts, *(f"{row.metric}: {row.why}" for row in rows if row.why)])


def _check(scores: tuple[Path, ...], options: dict[str, Any]) -> None:
    """Check that options fit together and that every number is finite."""
    for name in ("sd", "correlation", "against", "budget"):
        if options[name] is not None and not math.isfinite(options[name]):
            raise UsageError(f"--{name}: {options[name]} is not a finite number")
    if (options["budget"] is None) != (options["cost"] is None):
        raise UsageError("--budget and --cost require each other")
    if options["runs"] and not options["versus"]:
        raise UsageError("--runs requires --versus")
    sources = ["two files"] if scores or options["versus"] else []
    sources += [source for source in SOURCES if options.get(source.removeprefix("--")) is not None]
    if len(sources) > 1:
        raise UsageError(f"{sources[0]} and {sources[1]} exclude each other; leave one out")
    for name in sorted({name for useful in SOURCES.values() for name in useful}):
        useful = [source for source in SOURCES if name in SOURCES[source]]
        if sources and options[name] and sources[0] not in useful:
            raise UsageError(
                f"--{name.replace('_', '-')} does not apply to {sources[0]}; it requires {' or '.join(useful)}"
            )


def _effect(options: dict[str, Any]) -> Effect:
    """One number, or one by metric."""
    text = options["effect"]
    if text is None or "=" in text:
        return None if text is None else named_numbers(text, "--effect")
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"--effect: '{text}' is neither a number nor NAME=NUMBER,..") from None
    if not math.isfinite(value):
        raise UsageError(f"--effect: {text} is not a finite number")
    return value


def _budget(options: dict[str, Any]) -> Budget | None:
    return None if options["budget"] is None else Budget(options["budget"], named_numbers(options["cost"], "--cost"))


def _of_files(scores: tuple[Path, ...], effect: Effect, options: dict[str, Any]) -> tuple[list[PowerRow], list[str]]:
    power, alpha, budget = options["power"], options["alpha"], _budget(options)
    columns, allow_missing = comma_separated(options["metrics"]), options["allow_missing"]
    if not options["versus"]:
        return power_from_scores(scores[0], scores[1], effect, power, alpha, columns, allow_missing, budget)
    runs: Runs = options["runs"] or "independent"
    return power_from_runs(scores, options["versus"], effect, power, alpha, columns, allow_missing, budget, runs)


def _study(effect: Effect, options: dict[str, Any]) -> StudyPower:
    pair = comma_separated(options["systems"])
    if len(pair) != 2 or not options["criterion"]:
        raise UsageError("--judgements needs --systems A,B and --criterion C")
    if isinstance(effect, Mapping):
        if [*effect] != [options["criterion"]]:
            raise UsageError(f"--effect: give a number, or {options['criterion']}=NUMBER")
        effect = effect[options["criterion"]]
    records = read_judgements(options["judgements"])
    systems = (pair[0], pair[1])
    return power_from_judgements(
        records, systems, options["criterion"], effect, options["power"], options["alpha"], _budget(options)
    )


def _of_sd(effect: Effect, options: dict[str, Any]) -> PowerRow:
    if isinstance(effect, Mapping):
        raise UsageError("--effect: with --sd it is one number")
    sd, n = options["sd"], options["items"]
    power, alpha = options["power"], options["alpha"]
    needed = None if effect is None else items_needed(effect, sd, power, alpha)
    detectable = None if n is None else detectable_effect(sd, n, power, alpha)
    seen = None if n is None or effect is None else power_of(effect, sd, n, alpha)
    more = None if needed is None or n is None else max(0, needed - n)
    return PowerRow("paired differences", n, None, sd, effect, seen, detectable, needed, more)
