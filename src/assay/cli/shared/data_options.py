"""Options that say what outputs are scored against and by what, as one request."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from assay.cli.shared.completion import last_of, metric_names, suite_names
from assay.cli.shared.help import advanced, section
from assay.cli.shared.option_values import ListOption, directions
from assay.cli.shared.path_types import PATH

F = TypeVar("F", bound=Callable[..., Any])


def _parallel(context: click.Context, _: click.Parameter, paths: tuple[Path, ...]) -> Path | tuple[Path, ...] | None:
    return paths if len(paths) > 1 else next(iter(paths), None)


SCORE_OPTIONS = (
    "references", "sources", "examples", "metrics", "suite", "language", "dataset", "system", "scores", "better",
    "join_on", "allow_missing", "skip_bad", "seed",
)  # fmt: skip
"""Options of `data_options`, which are fields of a `ScoreRequest`."""


def data_options(function: F, counts_missing: bool = False) -> F:
    """Add the options that say what outputs are scored against and by what; the command receives a `ScoreRequest`.

    Args:
        function: The command.
        counts_missing: Whether the command has its own `--allow-missing`: items that have outputs are then scored.
    """
    from assay.cli.shared.work_options import work_options
    from assay.execution.request import ScoreRequest
    from assay.metrics import SUITES

    @wraps(function)
    def command(*arguments: Any, **options: Any) -> Any:
        if counts_missing:
            options["allow_missing"] = True
        values = {name: options.pop(name) for name in SCORE_OPTIONS}
        values |= {"better": directions(values["better"]), "executor": options.pop("executor")}
        return function(*arguments, request=ScoreRequest(**values), **options)

    data = section(
        "Data",
        click.option(
            "--references", "-r", type=PATH, multiple=True, callback=_parallel, metavar="FILE",
            help="References, one or a list per output; repeat for parallel files.",
        ),
        click.option("--sources", "-s", type=PATH, metavar="FILE", help="Source texts, one per output."),
        click.option(
            "--examples", "-e", type=PATH, metavar="FILE",
            help="Examples or DATASET:PATH: references, sources, tags.",
        ),
        click.option(
            "--metrics", "-m", cls=ListOption, metavar="METRIC,…", shell_complete=last_of(metric_names),
            help="Metrics with options, e.g. rouge:stemmer=true,bleu (default: the suite `default`).",
        ),
        click.option(
            "--suite", metavar="NAME", shell_complete=last_of(suite_names),
            help=f"Metrics of a task: {', '.join(SUITES)}.",
        ),
    )  # fmt: skip
    missing = click.option(
        "--allow-missing", is_flag=True, help="Score items that have outputs; report the number missing."
    )
    rare = advanced(
        click.option("--language", metavar="CODE", help="Language of items that do not name theirs, e.g. de."),
        click.option("--dataset", metavar="NAME", help="Task of a submission with several tasks."),
        click.option(
            "--system", metavar="NAME",
            help="System to score in a file of several, else its name in results (default: each; the file name).",
        ),
        click.option(
            "--scores", type=PATH, multiple=True, metavar="FILE",
            help="Imported scores per item (COMET, a judge); one file, or one per system.",
        ),
        click.option(
            "--better", cls=ListOption, metavar="NAME=DIRECTION,…",
            help="Direction of imported scores: higher, lower or neither (default: inferred from the name).",
        ),
        click.option(
            "--join-on", metavar="COLUMN", help="Join on this column of outputs, e.g. MR, or COLUMN=FIELD of examples."
        ),
        *([] if counts_missing else [missing]),
        click.option("--skip-bad", is_flag=True, help="Skip lines that cannot be read; report their number."),
        click.option(
            "--seed", type=click.IntRange(0), metavar="N", help="Random seed (default: 0, or that of the saved run)."
        ),
    )  # fmt: skip
    return cast("F", data(rare(work_options(command))))
