"""`assay judge list`: the forms of judges."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from assay.cli.shared.display import print_tables
from assay.cli.shared.listing import Facts, list_command, text_columns
from assay.judges.form import ABOUT, JudgeForm, built_in, judge_form
from assay.records import to_json
from assay.show.tables import Table

EXAMPLE = """\b
Examples:
  assay judge list
  assay judge list faithfulness
  assay judge list my-form.toml --json
"""
NEXT = "Next: assay judge list NAME, assay judge lint NAME, assay judge run OUTPUTS -e EXAMPLES --form NAME -o FILE"


class FormEntry(msgspec.Struct, frozen=True):
    """The JSON object of a form."""

    about: str
    kind: str
    version: str
    signature: str
    needs: list[str]
    criteria: list[dict[str, Any]]
    answer: dict[str, Any]
    """JSON schema of the answer."""
    citation: str
    available: bool = True
    why_not: str | None = None


def describe(form: JudgeForm) -> FormEntry:
    written = ("criteria", "answer")
    return FormEntry(
        about=form.about, kind=form.kind, version=form.version, signature=form.signature,
        needs=[name for name in form.prompt(form.names).fields() if name not in written],
        criteria=[msgspec.to_builtins(each) for each in form.criteria], answer=form.schema(form.names),
        citation=form.citation,
    )  # fmt: skip


@list_command(EXAMPLE)
def command(name: str | None, as_json: bool) -> None:
    """List the forms of `assay judge run`, or show one: its question, its levels and what the model reads."""
    forms = {each: judge_form(each) for each in ([name] if name else built_in())}
    if as_json:
        click.echo(to_json({"forms": {each: describe(form) for each, form in forms.items()}}))
    elif name:
        _facts(forms[name]).show(forms[name].name)
    else:
        columns = text_columns("form", "kind", "what", "criteria", fold=("what", "criteria"))
        rows = [[each, form.kind, form.about, ", ".join(form.names)] for each, form in forms.items()]
        print_tables(Table(columns, rows))
        click.echo(NEXT)


def _facts(form: JudgeForm) -> Facts:
    entry = describe(form)
    lines: list[tuple[str, str | None]] = [
        ("answer", ABOUT[form.kind]), ("reads", ", ".join(entry.needs)), ("version", form.version),
        ("signature", form.signature), ("citation", form.citation),
    ]  # fmt: skip
    for each in form.criteria:
        lines.append((each.name, each.question))
        lines += [("", f"{level} = {meaning}") for level, meaning in each.levels.items()]
    lines += [("category", f"{name}: {meaning}") for name, meaning in form.categories.items()]
    lines += [("severity", f"{name}: {weight:g}") for name, weight in form.severities.items()]
    return Facts(title=form.about, lines=lines)
