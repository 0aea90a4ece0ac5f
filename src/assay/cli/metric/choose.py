"""`assay metric choose`: which metric orders texts and systems as annotators do."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, format_option, json_option, seed_option
from assay.meta.choose_metric import Choice, choose_metric
from assay.meta.directions import parse_directions
from assay.meta.metric_levels import Average, ChoiceRequest
from assay.records import to_json
from assay.show.tables import Column, Form, Table

EXAMPLE = """\b
Examples:
  assay metric choose --human few.jsonl --scores all.jsonl
  assay metric choose --human few.jsonl --scores all.jsonl --criterion fluency --average global --json
"""


@new_command(epilog=EXAMPLE)
@click.option("--human", type=PATH, required=True, help="Judgements of some texts, by id and system.")
@click.option("--scores", type=PATH, required=True, multiple=True, help="Metric scores of the texts. Repeatable.")
@click.option("--criterion", help="Criterion, if the judgements have several.")
@click.option(
    "--average", type=click.Choice(get_args(Average)), default="item", show_default=True,
    help="Pairs of texts that are compared: of the same item, of the same system, or all (global).",
)  # fmt: skip
@click.option(
    "--direction",
    multiple=True,
    metavar="NAME=…",
    help="Direction of a score: NAME=lower or higher (default: by name).",
)
@click.option(
    "--permutations", type=click.IntRange(100), default=1000, show_default=True, help="Number of random permutations."
)
@seed_option
@format_option
@json_option
def command(
    human: Path, scores: tuple[Path, ...], criterion: str | None, average: Average, direction: tuple[str, ...],
    permutations: int, seed: int, form: Form, as_json: bool,
) -> None:  # fmt: skip
    """Say which metric orders texts and systems as annotators do, with the evidence of your judgements.

    Texts: pairwise accuracy with calibrated ties. Systems: soft pairwise accuracy. Metrics of the same rank are not
    significantly different (permutation tests, Holm over all pairs of metrics).
    """
    request = ChoiceRequest(criterion, average, parse_directions(direction), permutations, seed)
    choice = choose_metric(human, list(scores), request)
    if as_json:
        click.echo(to_json(choice.record()))
        return
    print_tables(_table(choice), form=form)
    say(choice.sentence())
    warn(choice.notes)


def _table(choice: Choice) -> Table:
    columns = [
        Column("metric", "left"), Column("systems"), Column("rank"), Column("sign"), Column("texts"), Column("95 % CI"),
        Column("rank"), Column("ties up to"), Column("fitted"),
    ]  # fmt: skip
    rows = [
        [name, _number(each.systems), _rank(each.system_rank), _number(each.hard), _number(each.held_out),
         "–" if each.low is None else f"[{each.low:.3f}, {each.high:.3f}]", _rank(each.rank),
         f"{each.threshold:.3g}", _number(each.texts)]
        for name, each in choice.metrics.items()
    ]  # fmt: skip
    ceiling = choice.ceiling
    if ceiling["texts"] is not None:
        rows.append(["one annotator", _number(ceiling["systems"]), "", "", "", "", "", "", _number(ceiling["texts"])])
    notes = [
        f"{choice.criterion}: {choice.texts:,} texts of {choice.systems} systems and {choice.inputs} inputs; "
        f"{choice.pairs:,} pairs of texts, averaged by {choice.average}",
        "systems: soft pairwise accuracy; sign: share of pairs of systems with the same sign; texts: pairwise accuracy "
        "with the threshold for ties of other inputs; fitted: with the best threshold, as published",
    ]
    return Table(columns, rows, notes=notes)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _rank(value: int | None) -> str:
    return "–" if value is None else str(value)
