"""`assay data select`: choose datasets from a survey."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.records import to_json
from assay.show.numbers import fixed
from assay.show.tables import Content, Table

ANSWERS = ("median", "mean", "n")


@new_command(epilog="Example: assay data select candidates.json --size 2 --rule equal:size")
@click.argument("candidates", type=PATH)
@click.option("--size", type=click.IntRange(1), required=True, help="Number of datasets to choose.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    help="Constraint: equal:KEY, at-least:N:KEY=VALUE, at-most:N:KEY=VALUE or none:KEY=VALUE. Repeatable.",
)
@json_option
def command(candidates: Path, size: int, rules: tuple[str, ...], as_json: bool) -> None:
    """Choose datasets from a survey: the set with the highest utility that satisfies all constraints.

    CANDIDATES is a JSON object from name to {"votes": [..] or "utility": x, and any property}; votes are positive,
    neutral, negative, or numbers from -1 to 1. Answers to numeric questions can be under "survey".
    """
    from assay.datasets import select as choosing

    candidate_list, survey = choosing.read_candidates(candidates)
    choice = choosing.choose(candidate_list, size, [choosing.rule(text) for text in rules])
    if as_json:
        shown = {
            "chosen": [candidate.name for candidate in choice.chosen],
            "utility": choice.utility,
            "considered": choice.considered,
            "steps": choice.steps,
            "survey": survey,
        }
        click.echo(to_json(shown))
        return
    kept = f"the best of {choice.considered:,} sets that satisfy the constraints, found in {choice.steps:,} steps"
    click.echo(f"{len(choice.chosen)} chosen · utility {choice.utility:.3f} · {kept}")
    chosen = [[each.name, fixed(each.utility, signed=True, zero=True)] for each in choice.chosen]
    print_tables(Table.of("", ["dataset", "utility"], chosen))
    if survey:
        answers_table: list[list[Content]] = [
            [question, *(answers[name] for name in ANSWERS)] for question, answers in survey.items()
        ]
        print_tables(Table.of("", ["question", *ANSWERS], answers_table))
