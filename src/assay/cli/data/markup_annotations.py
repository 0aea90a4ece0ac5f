"""`assay data markup import`, `adjudicate` and `split`: from annotators of any tool to training files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import counted, print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, NEW_FOLDER, PATH, apart, json_option, seed_option
from assay.datasets.adjudication import Decisions, Key, adjudicate, agreement, statements
from assay.datasets.annotation_files import FORMATS, read_annotations
from assay.datasets.statements import split_documents
from assay.errors import AssayError, UsageError
from assay.inputs.schema import moved, schema
from assay.records import read_examples, to_json, write_jsonl
from assay.records.documents import parse_json
from assay.records.files import read_text
from assay.show.tables import Content, Table

schema_option = click.option("--schema", "named", default="", metavar="FILE", help="Marker schema: name or file.")


@new_command(name="import")
@click.argument("annotations", type=click.Path(path_type=Path))
@click.option("--from", "kind", type=click.Choice(list(FORMATS)), required=True, help="Tool that wrote ANNOTATIONS.")
@click.option(
    "--output", "-o", type=NEW_FILE, required=True, help="Annotations, one text and annotator per line (JSONL)."
)
@schema_option
@json_option
def import_command(annotations: Path, kind: str, output: Path, named: str, as_json: bool) -> None:
    """Read span ANNOTATIONS of another tool: a file, or a folder with one file per document or annotator.

    With --schema, a label that is no category is an error. Relations and attributes are counted and left out.
    """
    if not annotations.exists():
        raise AssayError(f"{annotations}: no such file or folder")
    apart([output], [annotations if annotations.is_file() else None, Path(named) if named else None])
    made = read_annotations(annotations, kind, schema(named) if named else None)
    write_jsonl(output, made.records)
    spans = sum(len(row["spans"]) for row in made.records)
    documents = {row["document"] for row in made.records}
    if as_json:
        counts = {"texts": len(made.records), "documents": len(documents), "spans": spans}
        click.echo(to_json(counts | {"left_out": made.left_out, "merged": made.merged}))
        return
    click.echo(
        f"{counted(len(made.records), 'annotated text')} of {len(documents):,} documents, {spans:,} spans in {output}"
    )
    none = [] if spans else ["no text has a span; check --from and the layers or labels of the export"]
    warn([*none, *(f"left out: {count:,} {what}" for what, count in made.left_out.items()), *made.merged])
    click.echo(f"Next: assay data markup adjudicate {output} -o gold.jsonl")


@new_command(name="adjudicate")
@click.argument("annotations", type=PATH, nargs=-1, required=True)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Adjudicated annotations (JSONL).")
@click.option(
    "--disagreements",
    type=NEW_FILE,
    help="Write spans and comments that differ, with keep or comment: null, to decide.",
)
@click.option("--decisions", type=PATH, help="The disagreements with keep: true or false, and the comment.")
@click.option(
    "--majority",
    is_flag=True,
    help="Keep undecided spans that more than half of the annotators marked, with their most frequent comment.",
)
@click.option("--statements", "cut", is_flag=True, help="One record per statement, for `assay data markup targets`.")
@schema_option
@json_option
def adjudicate_command(
    annotations: tuple[Path, ...], output: Path, disagreements: Path | None, decisions: Path | None, majority: bool,
    cut: bool, named: str, as_json: bool,
) -> None:  # fmt: skip
    """Merge the ANNOTATIONS of several annotators: spans that all marked are kept, the others are decided.

    Prints the agreement by category: F1 of exact and of overlapping spans. Undecided spans are an error, unless
    --majority decides them.
    """
    apart([output, disagreements], [*annotations, decisions])
    rows = [row for path in annotations for row in _rows(path)]
    agreed = agreement(rows)
    if not agreed:
        raise AssayError(f"{annotations[0]}: no document has two annotators; the field target names the annotator")
    made = adjudicate(rows, _decisions(decisions), majority)
    if disagreements:
        write_jsonl(disagreements, made.disagreements)
    if not as_json:
        shown: list[list[Content]] = [
            [name, row["spans"], f"{row['exact_f1']:.3f}", f"{row['overlap_f1']:.3f}"] for name, row in agreed.items()
        ]
        print_tables(Table.of("Agreement of annotators", ("category", "spans", "F1 exact", "F1 overlapping"), shown))
    if made.disagreements:
        where = disagreements or "a file of --disagreements"
        spans, comments = (
            sum(name in row and row[name] is None for row in made.disagreements) for name in ("keep", "comment")
        )
        what = [f"{spans:,} spans"] * (spans > 0) + [f"{comments:,} comments"] * (comments > 0)
        fields = " and ".join(["keep"] * (spans > 0) + ["comment"] * (comments > 0))
        raise AssayError(
            f"{' and '.join(what)} are undecided ({made.agreed:,} agreed). Set {fields} in {where}, and give it "
            "with --decisions; or use --majority."
        )
    records, outside = statements(made.records, schema(named)) if cut else (made.records, 0)
    write_jsonl(output, records)
    if as_json:
        counts = {"agreed": made.agreed, "kept": made.kept, "records": len(records), "outside": outside,
                  "single": made.single, "tied_comments": made.tied}  # fmt: skip
        click.echo(to_json(counts | {"agreement": agreed}))
        return
    click.echo(
        f"{made.agreed:,} spans agreed, {made.kept:,} kept by decision · {counted(len(records), 'record')} in {output}"
    )
    warn([f"{outside:,} spans are in no statement and are left out"] if outside else [])
    warn([f"{counted(made.single, 'document')} with one annotator: all its spans are kept"] if made.single else [])
    warn([f"{counted(made.tied, 'comment')} without a majority: the first was kept"] if made.tied else [])
    click.echo(f"Next: assay data markup targets {output} -o corpus.jsonl")


def _rows(path: Path) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            row = parse_json(line, f"{path}:{number}")
            if not isinstance(row, dict) or not {"id", "text", "spans"} <= row.keys():
                raise AssayError(f"{path}:{number}: not an annotation; id, text and spans are required")
            rows.append(row)
    return rows


def _decisions(path: Path | None) -> Decisions:
    keep: dict[tuple[str, Key], bool] = {}
    comments: dict[tuple[str, Key], str] = {}
    for number, line in enumerate(read_text(path).split("\n") if path else (), 1):
        if not line.strip():
            continue
        row = parse_json(line, f"{path}:{number}")
        if not isinstance(row, dict) or not {"document", "category", "start", "end", "keep"} <= row.keys():
            raise AssayError(f"{path}:{number}: not a decision; document, category, start, end and keep are required")
        place = str(row["document"]), (row["category"], row["start"], row["end"])
        if row["keep"] is not None:
            keep[place] = bool(row["keep"])
        if row.get("comment") is not None:
            comments[place] = str(row["comment"])
    return Decisions(keep, comments)


@new_command(name="split")
@click.argument("corpus", type=PATH)
@click.option("--output", "-o", type=NEW_FOLDER, required=True, help="Folder for train.jsonl, valid.jsonl, test.jsonl.")
@click.option("--shares", default="8:1:1", show_default=True, help="Documents for training, validation and test.")
@seed_option
@json_option
def split_command(corpus: Path, output: Path, shares: str, seed: int, as_json: bool) -> None:
    """Split a CORPUS of marked targets at random by document: all targets of a document are in one part."""
    parts = shares.split(":")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts) or not int(parts[0]):
        raise UsageError(f"--shares {shares}: write three integers, such as 8:1:1")
    made = split_documents(read_examples(corpus).examples, [int(part) for part in parts], seed)
    output.mkdir(parents=True, exist_ok=True)
    for name, examples in made.items():
        write_jsonl(output / f"{name}.jsonl", [moved(one, corpus.parent, output) for one in examples])
    counts = {name: len(examples) for name, examples in made.items()}
    if as_json:
        click.echo(to_json(counts))
        return
    click.echo(" · ".join(f"{name} {count:,}" for name, count in counts.items()) + f" in {output}")


commands = (import_command, adjudicate_command, split_command)
