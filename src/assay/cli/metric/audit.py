"""`assay metric audit`: measure how metrics react to outputs made worse by rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from assay.challenges.manipulations import MANIPULATIONS
from assay.cli.judge.run import scale_of
from assay.cli.shared.display import print_missing, print_tables, warn
from assay.cli.shared.help import advanced, new_command
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
from assay.execution.request import ScoreRequest
from assay.inputs import form as make_form
from assay.judges.form import prompt_form
from assay.judges.judge import Judge
from assay.meta.audit import REPEATS, Audit, audit_systems
from assay.meta.audit.judges import Ratings, positions
from assay.meta.audit.save import save_audit
from assay.meta.tables.audit import audit_tables
from assay.records import to_json
from assay.records.items import Items
from assay.records.read import read_systems
from assay.show.canvas import need_matplotlib
from assay.show.tables import Form
from assay.systems import system
from assay.systems.prompts import prompt

EXAMPLE = """\b
Examples:
  assay metric audit bart.jsonl t5.jsonl --references refs.jsonl -m rouge,bleu,chrf
  assay metric audit simple.txt -e turk.jsonl -m sari,bleu,fkgl --strength 100 --only random-period --plots figures
  assay metric audit bart.jsonl t5.jsonl -e news.jsonl -m rouge1 --judge chat:MODEL --criterion quality --only flattery
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH, nargs=-1, required=True)
@data_options
@click.option(
    "--strength", default="10..100", show_default=True, metavar="LIST",
    help="Percentages of outputs to change: 10..100 (in steps of 10), 10,50,100 or 50.",
)  # fmt: skip
@click.option(
    "--repeats", type=click.IntRange(1), default=REPEATS, show_default=True, help="Number of random repeats to average."
)
@click.option(
    "--only", cls=ListOption, metavar="NAME,…", help=f"Manipulations (default: all): {', '.join(MANIPULATIONS)}."
)
@click.option("--judge", metavar="SYSTEM", help="Also audit the ratings of a model: chat:MODEL, hf:MODEL.")
@click.option("--criterion", help="Criterion of --judge, in the words of the prompt.")
@advanced(
    click.option(
        "--prompt", "prompt_name", default="judge", show_default=True,
        help="Prompt of --judge: built-in name or TOML file.",
    ),
    click.option("--scale", default="1-5", show_default=True, metavar="LOW-HIGH", help="Rating scale of --judge."),
    click.option(
        "--as", "form_of_input", metavar="FORM", help="Form that writes inputs for --judge; see `assay data forms`."
    ),
)  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="Use the first N items (default: all).")
@click.option("--intervals", is_flag=True, help="Show 95 % confidence intervals of all changes.")
@click.option("--save", type=FOLDER, help="Save the results in this results folder, for the explorer.")
@trust_option
@table_options
def command(
    outputs: tuple[Path, ...], strength: str, repeats: int, only: str | None, judge: str | None, limit: int | None,
    intervals: bool, save: Path | None, form: Form, plots: Path | None, figure_format: str, as_json: bool,
    criterion: str | None, prompt_name: str, scale: str, form_of_input: str | None, request: ScoreRequest,
) -> None:  # fmt: skip
    """Degrade copies of OUTPUTS by rule, and measure how each metric reacts.

    Reports how far each score moves, whether a worse text gets a higher score, and where the ranking of systems changes
    (rank reversal). With --judge and two systems, position bias is measured by asking in both orders.
    """
    if plots is None:
        refuse_idle(figure_format="--plots")
    else:
        need_matplotlib()
    if request.scores:
        raise UsageError("--scores: imported scores cannot be computed for changed texts; leave it out")
    if judge is None:
        refuse_idle(criterion="--judge", prompt_name="--judge", scale="--judge", form_of_input="--judge")
    seed = request.resampling_seed
    systems = [_first(items, limit) for items in _systems(outputs, request)]
    judging = None
    if judge:
        if not criterion:
            raise UsageError("--judge requires --criterion: what the judge rates")
        form_used = make_form(form_of_input) if form_of_input else None
        rater = Judge(judge, prompt_form(prompt(prompt_name, "output"), criterion, scale_of(scale)), form_used)
        judging = Ratings(rater, system(judge, seed=seed))
    nothing = judging is not None and request.metrics is None and request.suite is None
    audit = audit_systems(
        systems, [] if nothing else request.metric_requests(), manipulations=comma_separated(only) or None,
        strengths=strengths_of(strength), repeats=repeats, seed=seed, executor=request.executor, judge=judging,
    )  # fmt: skip
    if judging is not None and len(systems) > 1:
        order_effects = positions(judging.asker, prompt("preference", "first"), judging.judge.form.names[0], systems)
        audit = replace(audit, positions=order_effects)
    if save:
        click.echo(f"saved: {save_audit(audit, save)}", err=True)
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


def _systems(paths: tuple[Path, ...], request: ScoreRequest) -> list[Items]:
    """Load the outputs of all files; of a file with several systems all, or those that `--system` names."""
    wanted = comma_separated(request.system)
    systems = [
        each for path in paths for each in read_systems(path, dataset=request.dataset, skip_bad=request.skip_bad)
    ]
    if len(systems) > 1 and wanted:
        systems = [each for each in systems if each.system in wanted]
        if not systems:
            raise AssayError(f"{paths[0]}: no system {request.system} in it; check --system")
    loaded = request.but(system=None).load(systems)
    return [replace(loaded[0], system=wanted[0])] if len(loaded) == 1 and wanted else loaded


def _first(items: Items, limit: int | None) -> Items:
    return replace(items, outputs=items.outputs[:limit], examples=items.examples[:limit]) if limit else items


def strengths_of(text: str) -> list[int]:
    """Parse `10..100` (by tens), `10,50,100` or `100`."""
    percentages: set[int] = set()
    try:
        for part in comma_separated(text):
            low, dots, high = part.partition("..")
            percentages |= set(range(int(low), int(high) + 1, 10)) if dots else {int(low)}
    except ValueError:
        percentages = set()
    if not percentages or not all(1 <= each <= 100 for each in percentages):
        raise UsageError(f"--strength {text}: use percentages from 1 to 100, e.g. 10..100 or 10,50,100")
    return sorted(percentages)
