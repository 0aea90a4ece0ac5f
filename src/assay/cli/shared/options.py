"""Options that several commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import click
from click.core import ParameterSource

from assay.cli.shared.completion import form_names, last_of, metric_names, suite_names, system_names
from assay.cli.shared.help import advanced, section
from assay.errors import UsageError
from assay.results.verdict import Family
from assay.show.canvas import FORMATS
from assay.show.tables import FORMS

F = TypeVar("F", bound=Callable[..., Any])


class PathOrUrl(click.Path):
    """A path or URL (`s3://…`): inputs are downloaded first, folders that are written are uploaded as they grow."""

    def __init__(self, written: bool = False) -> None:
        super().__init__(path_type=Path)
        self.written = written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from assay.records.mirror import mirrored
        from assay.records.remote import fetched, is_url

        if not is_url(value):
            return super().convert(value, param, ctx)
        return ctx.with_resource(mirrored(value)) if self.written and ctx else fetched(value)


class FolderOrUrl(click.Path):
    """A folder to write to; a URL is passed on unchanged."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from assay.records.remote import is_url

        return value if is_url(value) else super().convert(value, param, ctx)


class NewPath(click.Path):
    """A path to write to; URLs are refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from assay.records.remote import is_url

        if is_url(value):
            raise UsageError(f"{value}: output must be a local path; --save and `assay run -o` accept URLs")
        return super().convert(value, param, ctx)


PATH = PathOrUrl()
FOLDER = PathOrUrl(written=True)
"""A folder for a run or results."""
NEW_FILE = NewPath(path_type=Path, dir_okay=False)
"""A file to write; a folder is refused before any work."""
NEW_FOLDER = NewPath(path_type=Path)
"""A folder to write."""


def apart(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse to overwrite an input, or to write two outputs to one file."""
    taken = {path.resolve(): "is an input of this command" for path in inputs if path and str(path) != "-"}
    for path in outputs:
        if path is None or str(path) == "-":
            continue
        if why := taken.get(path.resolve()):
            raise UsageError(f"{path}: {why} and would be overwritten; write to another file")
        taken[path.resolve()] = "is already an output of this command"


def comma_separated(value: str | None) -> tuple[str, ...]:
    """Split comma-separated names."""
    return tuple(part.strip() for part in (value or "").split(",") if part.strip())


class ListOption(click.Option):
    """Comma-separated names; repeated options add up: `-m bleu -m chrf` is `-m bleu,chrf`."""

    def __init__(self, names: Sequence[str], **settings: Any) -> None:
        super().__init__(names, **(settings | {"multiple": True}))

    def process_value(self, ctx: click.Context, value: Any) -> str | None:
        values: tuple[str, ...] = super().process_value(ctx, value)
        return ",".join(values) if values else None


def refuse_repeats(command: click.Command, context: click.Context, arguments: Sequence[str]) -> None:
    """Refuse single-valued options that are given twice, which would silently keep the last value."""
    try:
        _, rest, order = command.make_parser(context).parse_args(list(arguments))
    except click.UsageError:
        return  # reported where they are parsed
    for option in dict.fromkeys(order):
        if isinstance(option, click.Option) and not option.multiple and not option.count and order.count(option) > 1:
            name = max(option.opts, key=len)
            raise click.UsageError(
                f"{name} is given {order.count(option)} times and takes one value; keep one", context
            )
    if isinstance(command, click.Group) and rest and (called := command.get_command(context, rest[0])):
        refuse_repeats(called, click.Context(called, context, rest[0]), rest[1:])


def refuse_idle(**needed: str) -> None:
    """Refuse options that have no effect without another: `force="--save"`."""
    context = click.get_current_context()
    for name, other in needed.items():
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        option = next(max(each.opts, key=len) for each in context.command.params if each.name == name)
        raise UsageError(f"{option} requires {other}; add it, or leave {option} out")


def named_numbers(value: str | None, option: str) -> dict[str, float]:
    """Parse `rouge1=1,chrf=0.5`."""
    margins: dict[str, float] = {}
    for part in comma_separated(value):
        name, _, number = (piece.strip() for piece in part.rpartition("="))
        if name in margins:
            raise UsageError(f"{option}: {name} is given twice; keep one")
        try:
            margins[name] = float(number)
        except ValueError:
            raise UsageError(f"{option}: '{part}' is not NAME=NUMBER, e.g. rouge1=1,chrf=0.5") from None
        if not name and isfinite(margins[name]):
            raise UsageError(f"{option}: '{part}' names no metric; write NAME={part}")
        if not name or not isfinite(margins[name]):
            raise UsageError(f"{option}: '{part}' is not NAME=NUMBER with a finite number")
    return margins


def _parallel(context: click.Context, _: click.Parameter, paths: tuple[Path, ...]) -> Path | tuple[Path, ...] | None:
    return paths if len(paths) > 1 else next(iter(paths), None)


def directions(text: str | None) -> dict[str, str]:
    """Parse `errors=lower,style=neither`."""
    ways = {}
    for part in comma_separated(text):
        name, _, way = (piece.strip() for piece in part.rpartition("="))
        if not name or way not in ("higher", "lower", "neither"):
            raise UsageError(f"--better: '{part}' is not NAME=lower, NAME=higher or NAME=neither")
        ways[name] = way
    return ways


SCORE_OPTIONS = (
    "references", "sources", "examples", "metrics", "suite", "language", "dataset", "system", "scores", "better",
    "join_on", "allow_missing", "skip_bad", "seed",
)  # fmt: skip
"""Options of `data_options`, which are fields of a `ScoreRequest`."""


def data_options(function: F) -> F:
    """Add the options that say what outputs are scored against and by what; the command receives a `ScoreRequest`."""
    from assay.cli.shared.work_options import work_options
    from assay.execution.request import ScoreRequest
    from assay.metrics import SUITES

    @wraps(function)
    def command(*arguments: Any, **options: Any) -> Any:
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
            "--examples", "-e", type=PATH, metavar="FILE", help="Examples: references, sources, tags, languages."
        ),
        click.option(
            "--metrics", "-m", cls=ListOption, metavar="METRIC,…", shell_complete=last_of(metric_names),
            help="Metrics with options, e.g. rouge:stemmer=true,bleu (default: suite default).",
        ),
        click.option(
            "--suite", metavar="NAME", shell_complete=last_of(suite_names),
            help=f"Metrics of a task: {', '.join(SUITES)}.",
        ),
    )  # fmt: skip
    rare = advanced(
        click.option("--language", metavar="CODE", help="Language of items that do not name theirs, e.g. de."),
        click.option("--dataset", metavar="NAME", help="Task of a submission with several tasks."),
        click.option("--system", metavar="NAME", help="System of a file with several; otherwise its name in results."),
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
        click.option("--allow-missing", is_flag=True, help="Score items that have outputs; report the number missing."),
        click.option("--skip-bad", is_flag=True, help="Skip lines that cannot be read; report their number."),
        click.option(
            "--seed", type=click.IntRange(0), metavar="N", help="Random seed (default: 0, or that of the saved run)."
        ),
    )  # fmt: skip
    return cast("F", data(rare(work_options(command))))


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


family_option = click.option(
    "--family",
    type=click.Choice(get_args(Family)),
    default="all",
    show_default=True,
    metavar="FAMILY",
    help="Tests to correct p over: all, those of a pair of systems, or those of a metric: all|pair|metric.",
)
"""One default for every command that tests differences."""


task_option = click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="NAME=EXAMPLES",
    help="Task and its examples: a file or DATASET:PATH. Repeatable.",
)


def parse_tasks(values: Iterable[str]) -> dict[str, Path]:
    """Parse `--task news_test=news.jsonl`: the examples of each task of a submission."""
    from assay.records.recognize import gem_name

    tasks: dict[str, Path] = {}
    for text in values:
        name, _, path = text.partition("=")
        if not name or not path:
            raise UsageError(f"--task {text}: write NAME=EXAMPLES, for instance news_test=news.jsonl")
        if gem_name(name) in tasks:
            raise UsageError(f"--task {name} is given twice; keep one")
        tasks[gem_name(name)] = Path(path)
    return tasks


json_option = click.option("--json", "as_json", is_flag=True, help="Print one strict JSON object on stdout.")
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Random seed."
)
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


SYSTEM_OPTIONS = {
    "system": click.option(
        "--system", "-S", "spec", required=True, metavar="NAME[:OPTION…]", shell_complete=last_of(system_names),
        help="System with options, e.g. lead:k=3; listed by `assay system list`."
    ),
    "as": click.option("--as", "form", metavar="FORM", shell_complete=last_of(form_names),
        help="Form that writes inputs as text; listed by `assay data forms`."),
    "train": click.option("--train", type=PATH, metavar="FILE", help="Training examples, for systems that need them."),
    "name": click.option("--name", metavar="NAME", help="System name in the output file (default: its specification)."),
    "seed": seed_option,
    "limit": click.option("--limit", type=click.IntRange(1), metavar="N", help="Use the first N (default: all)."),
    "output": click.option(
        "--output", "-o", type=NEW_FILE, required=True, metavar="FILE",
        help="Outputs to write, one JSON object per line (required)."
    ),
    "force": click.option("--force", is_flag=True, help="Generate again, and replace an existing file."),
    "skip-bad": click.option("--skip-bad", is_flag=True, help="Skip lines that cannot be read; report their number."),
    "trust": trust_option,
}  # fmt: skip


def system_options(function: F, names: Sequence[str] = tuple(SYSTEM_OPTIONS)) -> F:
    """Add the options that select a system and its examples, or some of them."""
    for name in reversed(names):
        function = SYSTEM_OPTIONS[name](function)
    return function
