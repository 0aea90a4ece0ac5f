"""Options that select a system and its examples, as one request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from assay.cli.shared.completion import form_names, last_of, system_names
from assay.cli.shared.option_values import refuse_idle
from assay.cli.shared.path_types import NEW_FILE, PATH

F = TypeVar("F", bound=Callable[..., Any])


def _trust(context: click.Context, _: click.Parameter, trusted: bool) -> None:
    from assay.models.trust import OPTION, trusting

    if trusted:
        click.echo(f"! {OPTION}: code included with the model runs with all your rights", err=True)
        context.with_resource(trusting())


trust_option = click.option(
    "--trust-remote-code",
    is_flag=True,
    expose_value=False,
    callback=_trust,
    help="Run code that is included with a model. Read it first.",
)
"""For every command that loads models. It is set on the command line only: no file can set it."""


seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Random seed."
)
SYSTEM_OPTIONS = {
    "system": click.option(
        "--system", "-S", required=True, metavar="NAME[:OPTION…]", shell_complete=last_of(system_names),
        help="System with options, e.g. lead:k=3; listed by `assay system list`."
    ),
    "as": click.option("--as", "form", metavar="FORM", shell_complete=last_of(form_names),
        help="Form that writes inputs as text; see `assay data forms` (default: by kind of input)."),
    "train": click.option("--train", type=PATH, metavar="FILE", help="Training examples, for systems that need them."),
    "valid": click.option(
        "--valid", type=PATH, metavar="FILE", help="Validation examples, for systems that select by them (logistic)."
    ),
    "name": click.option("--name", metavar="NAME", help="System name in the output file (default: its specification)."),
    "seed": seed_option,
    "shots": click.option(
        "--shots", type=click.IntRange(1), metavar="N", help="Demonstrations in the prompt, from --shots-from."
    ),
    "shots-from": click.option(
        "--shots-from", type=PATH, metavar="FILE", help="Examples with references to demonstrate the task with."
    ),
    "shots-by": click.option(
        "--shots-by", type=click.Choice(["fixed", "random", "nearest"]), default="fixed", show_default=True,
        help="Demonstrations: the first, drawn for each item, or those with the most similar input."
    ),
    "limit": click.option(
        "--limit", type=click.IntRange(1), metavar="N", help="Use the first N examples (default: all)."
    ),
    "output": click.option(
        "--output", "-o", type=NEW_FILE, required=True, metavar="FILE",
        help="Outputs to write, one JSON object per line."
    ),
    "force": click.option("--force", is_flag=True, help="Generate again, and replace an existing file."),
    "skip-bad": click.option("--skip-bad", is_flag=True, help="Skip lines that cannot be read; report their number."),
    "trust": trust_option,
}  # fmt: skip


SYSTEM_FIELDS = (
    "system", "form", "train", "valid", "name", "seed", "shots", "shots_from", "shots_by", "limit", "force", "skip_bad",
    "executor",
)  # fmt: skip
"""Parameters of `system_options` and `work_options` that are fields of a `SystemRequest`."""


def system_options(*, without: Sequence[str] = ("valid",)) -> Callable[[F], F]:
    """Add the options that select a system and its examples; the command receives a `SystemRequest` and `output`."""

    def add(function: F) -> F:
        from assay.execution.system_request import SystemRequest

        @wraps(function)
        def command(*arguments: Any, **options: Any) -> Any:
            values = {name: options.pop(name) for name in SYSTEM_FIELDS if name in options}
            if "shots" in values:
                values["shots"] = values["shots"] or 0
                if not values["shots"]:
                    refuse_idle(shots_by="--shots")
            return function(*arguments, request=SystemRequest(**values | {"name": values["name"] or ""}), **options)

        wrapped = cast("F", command)
        for name, option in reversed(SYSTEM_OPTIONS.items()):
            wrapped = wrapped if name in without else option(wrapped)
        return wrapped

    return add
