"""`assay study analyze`: agreement, rankings, rates and order effects."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ci_option, format_option, json_option, seed_option
from assay.errors import AssayError
from assay.meta.ratings import ModelKind
from assay.records import read_judgements, to_json
from assay.show.tables import Form
from assay.studies.analysis import analyze
from assay.studies.analysis_tables import analysis_tables
from assay.studies.design import read_design
from assay.studies.load import load_judgements, why_none

EXAMPLE = """\b
Examples:
  assay study analyze judgements.jsonl
  assay study analyze study.jsonl --design design.toml --gold gold.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("judgements", type=PATH)
@click.option(
    "--design", type=PATH, help="Design: directions of scales, thresholds; required for the journal of a study."
)
@click.option("--gold", type=PATH, help="Gold judgements, to evaluate annotators and annotator models.")
@click.option(
    "--threshold", type=float, help="Texts rated below this mean count as human (default: that of the design, else 3)."
)
@click.option(
    "--model", type=click.Choice([*get_args(ModelKind), "none"]), default="linear", show_default=True,
    help="Mixed-effects model of systems, with items and annotators as random effects.",
)  # fmt: skip
@ci_option(fewest=20)
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
    """Analyze JUDGEMENTS: agreement, rankings, rates, order and fatigue effects, methods, gold, annotator models.

    Pilot answers are excluded. Next: `assay metric correlate --human JUDGEMENTS --scores F`.
    """
    answers = load_judgements(judgements, design)
    if not answers:
        raise AssayError(f"{judgements}: {why_none(judgements, design)}")
    known = read_judgements(gold) if gold else []
    kind: ModelKind | None = None if model == "none" else model  # type: ignore[assignment]
    analysis = analyze(
        answers,
        samples=ci,
        seed=seed,
        threshold=threshold,
        gold=known,
        model=kind,
        design=read_design(design) if design else None,
    )
    if as_json:
        click.echo(to_json(analysis.record()))
        return
    print_tables(*analysis_tables(analysis), form=form)
    warn([*analysis.notes, *(f"{each.name}: {note}" for each in analysis.criteria for note in each.notes)])
    if analysis.pilot:
        warn([f"{analysis.pilot} pilot answers are excluded"])
