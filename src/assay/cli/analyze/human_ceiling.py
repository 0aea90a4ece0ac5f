"""`assay analyze human-ceiling`: score the texts of each author against those of the others."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, Resamples, format_option, json_option, seed_option
from assay.errors import UsageError
from assay.execution.request import choose
from assay.meta.human_ceiling import human_ceiling
from assay.records import read_examples, to_json
from assay.show.tables import Column, Content, Form, Table, score_cell

EXAMPLE = """\b
Examples:
  assay analyze human-ceiling ann.jsonl ben.jsonl cleo.jsonl --metrics rouge:stemmer=true,bleu
  assay analyze human-ceiling ann.jsonl ben.jsonl -e mucsum.jsonl -m rouge --ci 1000
"""


@new_command(epilog=EXAMPLE)
@click.argument("texts", type=PATH, nargs=-1, required=True)
@click.option("--metrics", "-m", default="rouge:stemmer=true", show_default=True, help="Metrics with options.")
@click.option("--examples", "-e", type=PATH, help="Examples with sources, for metrics that need them.")
@click.option(
    "--ci",
    type=Resamples(0),
    default=0,
    help="Number of bootstrap resamples for 95 % confidence intervals (default: 0, no intervals).",
)
@seed_option
@format_option
@json_option
def command(
    texts: tuple[Path, ...], metrics: str, examples: Path | None, ci: int, seed: int, form: Form, as_json: bool
) -> None:
    """Score the TEXTS of several authors, one file each, with those of each other author as references.

    Only items that all authors have are used. The agreement of two authors is a ceiling for systems.
    """
    names = [path.stem for path in texts]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two files are called {twice}, and authors are named by their files; rename one")
    sources = {one.id: one.source or "" for one in read_examples(examples).examples} if examples else None
    made = human_ceiling(dict(zip(names, texts, strict=True)), choose(metrics), sources=sources, ci=ci, seed=seed)
    if as_json:
        rows = [{"reference": one.reference, "output": one.output, **one.result.to_dict()} for one in made]
        click.echo(to_json({"n": made[0].result.n, "pairs": rows}))
        return
    shown = [name for name in made[0].result.parts if made[0].result.parts[name][1].shown]
    rows_shown: list[list[Content]] = [
        [one.reference, one.output, *(score_cell(one.result.scores.get(n), one.result.parts[n][1]) for n in shown)]
        for one in made
    ]
    columns = [Column("reference", "left"), Column("output", "left"), *(Column(name) for name in shown)]
    print_tables(Table(columns, rows_shown, f"{made[0].result.n} items that all authors have"), form=form)
    warn(dict.fromkeys(f"{one.metric}: {one.why}" for pair in made for one in pair.result.failed))
