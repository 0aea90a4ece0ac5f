"""`assay analyze dialog`: MultiWOZ evaluation: Inform, Success, BLEU, richness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import FOLDER, PATH, format_option, json_option
from assay.errors import UsageError
from assay.metrics.structure.dialog.databases import read_databases
from assay.metrics.structure.dialog.files import Predictions, read_booked, read_goals, read_predictions, read_references
from assay.metrics.structure.dialog.report import Report, evaluate, goal_overlap
from assay.metrics.structure.dialog.save_reports import saved_of
from assay.metrics.structure.dialog.saved_dialogues import save_dialogues
from assay.metrics.structure.dialog.success import SETUPS, Setup
from assay.records import to_json
from assay.show.numbers import fixed
from assay.show.tables import Cell, Content, Form, Table
from assay.specs import did_you_mean

EXAMPLE = """\b
Examples:
  assay analyze dialog ubar.json --databases database --references hdsa=hdsa_test_reference.json
  assay analyze dialog ubar.json augpt.json --databases database --goals goals.json --booked booked_domains.json
  assay analyze dialog ubar.json --databases database --goals goals.json --setup optimistic --states gold.json
  assay analyze dialog ubar.json --databases database --goals goals.json --trace sng0580
  assay analyze dialog ubar.json augpt.json --databases database --goals goals.json --save results/dialogues
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
    if save:
        written = save_dialogues(saved_of(reports, read, reports_by_name, wanted or {}, styles, warnings), save)
        say(f"saved {written}; assay view {save} shows it", err=True)
    if as_json:
        plain = [as_plain(report, trace) for report in reports]
        whole = plain[0] if len(plain) == 1 else {"systems": {each["system"]: each for each in plain}}
        click.echo(to_json(whole | {"warnings": warnings} | ({"goal_overlap": overlap} if overlap else {})))
        return
    if trace:
        print_tables(*(trace_table(report, trace) for report in reports), form=form)
        return
    print_tables(score_table(reports), *([domain_table(reports)] if any(r.judged for r in reports) else []), form=form)
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
        **({"trace": [vars(turn) for turn in _turns(report, trace)]} if trace else {}),
    }


def _turns(report: Report, trace: str) -> list[Any]:
    id = trace.lower().removesuffix(".json")
    if id not in report.judged:
        raise UsageError(f"--trace {trace}: {report.system} has no such dialogue with a goal")
    return report.judged[id].trace


def score_table(reports: Sequence[Report]) -> Table:
    styles = list(dict.fromkeys(style for report in reports for style in report.bleu))
    rich = ["num_unigrams", "num_trigrams", "entropy", "cond_entropy", "msttr", "avg_lengths"]
    rows: list[list[Content]] = []
    for report in reports:
        rates = report.rates() if report.judged else {}
        row: list[Content] = [report.system, *(_fixed(report.bleu.get(style), 1) for style in styles)]
        row += [_percent(rates.get(name, {}).get("total")) for name in ("inform", "success")]
        row += [_fixed(report.richness[name], 0 if name.startswith("num") else 2) for name in rich]
        rows.append(row)
    headings = ["", *(f"BLEU {style}" for style in styles), "inform", "success", "tokens", "trigrams", "entropy"]
    return Table.of("dialogue systems", [*headings, "cond. entropy", "MSTTR-50", "length"], rows)


def domain_table(reports: Sequence[Report]) -> Table:
    rows: list[list[Content]] = []
    for report in reports:
        rates = report.rates()
        for domain, rate in rates["inform"].items():
            rows.append([report.system, domain, rate["n"], _percent(rate), _percent(rates["success"][domain])])
    return Table.of("by domain, with 95 % intervals", ["", "domain", "dialogues", "inform", "success"], rows)


def trace_table(report: Report, trace: str) -> Table:
    rows: list[list[Content]] = []
    for number, turn in enumerate(_turns(report, trace), 1):
        state = "; ".join(f"{d} {s}={v}" for d, slots in turn.state.items() for s, v in slots.items())
        offered = offers_of(turn.offered)
        provided = "; ".join(f"{d}: {', '.join(slots)}" for d, slots in turn.provided.items() if slots)
        rows.append([number, turn.response, state, offered + (" (new)" if turn.updated else ""), provided])
    judged = report.judged[trace.lower().removesuffix(".json")]
    if report.setup.updates == "end":
        rows.append(["end", None, None, offers_of(judged.offered), None])
    verdict = f"inform {int(judged.informed)}, success {int(judged.succeeded)}"
    return Table.of(
        f"{report.system} · {trace} · {verdict}", ["turn", "response", "state", "offered", "provided"], rows
    )


def offers_of(offered: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{d}: {', '.join(ids[:8])}{' …' * (len(ids) > 8)}" for d, ids in offered.items() if ids)


def _fixed(value: float | None, digits: int) -> Cell | None:
    return None if value is None else Cell(fixed(value, digits), value)


def _percent(rate: dict[str, float] | None) -> Cell | None:
    if not rate:
        return None
    text = f"{rate['value']:.1f} [{rate['low']:.1f}, {rate['high']:.1f}]"
    return Cell(text, rate["value"], rate["low"], rate["high"])
