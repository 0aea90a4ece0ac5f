"""`assay study analyze`: what people said, and how far to believe it."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, format_option, json_option, seed_option
from assay.meta.ratings import ModelKind
from assay.records import read_judgements, to_json
from assay.show.tables import Form
from assay.studies.analysis import analyze
from assay.studies.analysis_tables import analysis_tables
from assay.studies.load import load_judgements

EXAMPLE = """\b
Examples:
  assay study analyze judgements.jsonl
  assay study analyze study.jsonl --design design.toml --gold gold.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("judgements", type=PATH)
@click.option("--design", type=PATH, help="The design, where JUDGEMENTS is the journal of a study.")
@click.option("--gold", type=PATH, help="Judgements that are known to be right: people and models are held to them.")
@click.option("--threshold", type=float, help="Human-likeness: human strictly below; 3 where the method says so.")
@click.option("--model", type=click.Choice([*get_args(ModelKind), "none"]), default="linear", show_default=True)
@click.option("--ci", type=click.IntRange(20), default=1000, show_default=True, help="Bootstrap resamples of items.")
@seed_option
@format_option
@json_option
def command(
    judgements: Path,
    design: Path | None,
    gold: Path | None,
    threshold: float | None,
    model: str,
    ci: int,
    seed: int,
    form: Form,
    as_json: bool,
) -> None:
    """Agreement, ranks, rates, order and fatigue, methods, gold and annotator models of JUDGEMENTS.

    Pilot answers are left out. Next: `assay metric correlate --human JUDGEMENTS --scores F`.
    """
    given = load_judgements(judgements, design)
    known = read_judgements(gold) if gold else []
    kind: ModelKind | None = None if model == "none" else model  # type: ignore[assignment]
    found = analyze(given, samples=ci, seed=seed, threshold=threshold, gold=known, model=kind)
    if as_json:
        click.echo(to_json(found.record()))
        return
    print_tables(*analysis_tables(found), form=form)
    warn([*found.notes, *(f"{each.name}: {note}" for each in found.criteria for note in each.notes)])
    if found.pilot:
        warn([f"{found.pilot} pilot answers are left out"])
