"""Commands that list the entries of a registry, or describe one: a definition per group, printed in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import click

from assay.cli.shared.display import print_options, print_preset, print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import json_option
from assay.records import to_json
from assay.registry import Registry
from assay.show.tables import Column, Content, Table
from assay.specs_help import Option

T = TypeVar("T")
E = TypeVar("E")


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is printed about one entry; a line without text is left out."""

    title: str
    about: str = ""
    lines: Sequence[tuple[str, str | None]]
    options: Iterable[Option] = ()
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    last: Sequence[tuple[str, str | None]] = ()
    """Lines below the options and presets."""

    def show(self, name: str) -> None:
        click.echo(f"{name}: {self.title}")
        if self.about:
            click.echo(f"  {self.about}")
        self._show_lines(self.lines)
        print_options(self.options)
        for preset, values in self.presets.items():
            print_preset(name, preset, values)
        self._show_lines(self.last)

    @staticmethod
    def _show_lines(lines: Sequence[tuple[str, str | None]]) -> None:
        for heading, text in lines:
            if text:
                click.echo(f"  {heading:<10} {text}")


@dataclass(frozen=True, kw_only=True)
class Listing(Generic[T, E]):
    """How the entries of a registry are listed."""

    key: str
    """Key of the entries in JSON."""
    registry: Registry[Any]
    make: Callable[[Any], T]
    """Returns an entry, from what is registered."""
    describe: Callable[[T], E]
    """Returns the JSON object of an entry."""
    columns: Sequence[Column]
    """The first has the name of the entry."""
    why: str
    """Column that says why an entry cannot be loaded."""
    row: Callable[[str, E], list[Content]]
    order: Callable[[str, E], Any] | None = None
    """Key to sort rows by (default: the order of the registry)."""
    note: Callable[[str, E], str | None] = lambda name, about: None
    """Note below the table about an entry."""

    def show(self, next_step: str, as_json: bool, **more: Any) -> None:
        """Print all entries; `more` are further keys of the JSON object."""
        broken: dict[str, str] = {}
        described = dict(self.registry.each(lambda each: self.describe(self.make(each)), broken))
        if as_json:
            missing = {"cannot_be_loaded": broken} if broken else {}
            click.echo(to_json({self.key: described} | more | missing))
            return
        entries = list(described.items())
        if order := self.order:
            entries.sort(key=lambda entry: order(*entry))
        rows = [self.row(name, about) for name, about in entries]
        rows += [self._broken(name, why) for name, why in broken.items()]
        notes = [note for name, about in entries if (note := self.note(name, about))]
        print_tables(Table(self.columns, rows, notes=notes))
        click.echo(next_step)

    def _broken(self, name: str, why: str) -> list[Content]:
        return [name, *(why if column.name == self.why else "" for column in self.columns[1:])]

    def show_one(self, name: str, entry: T, facts: Callable[[T], Facts], as_json: bool) -> None:
        """Print one entry."""
        if as_json:
            click.echo(to_json({self.key: {name: self.describe(entry)}}))
        else:
            facts(entry).show(name)


def text_columns(*headings: str, fold: Sequence[str]) -> list[Column]:
    """Return columns of text; those named in `fold` can be wrapped."""
    return [Column(heading, "left", fold=heading in fold) for heading in headings]


def list_command(epilog: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command with an optional NAME and `--json`."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        return new_command(epilog=epilog)(click.argument("name", required=False)(json_option(function)))

    return decorate
