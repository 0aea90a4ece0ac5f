"""`assay judge rates`: rates of a label, corrected by the error rates of the judge."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, format_option, json_option
from assay.meta.judge_numbers import corrected_rates
from assay.records import read_judgements, to_json
from assay.show.tables import Column, Form, Table

EXAMPLE = """\b
Examples:
  assay judge rates human.jsonl judged.jsonl --label supported
  assay judge rates human.jsonl judged.jsonl --label 1 --criterion main_point --json
"""


@new_command(epilog=EXAMPLE)
@click.argument("judgements", type=PATH, nargs=-1, required=True)
@click.option("--label", required=True, metavar="LABEL", help="Label whose rate is estimated, e.g. yes or 1.")
@click.option("--judge", metavar="NAME", help="Judge (default: the only one in the files).")
@click.option("--criterion", help="Criterion to use (default: all together).")
@format_option
@json_option
def command(
    judgements: tuple[Path, ...], label: str, judge: str | None, criterion: str | None, form: Form, as_json: bool
) -> None:
    """Correct the rate of a label by the judge's sensitivity and specificity on human-labelled outputs (Rogan-Gladen).

    The 95 % confidence interval includes the uncertainty of both error rates.
    """
    rows = [row for path in judgements for row in read_judgements(path)]
    rates = corrected_rates(rows, label, judge, criterion)
    if as_json:
        click.echo(to_json({"label": label, "systems": rates}))
        return
    columns = [Column("system", "left"), Column("judge says"), Column("corrected"), Column("95 % CI"), Column("n")]
    cells = [
        [name, f"{each['apparent']:.1%}", *(
            ["–", each["why"]] if each["value"] is None
            else [f"{each['value']:.1%}", f"[{each['low']:.1%}, {each['high']:.1%}]"]
        ), f"{each['n']:,}"]
        for name, each in rates.items()
    ]  # fmt: skip
    first = next(iter(rates.values()))
    notes = [
        f"sensitivity {first['sensitivity']:.2f}, specificity {first['specificity']:.2f} on {first['labelled']} labels"
    ] if first["value"] is not None else []  # fmt: skip
    print_tables(Table(columns, cells, f"Rate of {label}", notes=notes), form=form)
    if first["value"] is not None and not first["informative"]:
        warn(["the judge is not significantly better than a coin on these labels; the corrected rates say little"])
