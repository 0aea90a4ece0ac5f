"""`assay power`: how small a difference can be seen, and how many more items or judgements it takes."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.cli.display import print_tables, warn
from assay.cli.options import PATH, comma_separated, table_options
from assay.errors import UsageError
from assay.meta.power import PowerRow, StudyPower, of_judgements, of_scores
from assay.meta.tables.power import correlation_table, power_table, study_table
from assay.records import read_judgements, to_json
from assay.show.tables import Form
from assay.stats.power import correlation_items_needed, detectable_effect, items_needed, power_of

EXAMPLE = """\b
Examples:
  assay power a.per-example.jsonl b.per-example.jsonl --effect 0.01
  assay power --judgements judgements.jsonl --systems bart,t5 --criterion fluency --effect 0.2
  assay power --sd 0.12 --effect 0.01
  assay power --sd 0.12 --items 500
  assay power --correlation 0.3
"""

SOURCES: dict[str, tuple[str, ...]] = {
    "two files": ("effect", "metrics", "allow_missing"),
    "--judgements": ("effect", "systems", "criterion"),
    "--correlation": ("against",),
    "--sd": ("effect", "items"),
}
"""What power can be computed from, and the options that mean something with each."""


@click.command(epilog=EXAMPLE)
@click.argument("scores", nargs=-1, type=PATH)
@click.option("--effect", type=float, help="The true difference that matters; else the observed one.")
@click.option("--metrics", "-m", help="Only these columns of the per-example files.")
@click.option("--allow-missing", is_flag=True, help="Use the items that both files have; say how many are not.")
@click.option("--judgements", type=PATH, help="A human study instead of metric scores.")
@click.option("--systems", help="The two systems of --judgements, A,B.")
@click.option("--criterion", help="The criterion of --judgements.")
@click.option("--sd", type=float, help="Standard deviation of the paired differences, when there are no files.")
@click.option("--items", type=click.IntRange(2), help="With --sd: what can these many items show?")
@click.option("--correlation", type=float, help="Items that tell this correlation from --against.")
@click.option("--against", type=float, show_default="0", help="With --correlation: the other correlation.")
@click.option("--power", type=click.FloatRange(0.5, 1, max_open=True), default=0.8, show_default=True)
@click.option("--alpha", type=click.FloatRange(0, 0.5, min_open=True), default=0.05, show_default=True)
@table_options
def command(scores: tuple[Path, ...], form: Form, plots: Path | None, as_json: bool, **options: Any) -> None:
    """Power of a paired comparison. SCORES are two files written with `assay score --per-example`."""
    power, alpha, effect = options["power"], options["alpha"], options["effect"]
    _check(scores, options)
    notes: list[str] = []
    if len(scores) == 2:
        rows, notes = of_scores(
            *scores, effect, power, alpha, comma_separated(options["metrics"]), options["allow_missing"]
        )
        report: dict[str, Any] = {"metrics": {row.metric: asdict(row) for row in rows}, "warnings": notes}
        table = power_table(rows, power)
    elif scores:
        raise UsageError("give two per-example files, A and B")
    elif options["judgements"]:
        study = _study(options)
        rows = [study.row]
        report, table = asdict(study), study_table(study, power)
    elif options["correlation"] is not None:
        r, against = options["correlation"], options["against"] or 0.0
        needed = correlation_items_needed(r, against, power, alpha)
        rows = []
        report = {"correlation": r, "against": against, "items_needed": needed}
        table = correlation_table(r, against, needed)
    elif options["sd"] is not None and (effect is not None or options["items"]):
        row = _of_sd(options)
        rows = [row]
        report, table = asdict(row), power_table([row], power)
    else:
        raise UsageError("give two per-example files, --judgements, --correlation, or --sd with --effect or --items")
    report |= {"wanted_power": power, "alpha": alpha}
    if plots is not None:
        from assay.meta.figures.power import draw

        for path in draw(rows, plots, options["figure_format"], power, alpha):
            click.echo(f"{path}", err=True)
    if as_json:
        click.echo(to_json(report))
        return
    print_tables(table, form=form)
    warn([*notes, *(f"{row.metric}: {row.why}" for row in rows if row.why)])


def _check(scores: tuple[Path, ...], options: dict[str, Any]) -> None:
    """One question at a time: no option may be there that the answer would ignore, and every number is finite."""
    for name in ("effect", "sd", "correlation", "against"):
        if options[name] is not None and not math.isfinite(options[name]):
            raise UsageError(f"--{name}: {options[name]} is not a finite number")
    given = ["two files"] if scores else []
    given += [source for source in SOURCES if options.get(source.removeprefix("--")) is not None]
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]} are two questions; ask one of them")
    for name in sorted({name for useful in SOURCES.values() for name in useful}):
        useful = [source for source in SOURCES if name in SOURCES[source]]
        if given and options[name] and given[0] not in useful:
            raise UsageError(
                f"--{name.replace('_', '-')} means nothing with {given[0]}; it goes with {' or '.join(useful)}"
            )


def _study(options: dict[str, Any]) -> StudyPower:
    pair = comma_separated(options["systems"])
    if len(pair) != 2 or not options["criterion"]:
        raise UsageError("--judgements needs --systems A,B and --criterion C")
    records = read_judgements(options["judgements"])
    return of_judgements(
        records, (pair[0], pair[1]), options["criterion"], options["effect"], options["power"], options["alpha"]
    )


def _of_sd(options: dict[str, Any]) -> PowerRow:
    sd, effect, n = options["sd"], options["effect"], options["items"]
    power, alpha = options["power"], options["alpha"]
    needed = None if effect is None else items_needed(effect, sd, power, alpha)
    detectable = None if n is None else detectable_effect(sd, n, power, alpha)
    seen = None if n is None or effect is None else power_of(effect, sd, n, alpha)
    more = None if needed is None or n is None else max(0, needed - n)
    return PowerRow("paired differences", n, None, sd, effect, seen, detectable, needed, more)
