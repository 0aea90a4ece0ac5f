"""`assay study`: human evaluation from design to analysis; one thin module per command below it."""

from __future__ import annotations

from importlib import import_module

import click

EXAMPLE = """\b
Examples:
  assay study new --preset recommended -o design.toml
  assay study lint design.toml
  assay study simulate design.toml --effect 0.5
"""
COMMANDS = {
    "new": "a design to start from: a published one, or a plain one",
    "lint": "what a design leaves out, by two reviews of human evaluation",
    "assign": "tasks from outputs: who judges what, in which order",
    "serve": "a study that people take part in by browser, and its dashboard",
    "collect": "filled sheets into the journal of a study",
    "status": "progress, cost, agreement so far, who should be looked at",
    "analyze": "agreement, ranks, rates, order effects, methods, gold, annotator models",
    "export": "judgements, FRANK's columns, GEM's table, a release bundle, a datasheet",
    "compare": "may the numbers of two studies stand in one table?",
    "simulate": "power, agreement, minutes and cost before anybody is paid",
    "forget": "one person's data out of a study, for good",
    "map": "ratings of any table as judgements, by a few lines of TOML",
    "review": "a body of papers coded by the reviews' items, as tables",
}


class StudyGroup(click.Group):
    """Commands are loaded by need."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"assay.cli.study.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=StudyGroup, epilog=EXAMPLE)
def command() -> None:
    """Human evaluation: design it, hand items out, check people, analyse what they said, and size it beforehand."""
