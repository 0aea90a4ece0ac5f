"""`assay metric correlate`: which metric follows people, and for which mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ListOption, comma_separated, refuse_idle, seed_option, table_options
from assay.cli.shared.work_options import work_options
from assay.meta.correlate import Question
from assay.meta.correlation_report import LEVELS, METHODS, TAILS, Asked, correlate_files
from assay.meta.directions import parse_directions
from assay.meta.resampling import UNITS
from assay.meta.tables.correlations import correlation_tables
from assay.records import to_json
from assay.show.tables import Form

EXAMPLE = """\b
Examples:
  assay metric correlate --human human.json --scores metrics.json --control model_name --by dataset
  assay metric correlate --human human.json --scores metrics.json --control model_name --ablate all --williams
  assay metric correlate --human ratings.csv --scores scores.jsonl --column coherence --level summary --method kendall-b
  assay metric correlate --human ratings.csv --scores scores.jsonl --level system --ci 1000 --resample both --differences
"""


@new_command(epilog=EXAMPLE)
@click.option("--human", required=True, type=PATH, help="Human scores: one row per judged text.")
@click.option(
    "--scores",
    required=True,
    multiple=True,
    type=PATH,
    help="Metric scores of the same texts; every number is a metric. Repeat for one file a system, named by the file.",
)
@click.option("--column", help="The human column; else Factuality, else the only numeric one.")
@click.option("--control", cls=ListOption, help="Categorical columns held constant, a,b (added) or a*b (crossed).")
@click.option(
    "--method", cls=ListOption, default=("pearson", "spearman"), show_default=True, help=f"Any of {', '.join(METHODS)}."
)
@click.option("--level", type=click.Choice(LEVELS), default="global", show_default=True)
@click.option("--by", help="Repeat for every value of this column.")
@click.option(
    "--ablate",
    cls=ListOption,
    help="Error categories to forgive, one after the other: names, or `all` flipped columns.",
)
@click.option(
    "--williams",
    is_flag=False,
    flag_value=TAILS[0],
    type=click.Choice(TAILS),
    help="Williams' test of every pair of metrics, and their correlation with each other; two-sided if not said.",
)
@click.option(
    "--differences", is_flag=True, help="Compare every pair of metrics by swapping their scores, at any level."
)
@click.option(
    "--direction", cls=ListOption, help="Which way metrics point where their names do not say: NAME=lower,OTHER=higher."
)
@click.option("--ci", type=click.IntRange(20), help="Resamples for 95 % intervals.")
@click.option(
    "--resample", type=click.Choice(UNITS), help="What is drawn anew or swapped; else what the level is about."
)
@click.option("--cluster", help="The column that says which texts belong to one input, e.g. the document.")
@click.option(
    "--permutations",
    type=click.IntRange(99),
    default=1000,
    show_default=True,
    help="Shuffles within groups, and swaps of --differences.",
)
@click.option("--positive", type=float, help="Human scores from here up are good: adds ROC-AUC and balanced accuracy.")
@click.option("--pairwise", is_flag=True, help="Adds the accuracy of ordering two texts, ties included.")
@click.option("--allow-missing", is_flag=True, help="Use the items that both files have; say how many are not.")
@seed_option
@work_options
@table_options
def command(
    human: Path, scores: tuple[Path, ...], as_json: bool, form: Form, plots: Path | None, **options: Any
) -> None:
    """Correlate metrics with people. Rows are joined on `id` (and `system`), or on `hash` and `model_name`."""
    if plots is None:
        refuse_idle(figure_format="--plots")
    if not options["ci"] and not options["differences"]:
        refuse_idle(resample="--ci or --differences")
    question = Question(
        human=options["column"] or "",
        controls=comma_separated(options["control"]),
        methods=cast("Any", comma_separated(options["method"])),
        level=options["level"],
        samples=options["ci"] or 0,
        cluster=options["cluster"],
        resample=options["resample"],
        directions=parse_directions(comma_separated(options["direction"])),
        permutations=options["permutations"],
        positive=options["positive"],
        pairwise=options["pairwise"],
        seed=options["seed"],
    )
    data, question, report = correlate_files(
        human,
        scores,
        question,
        Asked(comma_separated(options["ablate"]), options["williams"], options["differences"]),
        by=options["by"],
        allow_missing=options["allow_missing"],
        executor=options["executor"],
    )
    if plots is not None:
        from assay.meta.figures.correlate import draw

        for path in draw(data, question, report, plots, options["figure_format"]):
            click.echo(f"{path}", err=True)
    if as_json:
        click.echo(to_json(report))
        return
    print_tables(*correlation_tables(report, question), form=form)
    warn(_all_warnings(report))


def _all_warnings(report: dict[str, Any], part: str = "") -> list[str]:
    found = [f"{part}{note}" for note in report["warnings"]]
    for name, record in report["metrics"].items():
        for method, entry in record.items():
            if entry.get("left_out"):
                every = entry["groups"] + entry["left_out"]
                found.append(
                    f"{part}{name}, {method}: left out {entry['left_out']} of {every} groups without a correlation"
                )
            if entry.get("why_no_interval"):
                found.append(f"{part}{name}, {method}: no interval, {entry['why_no_interval']}")
            if entry.get("why"):
                found.append(f"{part}{name}, {method}: {entry['why']}")
    for value, inner in report.get("by", {}).items():
        found += _all_warnings(inner, f"{value}: ")
    return found
