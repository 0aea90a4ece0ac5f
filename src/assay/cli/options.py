"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import click

from assay.errors import UsageError
from assay.show.canvas import FORMATS
from assay.show.tables import FORMS

F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
NEW_FILE = click.Path(path_type=Path, dir_okay=False)
"""A file to write; a folder in its place is refused before any work."""


def apart(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse a call that would write over what it reads, or write two things to one file; `-` is no file."""
    taken = {path.resolve(): "is read by this call" for path in inputs if path and str(path) != "-"}
    for path in outputs:
        if path is None or str(path) == "-":
            continue
        if why := taken.get(path.resolve()):
            raise UsageError(f"{path}: {why} and would be lost; write to another file")
        taken[path.resolve()] = "is already written by this call"


def comma_separated(value: str | None) -> tuple[str, ...]:
    """The names in an option that takes several."""
    return tuple(part.strip() for part in (value or "").split(",") if part.strip())


def named_numbers(value: str | None, option: str) -> dict[str, float]:
    """`rouge1=1,chrf=0.5` as numbers by name."""
    found: dict[str, float] = {}
    for part in comma_separated(value):
        name, _, number = (piece.strip() for piece in part.partition("="))
        try:
            found[name] = float(number)
        except ValueError:
            raise UsageError(f"{option}: '{part}' is not NAME=NUMBER, e.g. rouge1=1,chrf=0.5") from None
        if not name or not isfinite(found[name]):
            raise UsageError(f"{option}: '{part}' is not NAME=NUMBER with a finite number")
    return found


def data_options(function: F) -> F:
    """What outputs are judged against, and how the two are joined."""
    from assay.metrics import SUITES

    for option in reversed(
        [
            click.option("--references", "-r", type=PATH, help="One reference, or a list of them, per output."),
            click.option("--sources", "-s", type=PATH, help="What the system was given, one text per output."),
            click.option(
                "--examples", "-e", type=PATH, help="Examples: references, sources, tags and languages in one."
            ),
            click.option("--metrics", "-m", help="Names with options: rouge:stemmer=true,bleu,distinct-2."),
            click.option("--suite", help=f"A set of metrics: {', '.join(SUITES)}."),
            click.option("--language", help="Language of items that do not name theirs, e.g. de."),
            click.option("--dataset", help="Which task of a submission that holds several."),
            click.option(
                "--join-on",
                metavar="COLUMN",
                help="Join by this column of the outputs, e.g. MR, instead of ids; or COLUMN=FIELD of the examples.",
            ),
            click.option("--allow-missing", is_flag=True, help="Score the items that are there; say how many are not."),
            click.option("--skip-bad", is_flag=True, help="Leave out lines that cannot be read; say how many."),
            click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to use."),
            click.option("--seed", type=click.IntRange(0), help="For resampling; 0, or that of the saved run."),
        ]
    ):
        function = option(function)
    return function


def _trust(context: click.Context, _: click.Parameter, said: bool) -> None:
    from assay.models.trust import OPTION, trusting

    if said:
        click.echo(f"! {OPTION}: code that a model brings along runs here with all your rights", err=True)
        context.with_resource(trusting())


trust_option = click.option(
    "--trust-remote-code",
    is_flag=True,
    expose_value=False,
    callback=_trust,
    help="Run code that a model's folder or hub page brings along. Read it first.",
)
"""For every command that loads models. It is said by a person, call by call: no file can say it."""
json_option = click.option("--json", "as_json", is_flag=True, help="One strict JSON object on stdout, nothing else.")
seed_option = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For resampling.")
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    default="text",
    show_default=True,
    help="How tables are written; latex needs booktabs, csv keeps exact values.",
)


def table_options(function: F) -> F:
    """How tables are written and figures drawn beside them; or all of it as JSON."""
    plots = click.option(
        "--plots",
        type=click.Path(path_type=Path, file_okay=False),
        help="Also draw figures into this folder (needs assay[plots]).",
    )
    form = click.option(
        "--figure-format", type=click.Choice(FORMATS), default="png", show_default=True, help="Of --plots."
    )
    return format_option(plots(form(json_option(function))))


SYSTEM_OPTIONS = {
    "system": click.option(
        "--system", "-S", "spec", required=True, help="Name with options; `assay systems` lists them."
    ),
    "as": click.option("--as", "form", metavar="FORM", help="How inputs are written; `assay forms` lists them."),
    "train": click.option("--train", type=PATH, help="Training examples, for systems that look at them."),
    "name": click.option("--name", help="What to call the system in the file; the spec if not said."),
    "seed": click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For all chance."),
    "limit": click.option("--limit", type=click.IntRange(1), help="Only the first N examples."),
    "output": click.option(
        "--output", "-o", type=NEW_FILE, required=True, help="The answers, one JSON object a line."
    ),
    "force": click.option("--force", is_flag=True, help="Ask again, and replace the file that is there."),
    "skip-bad": click.option("--skip-bad", is_flag=True, help="Leave out lines that cannot be read; say how many."),
    "trust": trust_option,
}  # fmt: skip


def system_options(function: F, names: Sequence[str] = tuple(SYSTEM_OPTIONS)) -> F:
    """Which system answers about which examples, and where the answers go; all of the options, or some."""
    for name in reversed(names):
        function = SYSTEM_OPTIONS[name](function)
    return function
