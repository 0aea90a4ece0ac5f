"""`assay score` on a submission with several tasks: one result per task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from assay.cli.shared.display import counted, print_missing, print_result, say, warn
from assay.cli.shared.options import parse_tasks
from assay.errors import AssayError, UsageError
from assay.execution.request import ScoreRequest
from assay.execution.scoring import score_outputs
from assay.records import to_json
from assay.records.read import ExampleFile
from assay.records.recognize import gem_name, tasks_of
from assay.records.types import Data
from assay.results.result import Result

SINGLE = ("references", "sources", "examples", "dataset", "scores", "join_on")
"""Fields of a request that are about one set of items."""


def refuse_for_tasks(request: ScoreRequest, options: Mapping[str, object]) -> None:
    """Refuse options that are about one set of items, where there are several tasks."""
    for name, value in {**{field: getattr(request, field) for field in SINGLE}, **options}.items():
        if value:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} applies to one set of items; leave it out, or score one task with --dataset")


def examples_and_metrics(
    tasks: tuple[str, ...], benchmark: Path | None, request: ScoreRequest
) -> tuple[Mapping[str, Path | ExampleFile], Mapping[str, list[str]]]:
    """Return the examples of each task and, with a benchmark, its public metrics."""
    if benchmark is None:
        return parse_tasks(tasks), {}
    if tasks or request.metrics or request.suite:
        raise UsageError("--benchmark defines tasks and metrics; leave --task, --metrics and --suite out")
    from assay.benchmark.freezing import frozen_examples

    manifest, examples = frozen_examples(benchmark)
    return examples, {task.name: list(task.signatures) for task in manifest.tasks}


def score_tasks(
    outputs: Path,
    examples: Mapping[str, Data | ExampleFile],
    metrics: Mapping[str, list[str]],
    request: ScoreRequest,
    save: Path | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Score every task of a submission whose examples are known; `metrics` are those of a benchmark, by task."""
    names = {gem_name(name): name for name in tasks_of(outputs)}
    if not names:
        raise AssayError(f'{outputs}: not a submission with "tasks". Score other files with -e.')
    known = [name for name in names if name in examples]
    if not known:
        raise AssayError(f"{outputs}: no task {', '.join(examples)}; it has {', '.join(names)}")
    results: dict[str, Result] = {}
    for name in known:
        own = request.but(examples=examples[name], dataset=names[name], metrics=metrics.get(name) or request.metrics)
        results[name] = score_outputs(outputs, own, save / name if save else None).result
    left = [name for name in names if name not in examples]
    if as_json:
        shown = {name: result.to_dict() | {"warnings": list(result.warnings)} for name, result in results.items()}
        click.echo(to_json({"system": next(iter(results.values())).system, "tasks": shown, "not_scored": left}))
        return
    say(f"{next(iter(results.values())).system} · {counted(len(results), 'task')}")
    for name, result in results.items():
        say(f" {name} · {counted(result.n, 'output')}")
        print_result(result, everything=verbose)
        print_missing("skipped", result.skipped)
        print_missing("failed", result.failed)
        warn(f"{name}: {note}" for note in result.warnings)
    if left:
        say(f"Not scored (no examples): {', '.join(left)}")
