"""`assay judge rank`: win rates and strengths from pairwise judgements."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.judge.validate import texts_of
from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, format_option, json_option
from assay.meta.judge_numbers import rank_by_judge
from assay.records import read_judgements, to_json
from assay.show.tables import Column, Form, Table

EXAMPLE = """\b
Examples:
  assay judge rank pairs.jsonl
  assay judge rank pairs.jsonl --outputs t5.jsonl --outputs bart.jsonl --json
"""


@new_command(epilog=EXAMPLE)
@click.argument("judgements", type=PATH, nargs=-1, required=True)
@click.option("--judge", metavar="NAME", help="Annotator to use (default: all).")
@click.option("--outputs", type=PATH, multiple=True, help="Judged outputs, for strengths at equal length. Repeatable.")
@format_option
@json_option
def command(
    judgements: tuple[Path, ...], judge: str | None, outputs: tuple[Path, ...], form: Form, as_json: bool
) -> None:
    """Rank systems by pairwise judgements in both orders: win rates, Bradley-Terry or Davidson strengths, tied groups.

    Intervals are robust to choices that share an item; p values are corrected by Holm over all pairs. Several judges
    have strengths of their own next to those of all, and systems on which they differ significantly are named.
    """
    rows = [row for path in judgements for row in read_judgements(path)]
    ranking = rank_by_judge(rows, texts_of(outputs), judge)
    if as_json:
        click.echo(to_json(ranking.record()))
        return
    record = ranking.record()["systems"]
    columns = [Column("rank"), Column("system", "left"), Column("strength"), Column("95 % CI")]
    columns += [Column("at equal length")] if ranking.controlled else []
    columns += [Column(f"by {name}") for name in ranking.by_judge]
    cells = [
        [str(each["rank"]), name, number(each["strength"]), interval(each),
         *([number(each["length_controlled"])] if ranking.controlled else []),
         *(number(each["by_judge"].get(judge)) for judge in ranking.by_judge)]
        for name, each in sorted(record.items(), key=lambda entry: (entry[1]["rank"], -(entry[1]["strength"] or 0)))
    ]  # fmt: skip
    print_tables(
        Table(
            columns,
            cells,
            notes=[
                "systems of the same rank are not significantly different; strengths use the comparisons of all systems"
            ],
        ),
        form=form,
    )
    for win in ranking.wins:
        say(win.sentence())
    warn(ranking.notes)


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def interval(each: dict[str, float | None]) -> str:
    return "–" if each["low"] is None else f"[{each['low']:.2f}, {each['high']:.2f}]"
