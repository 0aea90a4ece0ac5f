"""`assay study simulate`: simulate power, agreement, duration and cost."""

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
    "--repeats", type=click.IntRange(20, 10_000), default=200, show_default=True, help="Number of simulated studies."
)
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
    **options: Any,
) -> None:
    """Simulate a study with synthetic annotators: power, agreement, duration and cost for each question kind, and the
    number of items needed to distinguish the best from the worst system."""
    known = read_design(design) if design else Design(name="study")
    texts, crowd, plan = _settings(known, effect, power, options)
    chosen = _kinds(kinds, known, texts.systems)
    simulations, sized = compare_kinds(chosen, texts, crowd, plan, repeats, seed)
    alarms = {kind: false_alarms(kind, texts, crowd, plan, repeats, seed) for kind in chosen}
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
        }  # fmt: skip
        click.echo(to_json(record))
        return
    print_tables(_table(simulations, sized, alarms, texts, plan), form=form)
    if fewest is None:
        click.echo("\nNo question kind reaches the target power.")
    else:
        click.echo(f"\nFewest minutes for {power:.0%} power: {fewest.kind}, {fewest.items_needed} items.")


def _settings(
    design: Design, effect: float, power: float, options: dict[str, Any]
) -> tuple[Texts, Crowd, SimulationPlan]:
    """Return the option, else the value of the design, else the default."""
    sample, people = design.sample, design.people
    texts = Texts(options["items"] or sample.items or 100, options["systems"] or sample.systems or 2, effect)
    if options["variation"] is not None:
        texts = Texts(texts.items, texts.systems, effect, variation=options["variation"])
    names = ("noise", "leniency", "taste", "careless", "reading", "answering", "drop_out")
    crowd = Crowd(**{name: options[name] for name in names if options[name] is not None})
    scale = next((q.points for q in design.questions if kind_for(q).scale == "discrete" and q.points), 5)
    hourly = options["pay_per_hour"] if options["pay_per_hour"] is not None else people.pay_per_hour
    plan = SimulationPlan(
        per_item=options["per_item"] or people.per_item or 3, most=options["most_items"] or people.most_items or 30,
        points=scale, power=power, pay_per_hour=hourly, fee=people.fee,
        pay_per_task=people.pay if options["pay_per_hour"] is None else None,
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
    simulations: list[Forecast], sized: list[Forecast], alarms: dict[str, Forecast], texts: Texts, plan: SimulationPlan
) -> Table:
    again = {each.kind: each for each in sized}
    rows: list[list[Content]] = []
    for each in simulations:
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
        f"{texts.systems} systems {texts.effect:g} points apart, {texts.items} items, {plan.per_item} annotators each, "
        f"{simulations[0].repeats} simulated studies"
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
