"""Values of options: lists, numbers by name, and options that are refused together or twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from assay.errors import UsageError


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


class Resamples(click.IntRange):
    """A number of resamples; refuses numbers that are meant as a confidence level."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from assay.stats.interval import LEVELS

        number = super().convert(value, param, ctx)
        if number in LEVELS:
            self.fail(f"{number} would be the number of resamples; the level is always 95 %. Use 1000.", param, ctx)
        return number


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


def directions(text: str | None) -> dict[str, str]:
    """Parse `errors=lower,style=neither`."""
    ways = {}
    for part in comma_separated(text):
        name, _, way = (piece.strip() for piece in part.rpartition("="))
        if not name or way not in ("higher", "lower", "neither"):
            raise UsageError(f"--better: '{part}' is not NAME=lower, NAME=higher or NAME=neither")
        ways[name] = way
    return ways


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
