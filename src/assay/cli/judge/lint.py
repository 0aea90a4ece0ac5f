"""`assay judge lint`: check the form of a judge."""

from __future__ import annotations

from dataclasses import asdict

import click

from assay.cli.shared.display import print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.listing import text_columns
from assay.cli.shared.options import format_option, json_option
from assay.errors import AssayError
from assay.judges.form import built_in, judge_form
from assay.judges.lint import lint
from assay.records import to_json
from assay.show.tables import Form, Table

EXAMPLE = """\b
Examples:
  assay judge lint my-form.toml
  assay judge lint my-form.toml --strict
  assay judge lint
"""


@new_command(epilog=EXAMPLE)
@click.argument("forms", metavar="[FORM]...", nargs=-1)
@click.option("--strict", is_flag=True, help="Exit with code 1 on warnings too (default: on errors only).")
@format_option
@json_option
def command(forms: tuple[str, ...], strict: bool, form: Form, as_json: bool) -> None:
    """Check forms (TOML files or shipped names; default: all shipped ones) before any call is paid.

    Errors are two questions in one, leading words, scale ends without a description, equal levels, a second scale in
    the text, and questions about an input or reference that the form does not show.
    """
    findings = {name: lint(judge_form(name)) for name in forms or built_in()}
    if as_json:
        click.echo(to_json({"forms": {name: [asdict(each) for each in each_of] for name, each_of in findings.items()}}))
    else:
        headings = ("form", "rule", "level", "criterion", "problem", "remedy")
        rows = [
            [name, each.rule, each.level, each.criterion, each.problem, each.remedy]
            for name, each_of in findings.items()
            for each in each_of
        ]
        if rows:
            print_tables(Table(text_columns(*headings, fold=("problem", "remedy")), rows), form=form)
        clean = [name for name, each_of in findings.items() if not each_of]
        click.echo(f"{len(clean)} of {len(findings)} forms have no finding" if len(findings) > 1 or clean else "")
    failing = [name for name, each_of in findings.items() if any(strict or each.level == "error" for each in each_of)]
    if failing:
        raise AssayError(f"{failing[0]}: the form has problems; see above")
