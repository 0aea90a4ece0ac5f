"""`assay analyze agreement`: inter-annotator agreement and rater behaviour."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ci_option, refuse_idle, seed_option, table_options
from assay.errors import AssayError, location
from assay.meta.agreement import AgreementRequest, agreement_report, distinct, measure_agreement
from assay.meta.majority import against_majority
from assay.meta.ranking import Unit, compare_pairs, rank_systems, scale_ends, unit_values
from assay.meta.ratings import ModelKind, model_ratings
from assay.meta.tables.judgements import judgement_tables
from assay.records import read_judgements, read_table, to_json
from assay.show.tables import Form
from assay.stats.annotators import Over
from assay.stats.paired_tests import JUDGEMENT_TESTS, describe
from assay.studies.kinds import shared_direction

EXAMPLE = """\b
Examples:
  assay analyze agreement judgements.jsonl
  assay analyze agreement judgements.jsonl --criterion fluency --preset 3 --rank
  assay analyze agreement judgements.jsonl --resample both --model ordinal
"""


@new_command(epilog=EXAMPLE)
@click.argument("judgements", type=PATH)
@click.option("--criterion", help="Criterion to analyse (default: all).")
@ci_option(fewest=20)
@click.option(
    "--resample",
    "over",
    type=click.Choice(get_args(Over)),
    default="item",
    show_default=True,
    help="Unit of the bootstrap: items, annotators or both.",
)
@click.option("--preset", help="Preset value of the form: reports how often each rater left it unchanged.")
@click.option("--traps", type=PATH, help="Attention checks (id, value): used to check raters, excluded otherwise.")
@click.option("--expert", metavar="NAME", help="Compare this rater with the majority of the others only.")
@click.option("--rank", is_flag=True, help="Rank the systems; systems not significantly different share a rank.")
@click.option(
    "--compare",
    type=click.Choice(tuple(JUDGEMENT_TESTS)),
    help=f"Test every pair of systems, with Holm's correction (default: none). {describe(JUDGEMENT_TESTS)}.",
)
@click.option(
    "--unit",
    type=click.Choice(get_args(Unit)),
    default="item",
    show_default=True,
    help="Unit of --compare: item means, or single judgements (not independent).",
)
@click.option(
    "--model",
    type=click.Choice(get_args(ModelKind)),
    help="Mixed-effects model of systems, with items and annotators as random effects (default: none).",
)
@seed_option
@table_options
def command(
    judgements: Path,
    criterion: str | None,
    ci: int,
    over: Over,
    preset: str | None,
    traps: Path | None,
    expert: str | None,
    rank: bool,
    compare: str | None,
    unit: Unit,
    model: ModelKind | None,
    seed: int,
    form: Form,
    plots: Path | None,
    figure_format: str,
    as_json: bool,
) -> None:
    """Report inter-annotator agreement in JUDGEMENTS: percent, Fleiss, Cohen, Gwet, Krippendorff, ICC, with 95 %
    CIs."""
    if plots is None:
        refuse_idle(figure_format="--plots")
    if not compare:
        refuse_idle(unit="--compare")
    records = read_judgements(judgements)
    if expert is not None:
        records, undecided = against_majority(distinct(records), expert)
        if undecided:
            click.echo(f"! {undecided} of {expert}'s answers are excluded: the others have no majority", err=True)
    known = _traps(traps) if traps else {}
    start = _value(preset) if preset is not None else None
    agreements = measure_agreement(records, AgreementRequest(criterion, ci, seed, start, known or {}, over))
    plain = [record for record in distinct(records) if record.id not in known]
    criteria = [each.criterion for each in agreements]
    better = {
        name: shared_direction({row.method for row in plain if row.criterion == name}) for name in criteria if rank
    }
    ranks = {
        name: rank_systems(unit_values(plain, name), ci, seed, better=better[name], ends=scale_ends(plain, name))
        for name in better
    }
    pairs = {name: compare_pairs(unit_values(plain, name, unit), compare, seed) for name in criteria if compare}
    models = {name: model_ratings(plain, name, model) for name in criteria if model}
    if plots is not None:
        from assay.meta.figures.judgements import draw

        for path in draw(plain, agreements, ranks, plots, figure_format):
            click.echo(f"{path}", err=True)
    if as_json:
        click.echo(to_json(agreement_report(agreements, ranks, pairs, models)))
        return
    groups = ((each, each.criterion) for each in agreements)
    tables = [judgement_tables(each, ranks.get(name), pairs.get(name), models.get(name)) for each, name in groups]
    print_tables(*(table for group in tables for table in group), form=form)
    warn(f"{each.criterion}: {note}" for each in agreements for note in each.warnings)
    warn(f"{name}: {note}" for name, each in models.items() for note in each.notes)


def _traps(path: Path) -> dict[str, float | str]:
    table = read_table(path)
    traps: dict[str, float | str] = {}
    for row in table.rows:
        if "id" not in row.fields or "value" not in row.fields:
            raise AssayError(f"{location(table.path, row.where)}: an attention check needs id and value")
        traps[str(row.fields["id"])] = _value(row.fields["value"])
    return traps


def _value(expected: object) -> float | str:
    try:
        return float(str(expected))
    except ValueError:
        return str(expected)
