"""`assay analyze dialog`: MultiWOZ evaluation: Inform, Success, BLEU, richness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.cli.analyze.dialog_tables import (
    agreement_table,
    domain_table,
    reported_table,
    score_table,
    trace_table,
    turns_of,
)
from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import FOLDER, PATH, format_option, json_option
from assay.errors import UsageError
from assay.metrics.structure.dialog.databases import read_databases
from assay.metrics.structure.dialog.files import Predictions, read_booked, read_goals, read_predictions, read_references
from assay.metrics.structure.dialog.report import Report, evaluate, goal_overlap
from assay.metrics.structure.dialog.reported import compare_reported, read_reported
from assay.metrics.structure.dialog.save_reports import saved_of
from assay.metrics.structure.dialog.saved_dialogues import save_dialogues
from assay.metrics.structure.dialog.styles import style_agreement
from assay.metrics.structure.dialog.success import SETUPS, Setup
from assay.records import to_json
from assay.records.documents import JSONObject
from assay.show.tables import Form
from assay.specs import did_you_mean

EXAMPLE = """\b
Examples:
  assay analyze dialog ubar.json --databases database --references hdsa=hdsa_test_reference.json
  assay analyze dialog ubar.json augpt.json --databases database --goals goals.json --booked booked_domains.json
  assay analyze dialog ubar.json --databases database --goals goals.json --setup optimistic --states gold.json
  assay analyze dialog ubar.json --databases database --goals goals.json --trace sng0580
  assay analyze dialog ubar.json augpt.json --databases database --goals goals.json --save results/dialogues
  assay analyze dialog ubar.json augpt.json -r hdsa=hdsa.json -r damd=damd.json --reported published.json
"""


@new_command(epilog=EXAMPLE)
@click.argument("predictions", type=PATH, nargs=-1, required=True)
@click.option("--databases", type=PATH, help="Folder with restaurant_db.json, hotel_db.json etc.")
@click.option(
    "--references",
    "-r",
    multiple=True,
    metavar="[STYLE=]FILE",
    help="Reference responses, by style of slots. Repeatable.",
)
@click.option("--goals", type=PATH, help="User goals: informable and requestable slots by domain.")
@click.option("--booked", type=PATH, help="Booked domains of the corpus, by dialogue and turn.")
@click.option("--states", type=PATH, help="Reference states and active domains, in the format of predictions.")
@click.option(
    "--setup",
    default="strict",
    show_default=True,
    metavar="NAME[:KEY=VALUE..]",
    help=f"Evaluation setup: {', '.join(SETUPS)}; options venues, updates, reduced_search, domains, seed.",
)
@click.option("--train-goals", type=PATH, help="Training goals: reports how many test goals are unseen.")
@click.option("--trace", metavar="DIALOGUE", help="Show one dialogue turn by turn.")
@click.option(
    "--reported", type=PATH, metavar="FILE",
    help="Published scores, {system: {metric: score}}, to show next to those computed here; metrics: bleu (first style "
    "of the references), inform, success.",
)  # fmt: skip
@click.option("--save", type=FOLDER, help="Save scores and dialogues in this folder, for `assay view`.")
@format_option
@json_option
def command(
    predictions: tuple[Path, ...],
    databases: Path | None,
    references: tuple[str, ...],
    goals: Path | None,
    booked: Path | None,
    states: Path | None,
    setup: str,
    train_goals: Path | None,
    trace: str | None,
    reported: Path | None,
    save: Path | None,
    form: Form,
    as_json: bool,
) -> None:
    """Evaluate PREDICTIONS of MultiWOZ systems: BLEU by reference style, Inform, Success, richness, states.

    Responses are first normalised to one slot vocabulary. Metrics without their inputs are skipped and listed.
    """
    if trace and goals is None:
        raise UsageError("--trace requires --goals and --databases")
    if train_goals and goals is None:
        raise UsageError("--train-goals requires --goals")
    chosen = read_setup(setup)
    wanted = read_goals(goals) if goals else None
    reports_by_name = read_databases(databases) if databases else None
    styles = {style: read_references(path) for style, path in map(_style, references)}
    gold = read_predictions(states) if states else None
    read = [read_predictions(path) for path in predictions]
    reports = [
        evaluate(
            each,
            reports_by_name,
            references=styles,
            goals=wanted,
            booked=read_booked(booked) if booked else None,
            gold=gold,
            setup=chosen,
        )
        for each in read
    ]
    warnings = unequal(reports, read)
    overlap = goal_overlap(wanted, read_goals(train_goals)) if wanted and train_goals else None
    agreement = style_agreement(styles) if len(styles) > 1 else None
    compared = compare_reported(reports, read_reported(reported), str(reported)) if reported else []
    if save:
        written = save_dialogues(saved_of(reports, read, reports_by_name, wanted or {}, styles, warnings), save)
        say(f"saved {written}; assay view {save} shows it", err=True)
    if as_json:
        plain = [as_plain(report, trace) for report in reports]
        whole = plain[0] if len(plain) == 1 else {"systems": {each["system"]: each for each in plain}}
        more: JSONObject = {"goal_overlap": overlap} if overlap else {}
        more |= {"delexicalisation": agreement.to_dict()} if agreement else {}
        more |= {"reported": [one._asdict() for one in compared]} if compared else {}
        click.echo(to_json(whole | {"warnings": warnings} | more))
        return
    if trace:
        print_tables(*(trace_table(report, trace) for report in reports), form=form)
        return
    tables = [score_table(reports)]
    tables += [domain_table(reports)] if any(report.judged for report in reports) else []
    tables += [reported_table(compared)] if compared else []
    tables += [agreement_table(agreement)] if agreement else []
    print_tables(*tables, form=form)
    if overlap:
        say(
            f"{overlap['goals_in_train']} of {overlap['goals']} goals occur in the training data; "
            f"{overlap['unseen_slot_values']} slots have unseen values, "
            f"{overlap['unseen_domain_slot_values']} within their domain"
        )
    warn([f"{report.system}: {note}" for report in reports for note in report.notes] + warnings)


def _style(text: str) -> tuple[str, Path]:
    style, equals, path = text.partition("=")
    return (style, Path(path)) if equals else (Path(text).stem, Path(text))


def read_setup(text: str) -> Setup:
    name, *options = text.split(":")
    if name not in SETUPS:
        raise UsageError(f"--setup {name}: no such setup{did_you_mean(name, SETUPS)}; available: {', '.join(SETUPS)}")
    changes: dict[str, Any] = {}
    for option in options:
        key, _, value = option.partition("=")
        if key not in Setup().plain():
            raise UsageError(f"--setup {option}: options are {', '.join(Setup().plain())}")
        if key == "reduced_search" and value not in ("true", "false"):
            raise UsageError(f"--setup {option}: true or false")
        if key == "seed" and not value.isdigit():
            raise UsageError(f"--setup {option}: a whole number")
        changes[key] = value == "true" if key == "reduced_search" else int(value) if key == "seed" else value
    return replace(SETUPS[name], **changes)


def unequal(reports: Sequence[Report], read: Sequence[Predictions]) -> list[str]:
    """Return differences between systems that make their scores incomparable."""
    warnings = []
    for what in ("state", "domains"):
        ways = {report.sources[what]: report.system for report in reports}
        if len(ways) > 1:
            sources = ", ".join(f"{way} ({system})" for way, system in ways.items())
            warnings.append(f"{what} differ between systems: {sources}; Inform and Success are not comparable")
    if len({each.turns for each in read}) > 1:
        sizes = ", ".join(f"{each.system} {each.turns:,}" for each in read)
        warnings.append(f"systems have different numbers of turns: {sizes}")
    return warnings


def as_plain(report: Report, trace: str | None) -> dict[str, object]:
    rates = report.rates() if report.judged else {"inform": {}, "success": {}}
    values = list(report.bleu.values())
    return {
        "system": report.system,
        "dialogues": report.dialogues,
        "turns": report.turns,
        "bleu": values[0] if values else None,
        "bleu_by_style": report.bleu,
        "bleu_spread": max(values) - min(values) if values else None,
        "inform": rates["inform"].get("total", {}).get("value"),
        "success": rates["success"].get("total", {}).get("value"),
        "by_domain": rates if report.judged else {},
        "richness": report.richness,
        "states": report.states,
        "setup": report.setup.plain() | {"sources": report.sources},
        "notes": report.notes,
        **({"trace": [vars(turn) for turn in turns_of(report, trace)]} if trace else {}),
    }
