"""`assay run status`: state of the runs in a results folder."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from assay.cli.shared.display import counted, say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.records import to_json
from assay.store.status import RunStatus, status

EXAMPLE = """\b
Examples:
  assay run status results/sample
  assay run status results/sweep --json
"""


@new_command(epilog=EXAMPLE)
@click.argument("results", type=PATH)
@json_option
def command(results: Path, as_json: bool) -> None:
    """Show for every run in RESULTS whether it is finished, running (and where), stopped, failed or skipped.

    RESULTS is the folder of `assay run`, of one run, or of several. It is read only and needs no lock.
    """
    runs = status(results)
    states = Counter(run.state for run in runs)
    if as_json:
        click.echo(to_json({"runs": [run.to_dict() for run in runs], "states": dict(states)}))
        return
    for run in runs:
        say(f"{run.dataset:<12} {run.system:<20} {run.state:<9} {_details(run)}".rstrip())
    say(f"{counted(len(runs), 'run')}: " + ", ".join(f"{count} {state}" for state, count in states.items()))
    if states["stopped"]:
        say("Next: run the same command again to resume what was stopped")


def _details(run: RunStatus) -> str:
    parts = [] if run.items is None else [counted(run.items, "item")]
    parts += [f"{len(run.metrics)} metrics"] if run.metrics else []
    parts += [f"{name}: {counted(count, 'shard')}" for name, count in run.shards.items()]
    parts += [counted(run.answers, "answer")] if run.answers is not None else []
    parts += [run.by] if run.by else []
    parts += [run.why] if run.why else []
    return " · ".join(parts)
