"""`assay challenge drs`: challenge items of meaning representations beside their parents, and ROSE of judged outputs."""

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
    """Challenge sets made by small edits to meaning representations, and the judgement of what systems make of them."""


@command.command()
@click.argument("originals", type=PATH)
@click.argument("changed", type=PATH)
@click.option("--phenomenon", type=click.Choice(PHENOMENA), help="Only items of this one.")
@click.option("--limit", type=click.IntRange(0), default=10, show_default=True, help="Pairs that are shown; 0 for all.")
@format_option
@json_option
def pairs(originals: Path, changed: Path, phenomenon: str | None, limit: int, form: Form, as_json: bool) -> None:
    """Items of CHANGED beside their parents among ORIGINALS: what was done, and the clauses that say it.

    Both may be one file; items of CHANGED without a parent are not looked at.
    """
    known = read_examples(originals).examples
    children = [one for one in read_examples(changed).examples if one.parent]
    if phenomenon:
        children = [one for one in children if _phenomenon(one) == phenomenon]
    if not children:
        wanted = f"no item of the phenomenon {phenomenon}" if phenomenon else "no item"
        raise AssayError(f"{changed}: {wanted} names a parent; give a challenge set (`assay challenge drs`)")
    with with_location(changed, children):
        found = drs_pairs(known, children)
    same = [pair for pair in found if pair.unchanged]
    warn([f"id {pair.child.id}: its structure is that of its parent {pair.parent.id}" for pair in same])
    edits: dict[str, Counter[str]] = {}
    for pair in found:
        edits.setdefault(pair.phenomenon, Counter())[_edit(pair)] += 1
    if as_json:
        shown = [
            {"id": pair.child.id, "parent": pair.parent.id, "phenomenon": pair.phenomenon, "edit": pair.edit,
             "before": pair.before, "after": pair.after, "unchanged": pair.unchanged}
            for pair in found
        ]  # fmt: skip
        click.echo(to_json({"pairs": shown, "edits": edits}))
        return
    columns = [Column("phenomenon", "left"), Column("edit", "left"), Column("items")]
    rows: list[list[Content]] = [
        ["" if i else name, edit, count]
        for name, held in edits.items()
        for i, (edit, count) in enumerate(held.most_common())
    ]
    shown_pairs = found if not limit else found[:limit]
    each: list[list[Content]] = [
        [pair.child.id, pair.edit, " | ".join(pair.before), " | ".join(pair.after), *_texts(pair)]
        for pair in shown_pairs
    ]
    headings = ["item", "edit", "its parent's clauses", "its clauses", "parent's text", "text"]
    folded = [Column(name, "left", fold=True) for name in headings]
    title = f"{counted(len(found), 'pair')}, all with a parent"
    print_tables(Table(columns, rows, title), *([Table(folded, each)] if each else []), form=form)


def _phenomenon(example: Example) -> str:
    return example.tags.get("phenomenon") or example.tags.get("challenge") or ""


def _edit(pair: Pair) -> str:
    """Names and numbers are all different: what is counted is that they changed."""
    return pair.edit if pair.phenomenon in ("tense", "polarity") or pair.edit == "none" else "changed"


def _texts(pair: Pair) -> list[Content]:
    return [next(iter(one.references), "") for one in (pair.parent, pair.child)]


@command.command("rose")
@click.argument("judgements", type=PATH)
@click.option(
    "--examples", "-e", type=PATH, help="Which items belong to which challenge, and what they were made from."
)
@format_option
@json_option
def rose_command(judgements: Path, examples: Path | None, form: Form, as_json: bool) -> None:
    """ROSE of JUDGEMENTS with the criteria semantics, grammaticality and phenomenon, each 0 or 1.

    An output is right if it is so in all three. Rates have 95 % intervals; where parents were judged, too, the drop
    from them is tested.
    """
    found = rose(read_judgements(judgements), read_examples(examples).examples if examples else ())
    if as_json:
        click.echo(to_json(found.to_dict()))
    else:
        print_tables(found.table(), form=form)
