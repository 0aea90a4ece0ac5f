"""Steps shared by generate, rank and choose: read, prepare, report."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted, print_group, warn
from assay.execution.system_request import SystemRequest
from assay.records import Example
from assay.records.documents import JSONObject
from assay.show.tables import shown
from assay.systems import System
from assay.systems.answering import Done
from assay.systems.sampling import describe_sets
from assay.systems.tasks import Task


def begin(task: Task, source: Path | list[Example], request: SystemRequest) -> tuple[System, list[Example]]:
    """Return the prepared system and the examples, read from a file or already made."""
    system = request.open(task, "pass them with --train")
    items, notes = request.read(source)
    warn(notes)
    if request.form is not None and not system.takes_form:
        warn([f"{system.name} does not read inputs in a form: --as {request.form} has no effect"])
    if system.learned_from:  # systems that learn nothing are not concerned
        warn(request.seen(items))
    return system, items


def finish(made: System, done: Done, out: Path, quiet: bool) -> JSONObject:
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


def tell_usage(usage: JSONObject) -> None:
    """Print cost and warnings."""
    used = {key: value for key, value in usage.items() if key not in ("warnings", "sampling_set")}
    if used:
        print_group("used", [f"{key} {shown(value)}" for key, value in used.items()])
    if "sampling_set" in usage:
        print_group("sampling set", describe_sets(usage["sampling_set"]))
    warn(usage.get("warnings", ()))
