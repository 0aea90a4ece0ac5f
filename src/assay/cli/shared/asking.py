"""Steps shared by generate, rank and choose: read, prepare, report."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import counted, print_group, warn
from assay.errors import AssayError
from assay.execution.answers import prepare
from assay.execution.executors import SERIAL, Executor, away
from assay.records import Example, read_examples
from assay.records.error_locations import with_location
from assay.show.tables import shown
from assay.systems import System, system
from assay.systems.answering import Done, answer
from assay.systems.sampling import describe_sets
from assay.systems.tasks import Task


def begin(
    task: Task, source: Path | list[Example], options: dict[str, Any], addition: str = ""
) -> tuple[System, list[Example]]:
    """Return the prepared system and the examples, read from a file or already made."""
    made = system(options["spec"] + addition, form=options["form"], seed=options["seed"])
    task.refuse(made)
    if isinstance(source, Path):
        read = read_examples(source, skip_bad=options["skip_bad"])
        warn(read.notes)
        examples_read = read.examples
    else:
        examples_read = source
    examples = examples_read[: options["limit"]]
    if not examples:
        raise AssayError(f"{source}: no examples")
    train = read_examples(options["train"]).examples if options["train"] else []
    valid = read_examples(options["valid"]).examples if options.get("valid") else []
    prepare(made, train, "pass them with --train", valid)
    return made, examples


def ask(
    task: Task, made: System, examples: list[Example], source: Path | list[Example], out: Path, *, name: str,
    force: bool, executor: Executor = SERIAL,
) -> Done:  # fmt: skip
    """Generate all answers; errors about an example name file and line."""
    with with_location(source, examples) if isinstance(source, Path) else nullcontext():
        return answer(task, made, examples, out, name=name, force=force, executor=away(executor))


def finish(made: System, done: Done, out: Path, quiet: bool) -> dict[str, Any]:
    """Print a summary, and return it as data."""
    described = {
        "system": made.spec,
        "n": len(done.rows),
        "reused": done.reused,
        "seconds": round(done.seconds, 3),
        "output": str(out),
        **done.usage,
    }
    if not quiet:
        reused = f" · {done.reused} reused" if done.reused else ""
        click.echo(f"{made.spec} · {counted(len(done.rows), 'answer')} in {out}{reused} · {done.seconds:.1f} s")
        tell_usage(done.usage)
    return described


def tell_usage(usage: dict[str, Any]) -> None:
    """Print cost and warnings."""
    used = {key: value for key, value in usage.items() if key not in ("warnings", "sampling_set")}
    if used:
        print_group("used", [f"{key} {shown(value)}" for key, value in used.items()])
    if "sampling_set" in usage:
        print_group("sampling set", describe_sets(usage["sampling_set"]))
    warn(usage.get("warnings", ()))
