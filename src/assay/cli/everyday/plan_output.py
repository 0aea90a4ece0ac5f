"""Output of `assay run --plan`: a table or JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from assay.cli.shared.display import counted, say
from assay.execution.executors import Executor, Serial
from assay.execution.plan import PlannedRun
from assay.records import to_json


def print_plan(planned: Sequence[PlannedRun], executor: Executor, as_json: bool) -> None:
    """Print what each run would compute, reuse, skip, generate and train, and the totals."""
    workers = 1 if isinstance(executor, Serial) else getattr(executor, "workers", None) or os.cpu_count() or 1
    seconds = sum(run.seconds or 0.0 for run in planned)
    together = {
        "runs": len(planned), "compute": sum(len(run.compute) for run in planned),
        "reuse": sum(len(run.reuse) for run in planned), "skip": sum(len(run.skip) for run in planned),
        "ask": sum(run.ask for run in planned), "train": sum(run.train is not None for run in planned),
        "not_possible": sum(run.why is not None for run in planned), "processor_seconds": round(seconds, 1),
        "workers": workers, "seconds": round(sum(_waiting(run, workers) for run in planned), 1),
    }  # fmt: skip
    if as_json:
        click.echo(to_json({"plan": [run.to_dict() for run in planned], "total": together}))
        return
    for run in planned:
        say(f"{run.dataset:<12} {run.system:<20} {_details(run)}")
    generation = (
        f", {counted(sum(run.ask for run in planned), 'item')} to generate (not timed)" if together["ask"] else ""
    )
    say(
        f"{counted(len(planned), 'run')}: {together['compute']} metrics to compute, {together['reuse']} reused, "
        f"{together['skip']} skipped{generation}; estimated scoring time {together['seconds']:.0f} s with "
        f"{counted(workers, 'worker')}, from a measured sample"
    )


def _waiting(run: PlannedRun, workers: int) -> float:
    """Return the seconds to score a run: shards are parallel, and a run with one shard has one worker."""
    if not run.seconds or not run.shards:
        return 0.0
    rounds = -(-run.shards // workers)
    return run.seconds * rounds / run.shards


def _details(run: PlannedRun) -> str:
    if run.why:
        return f"not possible: {run.why}"
    parts = [counted(run.items, "item")]
    parts += [f"train {run.train}"] if run.train else []
    parts += [f"generate {run.ask}"] if run.ask else []
    parts += [f"compute {', '.join(run.compute)}"] if run.compute else []
    parts += [f"reuse {', '.join(run.reuse)}"] if run.reuse else []
    parts += [f"skip {name} ({why})" for name, why in run.skip.items()]
    parts += [f"{run.seconds:.1f} s"] if run.seconds is not None else []
    return " · ".join(parts)
