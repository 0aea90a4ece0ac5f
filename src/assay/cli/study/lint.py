"""`assay study lint`: check a study design."""

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
@click.option("--strict", is_flag=True, help="Exit with code 1 if one of the eight items fails.")
@format_option
@json_option
def command(design: Path, strict: bool, form: Form, as_json: bool) -> None:
    """Check DESIGN before the study: eight items that every report needs, further warnings, sizes and cost."""
    study_design = read_design(design)
    report = lint(study_design)
    sizes = _sizes(study_design)
    if as_json:
        known = asdict(sizes) if isinstance(sizes, Budget) else None
        click.echo(to_json({"design": study_design.name, **report.record(), "budget": known}))
    else:
        print_tables(*lint_tables(report, study_design.name), form=form)
        if isinstance(sizes, Budget):
            cost = "" if sizes.cost is None else f", {sizes.cost:,.2f} {sizes.currency}"
            click.echo(
                f"\n{sizes.tasks:,} tasks, {sizes.assignments:,} assignments, {sizes.judgements:,} answers{cost}"
            )
        else:
            click.echo()
            say(sizes)
    hidden = next((one for one in report.findings if one.rule == "not-shown"), None)
    if hidden:
        raise AssayError(f"{design}: question '{hidden.criterion}': {hidden.problem}; {hidden.remedy}")
    if strict and report.failing:
        numbers = ", ".join(map(str, report.failing))
        raise AssayError(f"{design}: item {numbers} of the recommended eight is missing; see above")


def _sizes(design: Design) -> Budget | str:
    try:
        return budget(design)
    except AssayError as why:
        return str(why)
