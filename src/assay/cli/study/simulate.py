"""`assay study simulate`: how large a study has to be, and by which kind of question."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ListOption, comma_separated, format_option, json_option
from assay.errors import UsageError
from assay.records import to_json
from assay.show.numbers import fixed, share, span
from assay.show.tables import Cell, Content, Form, Table
from assay.studies.crowd import Crowd, Texts
from assay.studies.design import Design, read_design
from assay.studies.kinds import QUESTION_KINDS, kind_for, kinds_with
from assay.studies.simulate import Forecast, SimulationPlan, compare_kinds, false_alarms

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
@click.option("--effect", type=NUMBER, default=0.3, show_default=True, help="Best system less worst, in points.")
@click.option("--kinds", cls=ListOption, help=f"Kinds of question: {', '.join(KINDS)}; all unless said.")
@click.option("--items", type=click.IntRange(2, 20_000), help="Inputs; the design's, or 100.")
@click.option("--systems", type=click.IntRange(2, 30), help="Systems; the design's, or 2.")
@click.option("--per-item", type=click.IntRange(1, 100), help="People for each item; the design's, or 3.")
@click.option("--most-items", type=click.IntRange(1), help="The most items of one person; the design's, or 30.")
@click.option("--noise", type=NUMBER, help="How far people differ from themselves, sd in points; 0.8.")
@click.option("--leniency", type=NUMBER, help="How far people differ in kindness, sd in points; 0.5.")
@click.option("--taste", type=NUMBER, help="How far people differ in which system they like, sd; 0.2.")
@click.option("--careless", type=SHARE, help="Share of answers that are guesses; 0.05.")
@click.option("--reading", type=NUMBER, help="Seconds to read a text; 15.")
@click.option("--answering", type=NUMBER, help="Seconds for an answer; 5.")
@click.option("--drop-out", type=SHARE, help="Chance that a person leaves during a task; 0.02.")
@click.option("--variation", type=NUMBER, help="How far systems differ from input to input, sd in points; 0.6.")
@click.option("--pay-per-hour", type=NUMBER, help="For the cost; the design's pay unless said.")
@click.option("--power", type=click.FloatRange(0.05, 0.99), default=0.8, show_default=True, help="That is wanted.")
@click.option("--repeats", type=click.IntRange(20, 10_000), default=200, show_default=True, help="Simulated studies.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@format_option
@json_option
def command(
    design: Path | None,
    effect: float,
    kinds: str | None,
    power: float,
    repeats: int,
    seed: int,
    form: Form,
    as_json: bool,
    **given: Any,
) -> None:
    """Run a study many times with made-up people: power, agreement, minutes and cost, for rating scales, pairs, and
    best and worst; and how many items each needs to tell the best from the worst system."""
    known = read_design(design) if design else Design(name="study")
    texts, crowd, plan = _settings(known, effect, power, given)
    chosen = _kinds(kinds, known, texts.systems)
    found, sized = compare_kinds(chosen, texts, crowd, plan, repeats, seed)
    alarms = {kind: false_alarms(kind, texts, crowd, plan, repeats, seed) for kind in chosen}
    reachable = [each for each in found if each.minutes_needed]
    fewest = min(reachable, key=lambda each: each.minutes_needed or 0, default=None)
    if as_json:
        record = {
            "texts": asdict(texts), "crowd": asdict(crowd), "plan": asdict(plan), "seed": seed,
            "designs": [asdict(each) for each in found], "sized": [asdict(each) for each in sized],
            "false_alarms": {
                kind: {"rate": each.power, "low": each.low, "high": each.high} for kind, each in alarms.items()
            },
            "fewest_minutes": fewest.kind if fewest else None,
        }  # fmt: skip
        click.echo(to_json(record))
        return
    print_tables(_table(found, sized, alarms, texts, plan), form=form)
    if fewest is None:
        click.echo("\nNo such study tells the two systems apart.")
    else:
        click.echo(f"\nFewest minutes for {power:.0%} power: {fewest.kind}, {fewest.items_needed} items.")


def _settings(
    design: Design, effect: float, power: float, given: dict[str, Any]
) -> tuple[Texts, Crowd, SimulationPlan]:
    """What was said, else what the design says, else what is usual."""
    sample, people = design.sample, design.people
    texts = Texts(given["items"] or sample.items or 100, given["systems"] or sample.systems or 2, effect)
    if given["variation"] is not None:
        texts = Texts(texts.items, texts.systems, effect, variation=given["variation"])
    names = ("noise", "leniency", "taste", "careless", "reading", "answering", "drop_out")
    crowd = Crowd(**{name: given[name] for name in names if given[name] is not None})
    scale = next((q.points for q in design.questions if kind_for(q).scale == "discrete" and q.points), 5)
    hourly = given["pay_per_hour"] if given["pay_per_hour"] is not None else people.pay_per_hour
    plan = SimulationPlan(
        per_item=given["per_item"] or people.per_item or 3, most=given["most_items"] or people.most_items or 30,
        points=scale, power=power, pay_per_hour=hourly, fee=people.fee,
        pay_per_task=people.pay if given["pay_per_hour"] is None else None,
    )  # fmt: skip
    return texts, crowd, plan


def _kinds(text: str | None, design: Design, systems: int) -> list[str]:
    known = kinds_with("simulated")
    possible = [kind for kind in known if systems >= QUESTION_KINDS.get(kind).fewest_systems]
    wanted = comma_separated(text) if text else possible
    for kind in wanted:
        if kind not in known:
            raise UsageError(f"--kinds {kind}: choose from {', '.join(known)}")
    return [kind for kind in known if kind in wanted]


def _table(
    found: list[Forecast], sized: list[Forecast], alarms: dict[str, Forecast], texts: Texts, plan: SimulationPlan
) -> Table:
    again = {each.kind: each for each in sized}
    rows: list[list[Content]] = []
    for each in found:
        alpha, cost = Cell(fixed(each.agreement), each.agreement), None if each.cost is None else f"{each.cost:,.2f}"
        needed = again.get(each.kind)
        rows.append(
            [
                each.kind, Cell(share(each.power), each.power, each.low, each.high), span(each.low, each.high, 2),
                share(alarms[each.kind].power, 1), alpha, round(each.people), round(each.minutes), cost,
                each.items_needed, None if each.minutes_needed is None else round(each.minutes_needed),
                share(needed.power) if needed else None,
            ]
        )  # fmt: skip
    caption = (
        f"{texts.systems} systems {texts.effect:g} points apart, {texts.items} items, {plan.per_item} people each · "
        f"{found[0].repeats} simulated studies"
    )
    heads = [
        "",
        "power",
        "95 %",
        "false alarms",
        "alpha",
        "people",
        "minutes",
        "cost",
        "items needed",
        "minutes",
        "power then",
    ]
    return Table.of(caption, heads, rows)
