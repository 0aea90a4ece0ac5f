"""`assay study assign`: assign items to annotators."""

from __future__ import annotations

import secrets
import time
from pathlib import Path

import click

from assay.cli.shared.display import say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, ListOption, apart, comma_separated, json_option, refuse_idle
from assay.errors import AssayError, UsageError
from assay.records import Output, OutputFile, read_examples, read_judgements, to_json, write_jsonl
from assay.records.read import read_systems
from assay.specs import did_you_mean
from assay.studies.active_sampling import Drawn, Frame, Method
from assay.studies.design import read_design
from assay.studies.events import MemoryStore, write_journal
from assay.studies.sheets import assign_all, has_answers, sheet_records
from assay.studies.study import Study
from assay.studies.suggestions import with_suggestions
from assay.studies.tasks import own_texts, plan_tasks
from assay.studies.traps import read_traps, with_checks

EXAMPLE = """\b
Examples:
  assay study assign design.toml a.jsonl b.jsonl -e examples.jsonl -o study.jsonl
  assay study assign design.toml a.jsonl b.jsonl -o study.jsonl --people 6 --sheets sheets
  assay study assign design.toml -e documents.jsonl -o study.jsonl
  assay study assign design.toml a.jsonl b.jsonl -e examples.jsonl --suggest judged.jsonl --hold-out 0.3 -o study.jsonl
  assay study assign design.toml a.jsonl b.jsonl --sample active --scores all.jsonl --drawn drawn.jsonl -o study.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("design", type=PATH)
@click.argument("outputs", type=PATH, nargs=-1)
@click.option("--examples", "-e", type=PATH, help="Examples, to show the sources next to the outputs.")
@click.option("--systems", cls=ListOption, help="Systems to include, comma-separated (default: all).")
@click.option(
    "--stratify",
    metavar="KEY",
    help="Stratify the sample by `length` or by a tag of the examples (default: no strata).",
)
@click.option(
    "--sample",
    "method",
    type=click.Choice(["random", "stratified", "active"]),
    default="random",
    show_default=True,
    help="With --scores: draw inputs stratified by score, or more often where scores disagree (active).",
)
@click.option("--scores", type=PATH, multiple=True, help="Scores of all outputs, by id and system. Repeatable.")
@click.option("--proxy", cls=ListOption, help="With --scores: scores to use, comma-separated (default: all numeric).")
@click.option(
    "--cost", metavar="NAME",
    help="With --sample active: score that is the cost of judging an output, e.g. words: costly inputs are drawn less.",
)  # fmt: skip
@click.option(
    "--drawn", type=NEW_FILE, metavar="FILE",
    help="With --scores: write the scores with the probability or stratum of each output, for `study estimate`.",
)  # fmt: skip
@click.option("--traps", type=PATH, help="Attention checks: document, text, and the expected error or value.")
@click.option("--suggest", type=PATH, metavar="FILE", help="Judgements of a model, shown as pre-filled answers.")
@click.option(
    "--hold-out", type=click.FloatRange(0, 1), default=0.3, show_default=True,
    help="With --suggest: share of answers given without seeing the suggestion, to measure anchoring.",
)  # fmt: skip
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Journal to write; it must not exist.")
@click.option(
    "--people",
    type=click.IntRange(1),
    help="With --sheets: number of annotators who share all tasks.",
)
@click.option(
    "--sheets",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="With --people: folder for annotation sheets, one file per annotator.",
)
@json_option
def command(
    design: Path,
    outputs: tuple[Path, ...],
    examples: Path | None,
    systems: str | None,
    stratify: str | None,
    method: Method,
    scores: tuple[Path, ...],
    proxy: str | None,
    cost: str | None,
    drawn: Path | None,
    traps: Path | None,
    suggest: Path | None,
    hold_out: float,
    output: Path,
    people: int | None,
    sheets: Path | None,
    as_json: bool,
) -> None:
    """Start a study of OUTPUTS by DESIGN: blinded tasks, with balanced positions and annotators per item.

    Without OUTPUTS, annotators see the examples themselves: texts to mark, or groups of entities to name.
    The journal contains the key from texts to systems; annotation sheets do not.
    """
    if sheets is None:
        refuse_idle(people="--sheets")
    if people is None:
        refuse_idle(sheets="--people")
    if suggest is None:
        refuse_idle(hold_out="--suggest")
    if suggest is not None and sheets is not None:
        raise UsageError("--suggest: suggestions are shown by `assay study serve`, not in sheets. Leave --sheets out.")
    apart([output, drawn], [design, examples, traps, suggest, *outputs, *scores])
    if method == "random":
        refuse_idle(scores="--sample stratified or active", proxy="--sample stratified or active", drawn="--sample")
    elif not scores or drawn is None or stratify is not None:
        raise UsageError(f"--sample {method}: give --scores and --drawn, and leave --stratify out")
    if method != "active":
        refuse_idle(cost="--sample active")
    if output.exists():
        raise AssayError(f"{output}: already exists. A journal is never overwritten; name a new file.")
    study_design = read_design(design)
    inputs = read_examples(examples).examples if examples else []
    if not outputs and not inputs:
        raise UsageError("give OUTPUTS, or --examples to annotate the examples themselves")
    if not outputs:
        refuse_idle(systems="OUTPUTS")
    files = _chosen([file for path in outputs for file in read_systems(path)], comma_separated(systems))
    ids = [example.id for example in inputs]
    texts = [
        Output(id=id, output=text, system=file.system)
        for file in files
        for id, text in zip(file.ids if file.has_ids or len(ids) != len(file.ids) else ids, file.texts, strict=True)
    ]
    texts = texts or own_texts(inputs)
    chosen: list[Drawn] = []
    if method != "random":
        frame = Frame(scores, comma_separated(proxy), cost)

        def choose(ids: list[str], size: int) -> list[str]:
            chosen.append(frame.draw(ids, size, method, study_design.seed))
            return chosen[0].ids

        plan = plan_tasks(study_design, texts, inputs, choose=choose)
    else:
        plan = plan_tasks(study_design, texts, inputs, stratify)
    planned = plan.tasks
    left_out: list[str] = []
    if suggest is not None:
        planned, left_out = with_suggestions(study_design, planned, list(read_judgements(suggest)), hold_out)
    tasks = with_checks(study_design, planned, read_traps(traps, study_design, design) if traps else {})
    now = time.time()
    events = MemoryStore()
    study = Study(study_design, events)
    study.open(now, secrets.token_hex(16))
    study.add_tasks(tasks, now)
    names = [f"person-{number}" for number in range(1, (people or 0) + 1)]
    handed = assign_all(study, names, now) if sheets is not None else {}
    if filled := next((path for name in handed if sheets and has_answers(path := sheets / f"{name}.jsonl")), None):
        raise AssayError(f"{filled}: has answers. Collect them first, or name another folder with --sheets.")
    for name, assignments in handed.items():
        assert sheets is not None
        sheets.mkdir(parents=True, exist_ok=True)
        write_jsonl(sheets / f"{name}.jsonl", sheet_records(study, assignments))
    if chosen and drawn is not None:
        write_jsonl(drawn, chosen[0].scores.to_dicts())
    write_journal(output, events.events())  # last: a journal whose sheets are missing could not be collected
    short = sum(study.needed(task) for task in study.tasks.values()) if names else 0
    notes = plan.notes + left_out + ([f"{short} assignments are open: more annotators are needed"] if short else [])
    if as_json:
        counts = {name: len(assignments) for name, assignments in handed.items()}
        facts = {"inputs": plan.inputs, "systems": plan.systems, "tasks": len(plan.tasks), "people": counts}
        click.echo(to_json({**facts, "places_left": short, "notes": notes}))
        return
    say(f"{output} · {len(plan.tasks):,} tasks on {plan.inputs:,} inputs by {len(plan.systems)} systems")
    if chosen:
        say(f"Next, after the study: assay study estimate --judgements {output} --scores {drawn} {chosen[0].columns}")
    for name, assignments in handed.items():
        say(f"  {name:<12} {len(assignments):,} tasks")
    warn(notes)


def _chosen(files: list[OutputFile], wanted: tuple[str, ...]) -> list[OutputFile]:
    names = [file.system for file in files]
    for name in wanted:
        if name not in names:
            raise UsageError(
                f"--systems {name}: no such system{did_you_mean(name, names)}; available: {', '.join(names)}"
            )
    return [file for file in files if not wanted or file.system in wanted]
