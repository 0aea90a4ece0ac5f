"""`assay slots`: which fillers of their event template outputs mention, and which they leave out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from assay.cli.display import print_tables, warn
from assay.cli.options import NEW_FILE, PATH, apart, json_option
from assay.errors import AssayError
from assay.metrics.fillers import MORE, ROLES, mentioned
from assay.records import to_json, write_jsonl
from assay.results.result import Result
from assay.runs.loading import load_items
from assay.runs.scoring import choose, score_items
from assay.show.numbers import scored
from assay.show.tables import Column, Content, Table, score_cell

EXAMPLE = """\b
Examples:
  assay slots bart.jsonl -e mucsum-test.jsonl
  assay slots bart.jsonl -e mucsum-test.jsonl --limit 10 -o fillers.jsonl
"""


@click.command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH)
@click.option("--examples", "-e", type=PATH, required=True, help="Examples with event templates.")
@click.option("--output", "-o", type=NEW_FILE, help="Every filler with whether it is mentioned, one a line.")
@click.option("--limit", type=click.IntRange(0), default=3, show_default=True, help="Missed fillers shown for a role.")
@click.option("--ci", type=click.IntRange(0), default=1000, show_default=True, help="Resamples for intervals.")
@click.option("--allow-missing", is_flag=True, help="Take the outputs that are there; say how many are not.")
@json_option
def command(
    outputs: Path, examples: Path, output: Path | None, limit: int, ci: int, allow_missing: bool, as_json: bool
) -> None:
    """Say for each role how many of the fillers OUTPUTS mention, and which are left out most often."""
    apart([output], [outputs, examples])
    items = load_items(outputs, examples=examples, allow_missing=allow_missing)
    rows = [
        {"id": example.id, "role": role, "filler": filler, "mentioned": hit}
        for example, text in zip(items.examples, items.outputs, strict=True)
        for role, found in mentioned(example, text).items()
        for filler, hit in found
    ]
    if not rows:
        raise AssayError(f"{examples}: none of its examples has a filled event template; give event examples")
    if output:
        write_jsonl(output, rows)
    result = score_items(items, choose("filler_recall"), ci=ci)
    roles = {
        role: {
            "fillers": sum(row["role"] == role for row in rows),
            "mentioned": sum(row["role"] == role and bool(row["mentioned"]) for row in rows),
            "recall": result.scores[f"filler_recall.{role}"],
            "missed": Counter(str(row["filler"]) for row in rows if row["role"] == role and not row["mentioned"]),
        }
        for role in (*ROLES, *MORE)
    }
    if as_json:
        click.echo(to_json({"system": items.system, "n": len(items), "roles": roles, "warnings": items.notes}))
        return
    _print(result, roles, limit)
    warn(items.notes)
    click.echo(f"Next: assay score {outputs} --examples {examples} --metrics filler_recall --per-example FILE")


def _print(result: Result, roles: dict[str, dict[str, object]], limit: int) -> None:
    rows: list[list[Content]] = []
    for role, found in roles.items():
        name = f"filler_recall.{role}"
        missed = found["missed"]
        assert isinstance(missed, Counter)
        listed = ", ".join(f"{filler} ({count})" for filler, count in missed.most_common(limit))
        cells = [str(found["fillers"]), str(found["mentioned"])]
        rows.append([role, *cells, score_cell(result.scores[name], result.parts[name][1]), listed])
    columns = [
        Column("role", "left"), Column("fillers"), Column("mentioned"), Column("recall (95 %)"),
        Column("left out most often", "left", fold=True),
    ]  # fmt: skip
    print_tables(Table(columns, rows, f"{result.system} · {result.n} outputs"))
    whole = scored(result.scores["filler_recall"], result.parts["filler_recall"][1])
    click.echo(f"All entity roles: {whole}")
