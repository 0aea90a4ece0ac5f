"""Help in sections: what a command needs first, shared data options together, rare ones under "Advanced"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
FIRST = "Options"
ADVANCED = "Advanced"
LONGEST = 60
"""Lines that a help text may have; beyond, advanced options are listed by name only."""
DETAILS = re.compile(r"\s*\[([^\[\]]*)\]$")
RANGE = re.compile(r"x[<>]")


def section(title: str, *options: Callable[[F], F]) -> Callable[[F], F]:
    """Group options of a command under a heading of its help."""

    def decorate(function: F) -> F:
        before = len(getattr(function, "__click_params__", ()))
        for option in reversed(options):
            function = option(function)
        for parameter in function.__click_params__[before:]:  # type: ignore[attr-defined]
            parameter.section = title
        return function

    return decorate


def advanced(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Mark options that few calls need."""
    return section(ADVANCED, *options)


class Command(click.Command):
    """A command whose help lists its options in sections and states every default in the same way."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.context_settings = {**HELP, **self.context_settings}  # whether or not a group calls it

    is_compact = False
    """Whether advanced options are listed by name only."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _ALL]

    def get_help(self, ctx: click.Context) -> str:
        text = super().get_help(ctx)
        if len(text.splitlines()) > LONGEST and not ctx.meta.get("assay.all_options"):
            self.is_compact = True
            text = super().get_help(ctx)
            self.is_compact = False
        return text

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        by_section: dict[str, list[tuple[str, str]]] = {}
        names: list[str] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None or isinstance(parameter, click.Argument):
                continue
            title = getattr(parameter, "section", FIRST)
            if title == ADVANCED:
                names.append(max(parameter.opts, key=len))
            by_section.setdefault(title, []).append((record[0], _with_details(record[1])))
        late = by_section.pop(ADVANCED, None)
        for title, records in by_section.items():
            with formatter.section(title):
                formatter.write_dl(records, col_max=28)
        if late and self.is_compact:
            with formatter.section(f"{ADVANCED} (described by --help-all)"):
                formatter.write_text(" ".join(names))
        elif late:
            with formatter.section(ADVANCED):
                formatter.write_dl(late, col_max=28)


def _with_details(text: str) -> str:
    """Return a help text with its default in parentheses, and without the range of numbers."""
    match = DETAILS.search(text)
    if match is None:
        return text
    details = [part for part in match[1].split("; ") if not RANGE.search(part)]
    bare = text[: match.start()].rstrip(".")
    return f"{bare} ({'; '.join(details)})." if details else f"{bare}."


class Group(click.Group):
    """A group inside a group, e.g. `assay benchmark card`."""

    command_class = Command

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.context_settings = {**HELP, **self.context_settings}


def new_command(**settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command whose help is in sections."""
    return click.command(**({"cls": Command} | settings))


def new_group(**settings: Any) -> Callable[[Callable[..., Any]], click.Group]:
    """Make a group of such commands."""
    return click.group(**({"cls": Group} | settings))


def _show_all(ctx: click.Context, _: click.Parameter, requested: bool) -> None:
    if requested:
        ctx.meta["assay.all_options"] = True
        click.echo(ctx.get_help())
        ctx.exit()


_ALL = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, hidden=True, callback=_show_all,
    help="Show this message with all options and exit.",
)  # fmt: skip
