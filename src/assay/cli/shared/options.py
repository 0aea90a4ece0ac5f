"""Options that several commands share, each defined once; with what their values are made of, one import for all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from assay.cli.shared.data_options import data_options
from assay.cli.shared.option_values import (
    ListOption,
    Resamples,
    comma_separated,
    named_numbers,
    parse_tasks,
    refuse_idle,
    refuse_repeats,
)
from assay.cli.shared.path_types import FOLDER, NEW_FILE, NEW_FOLDER, PATH, FolderOrUrl, apart
from assay.cli.shared.system_options import seed_option, system_options, trust_option
from assay.results.verdict import Family
from assay.show.canvas import FORMATS
from assay.show.tables import FORMS

__all__ = [
    "FOLDER", "NEW_FILE", "NEW_FOLDER", "PATH", "FolderOrUrl", "ListOption", "Resamples", "apart", "ci_option",
    "cluster_option", "comma_separated", "data_options", "family_option", "format_option", "json_option",
    "named_numbers", "order_option", "parse_tasks", "refuse_idle", "refuse_repeats", "seed_option",
    "sequential_option", "system_options", "table_options", "task_option", "trust_option",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])


cluster_option = click.option(
    "--cluster", cls=ListOption, metavar="KEY",
    help="Resample items that share a value of this field together; none: single items (default: parent or document).",
)  # fmt: skip


def ci_option(fewest: int = 0) -> Callable[[F], F]:
    """Return `--ci` of commands that have intervals by default; with `fewest` above 0, they always have them."""
    return click.option(
        "--ci",
        type=Resamples(fewest),
        default=1000,
        show_default=True,
        help="Number of bootstrap resamples for 95 % confidence intervals.",
    )


family_option = click.option(
    "--family",
    type=click.Choice(get_args(Family)),
    default="all",
    show_default=True,
    metavar="FAMILY",
    help="Correct p for: all tests, those of one pair of systems (pair) or those of one metric (metric).",
)
"""One default for every command that tests differences."""


sequential_option = click.option(
    "--sequential",
    is_flag=True,
    help="Confidence sequences and e-values: look and stop after every item (means of bounded scores).",
)
order_option = click.option(
    "--order",
    type=click.Choice(("arrival", "random")),
    default="arrival",
    show_default=True,
    metavar="ORDER",
    help="Order of items of --sequential: arrival (of the examples) or random (by --seed).",
)


task_option = click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="NAME=EXAMPLES",
    help="Task and its examples: a file or DATASET:PATH. Repeatable.",
)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one strict JSON object on stdout.")
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    default="text",
    show_default=True,
    metavar="FORMAT",
    help="Table format: text, markdown, latex (needs booktabs), html, csv (exact values).",
)


def table_options(function: F) -> F:
    """Add the options for table format, figures and JSON."""
    plots = click.option(
        "--plots",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Draw figures into this folder (needs assay-eval[plots]).",
    )
    form = click.option(
        "--figure-format",
        type=click.Choice(FORMATS),
        default="png",
        show_default=True,
        metavar="FORMAT",
        help="Format of --plots: png, svg or pdf.",
    )
    return format_option(plots(form(json_option(function))))
