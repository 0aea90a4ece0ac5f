"""`assay metric correlate`: correlate metrics with human judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import advanced, new_command
from assay.cli.shared.options import (
    PATH,
    ListOption,
    Resamples,
    comma_separated,
    refuse_idle,
    seed_option,
    table_options,
)
from assay.cli.shared.work_options import work_options
from assay.execution.executors import Executor
from assay.meta.correlate import CorrelateRequest
from assay.meta.correlation_records import CorrelationsRecord
from assay.meta.correlation_report import LEVELS, METHODS, TAILS, correlate_files
from assay.meta.directions import parse_directions
from assay.meta.resampling import UNITS
from assay.meta.tables.correlations import correlation_tables
from assay.records import to_json
from assay.show.tables import Form

EXAMPLE = """\b
Examples:
  assay metric correlate --human human.json --scores metrics.json --control model_name --by dataset
  assay metric correlate --human human.json --scores metrics.json --scores my-scores.jsonl --control model_name
  assay metric correlate --human human.json --scores metrics.json --control model_name --ablate all --williams
  assay metric correlate --human ratings.csv --scores scores.jsonl --column coherence --level summary --method kendall-b
  assay metric correlate --human ratings.csv --scores scores.csv --level system --differences
  assay metric correlate --human human.json --scores metrics.json --control model_name --williams frank --classical
"""


@new_command(epilog=EXAMPLE)
@click.option("--human", required=True, type=PATH, help="Human scores, one row per judged text.")
@click.option(
    "--scores",
    required=True,
    multiple=True,
    type=PATH,
    help="Metric scores of the same texts, one column per metric. Repeatable: files of other systems or metrics.",
)
@click.option("--column", default="", help="Human column (default: Factuality, or the only numeric one).")
@click.option(
    "--control",
    "controls",
    cls=ListOption,
    help="Categorical control columns: a,b (additive) or a*b (crossed).",
)
@click.option(
    "--method",
    "methods",
    cls=ListOption,
    default=("pearson", "spearman"),
    show_default=True,
    help=f"Coefficients: {', '.join(METHODS)}.",
)
@click.option(
    "--level", type=click.Choice(LEVELS), default="global", show_default=True, metavar="LEVEL",
    help="global (all texts), summary (within inputs), system (means of systems), within (within systems).",
)  # fmt: skip
@click.option("--by", help="Also correlate within each value of this column.")
@click.option(
    "--ablate",
    cls=ListOption,
    help="Error categories to remove one at a time: names, or all.",
)
@click.option(
    "--williams",
    is_flag=False,
    flag_value=TAILS[0],
    type=click.Choice(TAILS),
    help="Test every pair of metrics for the same correlation (default: no test; --williams alone: two-sided).",
)
@click.option("--differences", is_flag=True, help="Permutation test of every pair of metrics, at any level.")
@click.option(
    "--direction",
    "directions",
    cls=ListOption,
    help="Direction of metrics: NAME=lower,OTHER=higher (default: inferred from the name).",
)
@click.option("--classical", is_flag=True, help="p as if texts were independent, as in published tables.")
@click.option(
    "--ci",
    "samples",
    type=Resamples(20),
    help="Number of bootstrap resamples for p and intervals (default: 0, a jackknife over systems and inputs).",
)
@click.option("--allow-missing", is_flag=True, help="Use the items in both files; report the number missing.")
@seed_option
@advanced(
    click.option("--positive", type=float, help="Threshold of good human scores: adds ROC-AUC and balanced accuracy."),
    click.option("--pairwise", is_flag=True, help="Add pairwise accuracy, with ties."),
    click.option("--resample", type=click.Choice(UNITS), help="Unit to leave out or permute (default: by the table)."),
    click.option("--cluster", help="Column that groups texts of one input, e.g. document."),
    click.option(
        "--permutations",
        type=click.IntRange(99),
        default=1000,
        show_default=True,
        help="Number of random permutations.",
    ),
)
@work_options
@table_options
def command(
    human: Path,
    scores: tuple[Path, ...],
    column: str,
    by: str | None,
    allow_missing: bool,
    executor: Executor,
    as_json: bool,
    form: Form,
    plots: Path | None,
    figure_format: str,
    **settings: Any,
) -> None:
    """Correlate metrics with human judgements. Rows are joined on `id` (and `system`), or on `hash` and
    `model_name`."""
    if plots is None:
        refuse_idle(figure_format="--plots")
    names = {name: comma_separated(settings.pop(name)) for name in ("controls", "methods", "ablate", "directions")}
    parsed = {"directions": parse_directions(names["directions"]), "samples": settings["samples"] or 0}
    request = CorrelateRequest(human=column, **settings | names | parsed)
    data, request, report = correlate_files(
        human, scores, request, by=by, allow_missing=allow_missing, executor=executor
    )
    if plots is not None:
        from assay.meta.figures.correlate import draw

        for path in draw(data, request, report, plots, figure_format):
            click.echo(f"{path}", err=True)
    if as_json:
        click.echo(to_json(report))
        return
    print_tables(*correlation_tables(report, request), form=form)
    warn(_all_warnings(report))


def _all_warnings(report: CorrelationsRecord, part: str = "") -> list[str]:
    warnings_found = [f"{part}{note}" for note in report["warnings"]]
    for name, record in report["metrics"].items():
        for method, entry in record.items():
            if entry.get("left_out"):
                every = entry["groups"] + entry["left_out"]
                warnings_found.append(
                    f"{part}{name}, {method}: {entry['left_out']} of {every} groups without a correlation are excluded"
                )
            if entry.get("why_no_p"):
                warnings_found.append(f"{part}{name}, {method}: no p and no interval: {entry['why_no_p']}")
            if entry.get("why"):
                warnings_found.append(f"{part}{name}, {method}: {entry['why']}")
    for value, inner in report.get("by", {}).items():
        warnings_found += _all_warnings(inner, f"{value}: ")
    return warnings_found
