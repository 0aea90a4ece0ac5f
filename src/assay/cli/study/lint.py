"""`assay study lint`: what a design leaves out, and what it will cost."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.shared.display import print_tables, say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, format_option, json_option
from assay.errors import AssayError
from assay.records import to_json
from assay.show.tables import Form
from assay.studies.design import Design, read_design
from assay.studies.lint import lint
from assay.studies.lint_report import lint_tables
from assay.studies.presets import Budget, budget

EXAMPLE = """\b
Examples:
  assay study lint design.toml
  assay study lint design.toml --strict
"""


@new_command(epilog=EXAMPLE)
@click.argument("design", type=PATH)
@click.option("--strict", is_flag=True, help="Fail (exit 1) where one of the eight items does not pass.")
@format_option
@json_option
def command(design: Path, strict: bool, form: Form, as_json: bool) -> None:
    """Check a DESIGN before it is run: eight items that every report needs, further warnings, sizes and cost."""
    given = read_design(design)
    found = lint(given)
    sizes = _sizes(given)
    if as_json:
        known = asdict(sizes) if isinstance(sizes, Budget) else None
        click.echo(to_json({"design": given.name, **found.record(), "budget": known}))
    else:
        print_tables(*lint_tables(found, given.name), form=form)
        if isinstance(sizes, Budget):
            cost = "" if sizes.cost is None else f", {sizes.cost:,.2f} {sizes.currency}"
            click.echo(
                f"\n{sizes.tasks:,} tasks, {sizes.assignments:,} assignments, {sizes.judgements:,} answers{cost}"
            )
        else:
            click.echo()
            say(sizes)
    if strict and found.failing:
        numbers = ", ".join(map(str, found.failing))
        raise AssayError(f"{design}: item {numbers} of the recommended eight not said; see above")


def _sizes(design: Design) -> Budget | str:
    try:
        return budget(design)
    except AssayError as why:
        return str(why)
