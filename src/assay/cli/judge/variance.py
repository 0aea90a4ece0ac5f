"""`assay judge variance`: variance components of a panel of judges, and what to buy next."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, format_option, json_option, seed_option
from assay.meta.judge_budget import PeoplePlan, people_plan
from assay.meta.judge_variance import judge_variance
from assay.records import read_judgements, to_json
from assay.records.types import JUDGE_METHOD
from assay.show.tables import Column, Form, Table

EXAMPLE = """\b
Examples:
  assay judge variance judged-by-a.jsonl judged-by-b.jsonl
  assay judge variance judged.jsonl --criterion fluency --cost-call 0.002 --cost-item 0.5 --json
  assay judge variance human.jsonl judged.jsonl --criterion quality --cost-call 0.002 --cost-label 0.4
"""


@new_command(epilog=EXAMPLE)
@click.argument("judgements", type=PATH, nargs=-1, required=True)
@click.option("--criterion", help="Criterion to use; required if there are several.")
@click.option(
    "--cost-call", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="Cost of a call."
)
@click.option("--cost-item", type=click.FloatRange(0), default=0.0, show_default=True, help="Cost of one more item.")
@click.option(
    "--cost-label", type=click.FloatRange(0, min_open=True), default=10.0, show_default=True,
    help="Cost of a label by an annotator.",
)  # fmt: skip
@seed_option
@format_option
@json_option
def command(
    judgements: tuple[Path, ...], criterion: str | None, cost_call: float, cost_item: float, cost_label: float,
    seed: int, form: Form, as_json: bool,
) -> None:  # fmt: skip
    """Divide the variance of judges' ratings into items, systems, judges, prompts, draws and the rest, with 95 % CIs.

    Means of systems have intervals that include all of them. The last table says which addition decreases the error of
    the mean most for its cost. With human judgements of some of the outputs, another table plans the annotators' mean
    that they and the judges estimate together: more labels and annotators are options too.
    """
    rows = [row for path in judgements for row in read_judgements(path)]
    variance = judge_variance(rows, criterion, cost_call, cost_item, seed)
    people = None
    if any(row.method != JUDGE_METHOD for row in rows):
        people = people_plan(rows, criterion, cost_call, cost_item, cost_label)
    if as_json:
        planned = people.record() if isinstance(people, PeoplePlan) else {"why": people} if people else None
        click.echo(to_json(variance.record() | {"people": planned}))
        return
    columns = [Column("source", "left"), Column("variance"), Column("95 % CI"), Column("share"), Column("levels")]
    parts = [
        [part.name, f"{part.variance:.3f}",
         f"[{part.low:.3f}, {'–' if part.high is None else format(part.high, '.3f')}]", f"{part.share:.0%}",
         f"{part.levels:,}"]
        for part in variance.sources.parts.values()
    ]  # fmt: skip
    means = [[name, f"{mean:.2f}", f"[{low:.2f}, {high:.2f}]"] for name, (mean, low, high) in variance.means.items()]
    options = [
        [option.add, f"{option.levels:,}", f"{option.cost:,.2f}", f"{option.error:.3f}"] for option in variance.options
    ]
    print_tables(
        Table(columns, parts, "Variance of the ratings"),
        Table([Column("system", "left"), Column("mean"), Column("95 % CI")], means, "Means, with all sources of doubt"),
        Table([Column("add", "left"), Column("levels then"), Column("cost"), Column("standard error then")], options,
              f"What to add, most useful for its cost first (standard error now {variance.error:.3f})"),
        *([_with_people(people)] if isinstance(people, PeoplePlan) else []),
        form=form,
    )  # fmt: skip
    first = people.options[0] if isinstance(people, PeoplePlan) and people.options else None
    if first or variance.options:
        say(f"The next unit of cost helps most if spent on: {(first or variance.options[0]).add}")
    warn(variance.sources.notes)
    if people is not None:
        warn(people.notes if isinstance(people, PeoplePlan) else [f"no plan with annotators: {people}"])


def _with_people(plan: PeoplePlan) -> Table:
    columns = [Column("add", "left"), Column("levels then"), Column("cost"), Column("standard error then")]
    rows = [[option.add, f"{option.levels:,}", f"{option.cost:,.2f}", f"{option.error:.3f}"] for option in plan.options]
    title = (
        f"With annotators: what to add for the mean of {plan.design.labelled:,} labelled and {plan.design.judged:,} "
        f"judged outputs of a system (standard error now {plan.error:.3f}, without the judge {plan.without_judge:.3f})"
    )
    return Table(columns, rows, title)
