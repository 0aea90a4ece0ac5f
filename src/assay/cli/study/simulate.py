"""`assay study simulate`: simulate power, agreement, duration and cost."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ListOption, comma_separated, format_option, json_option, seed_option
from assay.errors import UsageError
from assay.records import to_json
from assay.show.numbers import counted, fixed, share, span
from assay.show.tables import Cell, Content, Form, Table
from assay.studies.crowd import Texts
from assay.studies.design import Design, Quality, read_design
from assay.studies.kinds import QUESTION_KINDS, kinds_with
from assay.studies.simulate import Forecast, SimulationPlan, compare_kinds, false_alarms
from assay.studies.simulation_request import SimulationRequest
from assay.studies.trap_test import Blocked, blocked_shares, trap_test

EXAMPLE = """\b
Examples:
  assay study simulate --effect 0.3 --items 100 --systems 4
  assay study simulate design.toml --effect 0.5 --kinds likert
"""
KINDS = kinds_with("simulated")
NUMBER = click.FloatRange(0)
SHARE = click.FloatRange(0, 1, max_open=True)


@new_command(epilog=EXAMPLE)
@click.argument("design", type=PATH, required=False)
@click.option(
    "--effect",
    type=NUMBER,
    default=0.3,
    show_default=True,
    help="True difference between best and worst system, in scale points.",
)
@click.option("--kinds", cls=ListOption, help=f"Question kinds (default: all): {', '.join(KINDS)}.")
@click.option("--items", type=click.IntRange(2, 20_000), help="Number of inputs (default: design, else 100).")
@click.option("--systems", type=click.IntRange(2, 30), help="Number of systems (default: design, else 2).")
@click.option("--per-item", type=click.IntRange(1, 100), help="Annotators per item (default: design, else 3).")
@click.option("--most-items", type=click.IntRange(1), help="Maximum items per annotator (default: design, else 30).")
@click.option("--noise", type=NUMBER, help="Within-annotator noise, SD in points (default: 0.8).")
@click.option("--leniency", type=NUMBER, help="Leniency of annotators, SD in points (default: 0.5).")
@click.option("--taste", type=NUMBER, help="Annotator-by-system preference, SD (default: 0.2).")
@click.option("--careless", type=SHARE, help="Share of random answers (default: 0.05).")
@click.option("--reading", type=NUMBER, help="Reading time per text, in seconds (default: 15).")
@click.option("--answering", type=NUMBER, help="Time per answer, in seconds (default: 5).")
@click.option("--drop-out", type=SHARE, help="Dropout probability per task (default: 0.02).")
@click.option("--variation", type=NUMBER, help="System-by-item variation, SD in points (default: 0.6).")
@click.option("--pay-per-hour", type=NUMBER, help="Hourly pay (default: that of the design).")
@click.option("--power", type=click.FloatRange(0.05, 0.99), default=0.8, show_default=True, help="Target power.")
@click.option(
    "--repeats", type=click.IntRange(20, 10_000), default=40, show_default=True, help="Number of simulated studies."
)
@seed_option
@format_option
@json_option
def command(
    design: Path | None,
    kinds: str | None,
    repeats: int,
    seed: int,
    form: Form,
    as_json: bool,
    **settings: Any,
) -> None:
    """Simulate a study with synthetic annotators: power, agreement, duration and cost for each question kind, and the
    number of items needed to distinguish the best from the worst system."""
    known = read_design(design) if design else Design(name="study")
    texts, crowd, plan = SimulationRequest(**settings).resolve(known)
    chosen = _kinds(kinds, known, texts.systems)
    simulations, sized = compare_kinds(chosen, texts, crowd, plan, repeats, seed)
    alarms = {kind: false_alarms(kind, texts, crowd, plan, repeats, seed) for kind in chosen}
    blocked = blocked_shares(known.quality, plan.most or texts.items)
    reachable = [each for each in simulations if each.minutes_needed]
    fewest = min(reachable, key=lambda each: each.minutes_needed or 0, default=None)
    if as_json:
        record = {
            "texts": asdict(texts), "crowd": asdict(crowd), "plan": asdict(plan), "seed": seed,
            "designs": [asdict(each) for each in simulations], "sized": [asdict(each) for each in sized],
            "false_alarms": {
                kind: {"rate": each.power, "low": each.low, "high": each.high} for kind, each in alarms.items()
            },
            "fewest_minutes": fewest.kind if fewest else None,
            "traps": [asdict(each) for each in blocked],
        }  # fmt: skip
        click.echo(to_json(record))
        return
    tables = [_table(simulations, sized, alarms, texts, plan)]
    if blocked:
        tables.append(_traps(blocked, known.quality, plan.most or texts.items))
    print_tables(*tables, form=form)
    if fewest is None:
        click.echo("\nNo question kind reaches the target power.")
    else:
        click.echo(f"\nFewest minutes for {plan.power:.0%} power: {fewest.kind}, {fewest.items_needed} items.")


def _kinds(text: str | None, design: Design, systems: int) -> list[str]:
    known = kinds_with("simulated")
    possible = [kind for kind in known if systems >= QUESTION_KINDS.get(kind).fewest_systems]
    wanted = comma_separated(text) if text else possible
    for kind in wanted:
        if kind not in known:
            raise UsageError(f"--kinds {kind}: choose from {', '.join(known)}")
    return [kind for kind in known if kind in wanted]


def _table(
    simulations: list[Forecast], sized: list[Forecast], alarms: dict[str, Forecast], texts: Texts, plan: SimulationPlan
) -> Table:
    again = {each.kind: each for each in sized}
    rows: list[list[Content]] = []
    for each in simulations:
        alpha, cost = Cell(fixed(each.agreement), each.agreement), None if each.cost is None else f"{each.cost:,.2f}"
        needed = again.get(each.kind)
        rows.append(
            [
                each.kind, each.test, Cell(share(each.power), each.power, each.low, each.high),
                span(each.low, each.high, 2), share(each.power_these), share(alarms[each.kind].power, 1), alpha,
                round(each.people), round(each.minutes), cost,
                each.items_needed, None if each.minutes_needed is None else round(each.minutes_needed),
                share(needed.power) if needed else None,
            ]
        )  # fmt: skip
    caption = (
        f"{texts.systems} systems {texts.effect:g} points apart, {texts.items} items, {plan.per_item} annotators each, "
        f"{simulations[0].repeats} simulated studies"
    )
    heads = [
        "", "test", "power", "95 %", "these annotators", "false alarms", "alpha", "people", "minutes", "cost",
        "items needed", "minutes", "power then",
    ]  # fmt: skip
    return replace(Table.of(caption, heads, rows), notes=_notes(simulations, plan))


def _notes(simulations: list[Forecast], plan: SimulationPlan) -> list[str]:
    notes = [
        "power: share of studies in which `assay study analyze` finds the difference; "
        "mixed model: for any annotators; ranking: for these annotators"
    ]
    for each in simulations:
        if each.detectable is not None:
            notes.append(
                f"{each.kind}: with {each.people:.0f} annotators, a mixed model has {plan.power:.0%} power only for "
                f"differences of {each.detectable:.2f} points or more, however many items"
            )
    return notes


def _traps(blocked: list[Blocked], quality: Quality, tasks: int) -> Table:
    """Return the share of annotators whom the traps of the design block."""
    test = trap_test(quality)
    rule = (
        f"sequential test, {test.acceptable:.0%} acceptable, false blocks at most {test.false_block:.1%}"
        if test
        else f"running share below {quality.trap_block:.0%}"
    )
    rows: list[list[Content]] = [[share(each.accuracy), share(each.share, 1), each.median] for each in blocked]
    caption = f"Traps · {rule} · {counted(tasks, 'task')} with {counted(quality.traps_per_task, 'trap')} each"
    return Table.of(caption, ["right answers", "blocked", "traps until half are"], rows)
