"""`assay score` on a submission of several tasks: one result a task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import counted, print_missing, print_result, say, warn
from assay.cli.shared.options import tasks_given
from assay.errors import AssayError, UsageError
from assay.execution.scoring import choose, score_outputs
from assay.records import to_json
from assay.records.read import ExampleFile
from assay.records.recognize import gem_name, tasks_of
from assay.records.types import Data
from assay.results.result import Result

IDLE = (
    "references", "sources", "examples", "dataset", "scores", "join_on", "text", "per_example", "subset", "cluster",
    "by", "rarefied",
)  # fmt: skip
"""What is said of one set of items, and there are several."""


def examples_and_metrics(
    tasks: tuple[str, ...], benchmark: Path | None, options: dict[str, Any]
) -> tuple[Mapping[str, Path | ExampleFile], Mapping[str, list[str]]]:
    """The examples of each task, and with a benchmark the metrics: those that everybody may see."""
    if benchmark is None:
        return tasks_given(tasks), {}
    if tasks or options["metrics"] or options["suite"]:
        raise UsageError("--benchmark says itself which tasks and metrics there are; leave the others out")
    from assay.benchmark.freezing import frozen_examples

    manifest, examples = frozen_examples(benchmark)
    return examples, {task.name: list(task.signatures) for task in manifest.tasks}


def score_tasks(
    outputs: Path,
    given: Mapping[str, Data | ExampleFile],
    metrics: Mapping[str, list[str]],
    *,
    ci: int,
    seed: int,
    save: Path | None,
    verbose: bool,
    as_json: bool,
    options: dict[str, Any],
) -> None:
    """Score every task of a submission whose examples are given; `metrics` are those of a benchmark, by task."""
    for name in IDLE:
        if options.get(name):
            option = "--rarefy" if name == "rarefied" else f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is about one set of items; leave it out, or score one task with --dataset")
    names = {gem_name(name): name for name in tasks_of(outputs)}
    if not names:
        raise AssayError(f'{outputs}: no submission with "tasks" in it; score other files with -e')
    known = [name for name in names if name in given]
    if not known:
        raise AssayError(f"{outputs}: has no task {', '.join(given)}; it has {', '.join(names)}")
    executor = options["executor"]
    results: dict[str, Result] = {}
    for name in known:
        requests = choose(metrics.get(name) or options["metrics"], options["suite"])
        results[name] = score_outputs(
            outputs, requests, examples=given[name], dataset=names[name], ci=ci, seed=seed, executor=executor,
            save=save / name if save else None, force=options["force"], language=options["language"],
            system=options["system"], allow_missing=options["allow_missing"], skip_bad=options["skip_bad"],
        ).result  # fmt: skip
    left = [name for name in names if name not in given]
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
        say(f"Not scored, as their examples are not known: {', '.join(left)}")
