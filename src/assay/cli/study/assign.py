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
from assay.records import Output, OutputFile, read_examples, to_json, write_jsonl
from assay.records.read import read_systems
from assay.specs import did_you_mean
from assay.studies.design import read_design
from assay.studies.events import Journal
from assay.studies.sheets import assign_all, sheet_records
from assay.studies.study import Study
from assay.studies.tasks import plan_tasks
from assay.studies.traps import read_traps, with_checks

EXAMPLE = """\b
Examples:
  assay study assign design.toml a.jsonl b.jsonl -e examples.jsonl -o study.jsonl
  assay study assign design.toml a.jsonl b.jsonl -o study.jsonl --people 6 --sheets sheets
"""


@new_command(epilog=EXAMPLE)
@click.argument("design", type=PATH)
@click.argument("outputs", type=PATH, nargs=-1, required=True)
@click.option("--examples", "-e", type=PATH, help="Examples, to show the sources next to the outputs.")
@click.option("--systems", cls=ListOption, help="Systems to include (default: all).")
@click.option("--stratify", help="Stratify the sample by length or by a tag of the examples.")
@click.option("--traps", type=PATH, help="Attention checks: document, text, and the expected error or value.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Journal to write; it must not exist.")
@click.option("--people", type=click.IntRange(1), help="Assign all tasks at once to N annotators.")
@click.option(
    "--sheets",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for annotation sheets, one file per annotator.",
)
@json_option
def command(
    design: Path,
    outputs: tuple[Path, ...],
    examples: Path | None,
    systems: str | None,
    stratify: str | None,
    traps: Path | None,
    output: Path,
    people: int | None,
    sheets: Path | None,
    as_json: bool,
) -> None:
    """Start a study of OUTPUTS by DESIGN: blinded tasks, with balanced positions and annotators per item.

    The journal contains the key from texts to systems; annotation sheets do not.
    """
    if sheets is None:
        refuse_idle(people="--sheets")
    apart([output], [design, examples, traps, *outputs])
    if output.exists():
        raise AssayError(f"{output}: already exists. A journal is never overwritten; name a new file.")
    study_design = read_design(design)
    inputs = read_examples(examples).examples if examples else []
    files = _chosen([file for path in outputs for file in read_systems(path)], comma_separated(systems))
    ids = [example.id for example in inputs]
    texts = [
        Output(id=id, output=text, system=file.system)
        for file in files
        for id, text in zip(file.ids if file.has_ids or len(ids) != len(file.ids) else ids, file.texts, strict=True)
    ]
    plan = plan_tasks(study_design, texts, inputs, stratify)
    tasks = with_checks(study_design, plan.tasks, read_traps(traps) if traps else {})
    now = time.time()
    study = Study(study_design, Journal(output))
    study.open(now, secrets.token_hex(16))
    study.add_tasks(tasks, now)
    names = [f"person-{number}" for number in range(1, (people or 0) + 1)]
    handed = assign_all(study, names, now) if sheets is not None else {}
    for name, assignments in handed.items():
        assert sheets is not None
        sheets.mkdir(parents=True, exist_ok=True)
        write_jsonl(sheets / f"{name}.jsonl", sheet_records(study, assignments))
    short = sum(study.needed(task) for task in study.tasks.values()) if names else 0
    notes = plan.notes + ([f"{short} assignments are open: more annotators are needed"] if short else [])
    if as_json:
        counts = {name: len(assignments) for name, assignments in handed.items()}
        facts = {"inputs": plan.inputs, "systems": plan.systems, "tasks": len(plan.tasks), "people": counts}
        click.echo(to_json({**facts, "places_left": short, "notes": notes}))
        return
    say(f"{output} · {len(plan.tasks):,} tasks on {plan.inputs:,} inputs by {len(plan.systems)} systems")
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
