"""Help in sections: what a command needs first, shared data options together, rare ones under "Advanced"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar, TypeVar

import click

from assay.cli.shared.metavars import metavar

F = TypeVar("F", bound=Callable[..., Any])
HELP: dict[str, object] = {"help_option_names": ["-h", "--help"]}
FIRST = "Options"
ADVANCED = "Advanced"
LONGEST = 60
"""Lines that a help text may have; beyond, advanced options are listed by name only."""
DETAILS = re.compile(r"\[([^\[\]]*)\]$")
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
        for option in self.params:
            if isinstance(option, click.Option) and option.metavar is None and not option.is_flag:
                option.metavar = metavar(option)

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
            by_section.setdefault(title, []).append((record[0], with_details(record[1])))
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


class CommandWithVerbs(Command):
    """A command whose first argument can be a verb of its own: `assay run CONFIG`, `assay run status RESULTS`."""

    verbs: ClassVar[Mapping[str, str]]
    """Modules by verb; each has a `command`."""

    def verb(self, name: str) -> click.Command:
        """Return the command of a verb."""
        command: click.Command = import_module(self.verbs[name]).command
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args and args[0] in self.verbs:
            return self.verb(args[0]).make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


def with_details(text: str) -> str:
    """Return a help text with its default in parentheses, and without the range of numbers."""
    match = DETAILS.search(text)
    if match is None:
        return text
    details = [part for part in match[1].split("; ") if not RANGE.search(part)]
    bare = text[: match.start()].rstrip().rstrip(".")
    return f"{bare} ({'; '.join(details)})." if details else f"{bare}."


class Group(click.Group):
    """A group inside a group, e.g. `assay benchmark card`."""

    command_class = Command

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.context_settings = {**HELP, **self.context_settings}

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command; without examples of its own it shows those of the group that call it."""
        if cmd.epilog is None and self.epilog is not None:
            cmd.epilog = examples_of(self.epilog, name or cmd.name or "")
        super().add_command(cmd, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with whole sentences, which click cuts at the width of a line."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(400)) for name, each in commands if each])


def examples_of(epilog: str, verb: str) -> str:
    """Return the examples of a group that call one of its commands: `assay data markup VERB …`."""
    head, title, *lines = epilog.splitlines()
    calls = [line for line in lines if line.split()[3:4] == [verb]]
    return "\n".join([head, title, *calls])


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
