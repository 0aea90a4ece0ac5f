"""How work is done and watched: the same three options wherever there is any."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import click

from assay.execution.executors import choose_executor
from assay.progress import shown_as

WORKERS = "Processes to use; 1 if not said, with an engine as many as there are processors."
ENGINE = "serial, processes (of this machine) or ray, ray:HOST:PORT, ray://HOST:PORT (a cluster)."
PROGRESS = "auto (a bar in a terminal), none, json (a line for each step on stderr) or json:FILE."


F = TypeVar("F", bound=Callable[..., Any])


def work_options(function: F) -> F:
    """`--workers`, `--engine` and `--progress`; the command is given an `executor`."""

    @wraps(function)
    def command(*arguments: Any, workers: int | None, engine: str | None, progress: str, **options: Any) -> Any:
        executor = choose_executor(workers, engine=engine)
        with shown_as(progress):
            return function(*arguments, executor=executor, **options)

    for option in (
        click.option("--progress", metavar="HOW", default="auto", show_default=True, help=PROGRESS),
        click.option("--engine", metavar="ENGINE", help=ENGINE),
        click.option("--workers", type=click.IntRange(1), help=WORKERS),
    ):
        command = option(command)
    return cast("F", command)
