"""`assay metric audit`: can a metric be gamed, and what does it not notice?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.challenges.manipulations import MANIPULATIONS
from assay.cli.judge.run import scale_of
from assay.cli.shared.display import print_missing, print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.load_systems import data_of
from assay.cli.shared.options import (
    FOLDER,
    PATH,
    ListOption,
    comma_separated,
    data_options,
    refuse_idle,
    table_options,
    trust_option,
)
from assay.errors import AssayError, UsageError
from assay.execution.loading import load_all
from assay.execution.scoring import choose
from assay.inputs import form as make_form
from assay.meta.audit import REPEATS, Audit, audit_systems
from assay.meta.audit.judges import Ratings, positions
from assay.meta.audit.saved import save_audit
from assay.meta.tables.audit import audit_tables
from assay.records import to_json
from assay.records.items import Items
from assay.records.read import read_systems
from assay.show.canvas import need_matplotlib
from assay.show.tables import Form
from assay.systems import system
from assay.systems.judge import Judge
from assay.systems.prompts import prompt

EXAMPLE = """\b
Examples:
  assay metric audit bart.jsonl t5.jsonl --references refs.jsonl -m rouge,bleu,chrf
  assay metric audit simple.txt -e turk.jsonl -m sari,bleu,fkgl --strength 100 --only random-period,random-the --plots figures
  assay metric audit bart.jsonl t5.jsonl -e news.jsonl -m rouge1 --judge chat:MODEL --criterion quality --only flattery
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH, nargs=-1, required=True)
@data_options
@click.option(
    "--strength", default="10..100", show_default=True, metavar="LIST",
    help="Percent of the outputs that are changed: 10..100 (by tens), 10,50,100, or one.",
)  # fmt: skip
@click.option("--repeats", type=click.IntRange(1), default=REPEATS, show_default=True, help="Draws that are averaged.")
@click.option("--only", cls=ListOption, metavar="NAME,…", help=f"Manipulations; else all: {', '.join(MANIPULATIONS)}.")
@click.option("--judge", metavar="SYSTEM", help="Audit a chat model's ratings too: chat:MODEL, hf:MODEL.")
@click.option("--criterion", help="What the judge rates, in the words it is told.")
@click.option(
    "--prompt", "asked", default="judge", show_default=True, help="Of --judge: one of assay's, or a TOML file."
)
@click.option("--scale", default="1-5", show_default=True, metavar="LOW-HIGH", help="Of --judge.")
@click.option(
    "--as", "form_of_input", metavar="FORM", help="How the judge is shown inputs; `assay data forms` lists them."
)
@click.option("--limit", type=click.IntRange(1), help="Only the first N items: a judge is asked of every changed text.")
@click.option("--intervals", is_flag=True, help="Tables with the 95 % interval of every change.")
@click.option("--save", type=FOLDER, help="Keep the verdicts in this results folder; the explorer shows them.")
@trust_option
@table_options
def command(
    outputs: tuple[Path, ...], strength: str, repeats: int, only: str | None, judge: str | None, limit: int | None,
    intervals: bool, save: Path | None, form: Form, plots: Path | None, figure_format: str, as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Make OUTPUTS worse by rule, and see what each metric says of it.

    How far does each number move, does a change that makes the text worse raise it, and where does the ranking of
    systems turn over? A judge is also asked about pairs of systems in both orders, when there are two.
    """
    if plots is None:
        refuse_idle(figure_format="--plots")
    else:
        need_matplotlib()
    if options.pop("scores"):
        raise UsageError("--scores: scores made elsewhere know nothing of changed texts; leave it out")
    rated = {name: options.pop(name) for name in ("criterion", "asked", "scale", "form_of_input")}
    if judge is None:
        refuse_idle(criterion="--judge", asked="--judge", scale="--judge", form_of_input="--judge")
    seed = options["seed"] or 0
    systems = [_first(items, limit) for items in _systems(outputs, options)]
    judging = _judge(judge, rated, seed) if judge else None
    nothing = judging is not None and options["metrics"] is None and options["suite"] is None
    audit = audit_systems(
        systems, [] if nothing else choose(options["metrics"], options["suite"]),
        manipulations=comma_separated(only) or None, strengths=strengths_of(strength), repeats=repeats, seed=seed,
        executor=options["executor"], judging=judging,
    )  # fmt: skip
    if judging is not None and len(systems) > 1:
        found = positions(judging.asker, prompt("preference", "first"), judging.judge.criterion, systems)
        audit = replace(audit, positions=found)
    if save:
        click.echo(f"kept: {save_audit(audit, save)}", err=True)
    if plots is not None:
        from assay.meta.figures.audit import draw

        for path in draw(audit, plots, figure_format):
            click.echo(f"drawn: {path}", err=True)
    _print(audit, form, as_json, intervals)


def _print(audit: Audit, form: Form, as_json: bool, intervals: bool) -> None:
    if as_json:
        click.echo(to_json(audit.to_dict()))
        return
    print_tables(*audit_tables(audit, intervals), form=form)
    if form == "text":
        print_missing("skipped", audit.skipped)
        print_missing("failed", audit.failed)
    warn(audit.warnings)


def _systems(paths: tuple[Path, ...], options: dict[str, Any]) -> list[Items]:
    """The outputs of all files; of one that holds several systems all, or those that `--system` names."""
    wanted = comma_separated(options["system"])
    held = [
        each for path in paths for each in read_systems(path, dataset=options["dataset"], skip_bad=options["skip_bad"])
    ]
    if len(held) > 1 and wanted:
        held = [each for each in held if each.system in wanted]
        if not held:
            raise AssayError(f"{paths[0]}: no system {options['system']} in it; check --system")
    given = data_of(options) | {"system": None}
    given.pop("seed")
    systems = load_all(held, **given)
    return [replace(systems[0], system=wanted[0])] if len(systems) == 1 and wanted else systems


def _first(items: Items, limit: int | None) -> Items:
    return replace(items, outputs=items.outputs[:limit], examples=items.examples[:limit]) if limit else items


def _judge(spec: str, rated: dict[str, Any], seed: int) -> Ratings:
    if not rated["criterion"]:
        raise UsageError("--judge: say with --criterion what is rated")
    form = make_form(rated["form_of_input"]) if rated["form_of_input"] else None
    asker = system(spec, seed=seed)
    judge = Judge(spec, prompt(rated["asked"], "output"), rated["criterion"], scale_of(rated["scale"]), form)
    return Ratings(judge, asker)


def strengths_of(text: str) -> list[int]:
    """`10..100` by tens, `10,50,100`, `100`."""
    found: set[int] = set()
    try:
        for part in comma_separated(text):
            low, dots, high = part.partition("..")
            found |= set(range(int(low), int(high) + 1, 10)) if dots else {int(low)}
    except ValueError:
        found = set()
    if not found or not all(1 <= each <= 100 for each in found):
        raise UsageError(f"--strength {text}: give percentages from 1 to 100, e.g. 10..100 or 10,50,100")
    return sorted(found)
