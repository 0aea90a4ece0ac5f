"""`assay challenge drs`: challenge sets of meaning representations, and ROSE of judged outputs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from assay.challenges.drs_clauses import PHENOMENA
from assay.challenges.drs_pairs import Pair, drs_pairs
from assay.cli.shared.display import counted, print_tables, warn
from assay.cli.shared.help import new_group
from assay.cli.shared.options import PATH, format_option, json_option
from assay.errors import AssayError
from assay.meta.rose import rose
from assay.records import Example, read_examples, read_judgements, to_json
from assay.records.error_locations import with_location
from assay.show.tables import Column, Content, Form, Table

EXAMPLE = """\b
Examples:
  assay data read drs pmb/ -o drs.jsonl
  assay challenge drs pairs drs.jsonl drs.jsonl --phenomenon tense
  assay challenge drs rose judgements.jsonl --examples drs.jsonl
"""


@new_group(epilog=EXAMPLE)
def command() -> None:
    """Challenge sets made by small edits of meaning representations, and their human evaluation (ROSE)."""


@command.command()
@click.argument("originals", type=PATH)
@click.argument("changed", type=PATH)
@click.option("--phenomenon", type=click.Choice(PHENOMENA), help="Phenomenon to show (default: all).")
@click.option(
    "--limit", type=click.IntRange(0), default=10, show_default=True, help="Number of pairs to show; 0 for all."
)
@format_option
@json_option
def pairs(originals: Path, changed: Path, phenomenon: str | None, limit: int, form: Form, as_json: bool) -> None:
    """Show items of CHANGED next to their original items: what was changed, and the clauses that differ.

    Both may be one file; items of CHANGED without a parent are skipped.
    """
    known = read_examples(originals).examples
    children = [one for one in read_examples(changed).examples if one.parent]
    if phenomenon:
        children = [one for one in children if _phenomenon(one) == phenomenon]
    if not children:
        wanted = f"no item of the phenomenon {phenomenon}" if phenomenon else "no item"
        raise AssayError(f"{changed}: {wanted} has a parent. Pass a challenge set made by `assay challenge make`.")
    with with_location(changed, children):
        pairs = drs_pairs(known, children)
    same = [pair for pair in pairs if pair.unchanged]
    warn([f"id {pair.child.id}: same structure as its parent {pair.parent.id}" for pair in same])
    edits: dict[str, Counter[str]] = {}
    for pair in pairs:
        edits.setdefault(pair.phenomenon, Counter())[_edit(pair)] += 1
    if as_json:
        shown = [
            {"id": pair.child.id, "parent": pair.parent.id, "phenomenon": pair.phenomenon, "edit": pair.edit,
             "before": pair.before, "after": pair.after, "unchanged": pair.unchanged}
            for pair in pairs
        ]  # fmt: skip
        click.echo(to_json({"pairs": shown, "edits": edits}))
        return
    columns = [Column("phenomenon", "left"), Column("edit", "left"), Column("items")]
    rows: list[list[Content]] = [
        ["" if i else name, edit, count]
        for name, cells in edits.items()
        for i, (edit, count) in enumerate(cells.most_common())
    ]
    shown_pairs = pairs if not limit else pairs[:limit]
    each: list[list[Content]] = [
        [pair.child.id, pair.edit, " | ".join(pair.before), " | ".join(pair.after), *_texts(pair)]
        for pair in shown_pairs
    ]
    headings = ["item", "edit", "its parent's clauses", "its clauses", "parent's text", "text"]
    folded = [Column(name, "left", fold=True) for name in headings]
    title = f"{counted(len(pairs), 'pair')}, all with a parent"
    print_tables(Table(columns, rows, title), *([Table(folded, each)] if each else []), form=form)


def _phenomenon(example: Example) -> str:
    return example.tags.get("phenomenon") or example.tags.get("challenge") or ""


def _edit(pair: Pair) -> str:
    """Names and numbers are replaced by placeholders, so that changes are counted by kind."""
    return pair.edit if pair.phenomenon in ("tense", "polarity") or pair.edit == "none" else "changed"


def _texts(pair: Pair) -> list[Content]:
    return [next(iter(one.references), "") for one in (pair.parent, pair.child)]


@command.command("rose")
@click.argument("judgements", type=PATH)
@click.option("--examples", "-e", type=PATH, help="Items with their phenomenon and parent.")
@format_option
@json_option
def rose_command(judgements: Path, examples: Path | None, form: Form, as_json: bool) -> None:
    """Compute ROSE from JUDGEMENTS with the criteria semantics, grammaticality and phenomenon, each 0 or 1.

    An output is correct if all three are 1. Rates have 95 % confidence intervals; if parents were judged too, the
    difference from them is tested.
    """
    pairs = rose(read_judgements(judgements), read_examples(examples).examples if examples else ())
    if as_json:
        click.echo(to_json(pairs.to_dict()))
    else:
        print_tables(pairs.table(), form=form)
