"""Options for execution and progress."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import click

from assay.cli.shared.help import advanced
from assay.execution.executors import choose_executor
from assay.progress import shown_as

WORKERS = "Number of worker processes (default: 1; with --engine: one per CPU)."
ENGINE = "Executor: serial, processes, ray, ray:HOST:PORT or ray://HOST:PORT (default: serial)."
PROGRESS = "Progress: auto (bar in a terminal), none, json (stderr) or json:FILE."


F = TypeVar("F", bound=Callable[..., Any])


def work_options(function: F) -> F:
    """Add `--workers`, `--engine` and `--progress`; the command receives an `executor`."""

    @wraps(function)
    def command(*arguments: Any, workers: int | None, engine: str | None, progress: str, **options: Any) -> Any:
        executor = choose_executor(workers, engine=engine)
        with shown_as(progress):
            return function(*arguments, executor=executor, **options)

    options = advanced(
        click.option("--workers", type=click.IntRange(1), metavar="N", help=WORKERS),
        click.option("--engine", metavar="ENGINE", help=ENGINE),
        click.option("--progress", metavar="FORMAT", default="auto", show_default=True, help=PROGRESS),
    )
    return cast("F", options(command))
