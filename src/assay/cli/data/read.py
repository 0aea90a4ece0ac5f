"""`assay data read`: convert the published files of a dataset to examples."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import click
import msgspec

from assay.cli.shared import display
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.datasets import Report, dataset
from assay.datasets.base import Dataset
from assay.datasets.modify import Change, gem
from assay.errors import AssayError, UsageError, blaming, location
from assay.progress import track
from assay.records import Example, Judgement, Output, read_table, to_json, write_jsonl

T = TypeVar("T")
EXAMPLE = """\b
Examples:
  assay data read mucsum data/mucsum --split test -o mucsum-test.jsonl
  assay data read e2e_nlg:rows=pair cleaned-data -o e2e.jsonl
  assay data read frank data/frank -o frank.jsonl --judgements judgements.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("name", metavar="DATASET")
@click.argument("path", type=PATH)
@click.option("--split", help="Split to read: train, validation or test (default: all).")
@click.option(
    "--output", "-o", type=NEW_FILE, help="Examples to write (JSONL; - is stdout). Default: print counts only."
)
@click.option("--outputs", type=NEW_FILE, help="Write the published system outputs, if there are any.")
@click.option("--judgements", type=NEW_FILE, help="Write the published human judgements, if there are any.")
@click.option(
    "--skip-bad", "--lenient", "lenient", is_flag=True, help="Skip records that cannot be read; report their number."
)
@click.option(
    "--gem", "modify", is_flag=True, help="Apply the modifications of GEM, and report counts before and after."
)
@click.option("--scores", type=PATH, help="For --gem with xsum: faithfulness scores (JSONL with id and score).")
@click.option("--seed", type=click.IntRange(0), help="Random seed for --gem with wiki_lingua (default: 0).")
@json_option
def command(
    name: str,
    path: Path,
    split: str | None,
    output: Path | None,
    outputs: Path | None,
    judgements: Path | None,
    lenient: bool,
    modify: bool,
    scores: Path | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Convert DATASET (with options: e2e_nlg:rows=pair) in PATH, a file or the folder of its splits, to examples.

    Examples keep the published ids. Dropped records are counted by reason.
    """
    if as_json and output is not None and str(output) == "-":
        raise UsageError("--json and -o - both write to stdout; pass a file to -o")
    reader = dataset(name)
    for option, value, only in (("--scores", scores, "xsum"), ("--seed", seed, "wiki_lingua")):
        if value is not None and not (modify and reader.name == only):
            raise UsageError(f"{option} requires --gem and dataset {only}; leave it out")
    apart([output, outputs, judgements], [path, scores, *_files(reader, path)])
    report = Report(reader.name, lenient=lenient, skippable=True, ids={})
    changes: list[Change] = []
    examples: Iterable[Example] = track(reader.read(path, split, report), f"reading {reader.name}")
    if modify:
        by_id = faithfulness(scores) if scores else None
        examples = gem(reader.name, examples, changes, scores=by_id, seed=seed or 0)
    more = _published(
        reader, path, split, outputs, judgements
    )  # first, so that missing files are reported before anything is written
    written = _write(examples, output)
    extra = {what: write_jsonl(to, records) for what, (to, records) in more.items()}
    if as_json:
        click.echo(to_json(describe(report, changes) | {"written": written} | extra))
    else:
        _print(report, changes, written, output, extra)


def _files(reader: Dataset, path: Path) -> list[Path]:
    """Return the files of all splits; problems with them are reported when they are read."""
    try:
        return [file.path for file in reader.find(path)]
    except AssayError:
        return []


def faithfulness(path: Path) -> dict[str, float]:
    """Read scores by id from a table with an id and one number."""
    values: dict[str, float] = {}
    for row in read_table(path).rows:
        numbers = [
            v for k, v in row.fields.items() if isinstance(v, int | float) and not isinstance(v, bool) and k != "id"
        ]
        if "id" not in row.fields or len(numbers) != 1:
            raise AssayError(f"{location(path, row.where)}: an id and one number are required")
        values[str(row.fields["id"])] = float(numbers[0])
    return values


def _write(examples: Iterable[Example], output: Path | None) -> int:
    if output is None:
        return sum(1 for _ in examples)
    if str(output) != "-":
        return write_jsonl(output, examples)
    count = 0
    for example in examples:
        sys.stdout.buffer.write(msgspec.json.encode(example) + b"\n")
        count += 1
    sys.stdout.buffer.flush()
    return count


def _published(
    reader: Dataset, path: Path, split: str | None, outputs: Path | None, judgements: Path | None
) -> dict[str, tuple[Path, Iterable[Output | Judgement]]]:
    """Return where to write published outputs and judgements; an error if there are none."""
    values: dict[str, tuple[Path, Iterable[Output | Judgement]]] = {}
    if outputs:
        values["outputs"] = outputs, _guarded(reader.outputs(path, split), reader, path)
    if judgements:
        values["judgements"] = judgements, _guarded(reader.judgements(path, split), reader, path)
    return values


def _guarded(records: Iterable[T], reader: Dataset, path: Path) -> Iterator[T]:
    with blaming(f"{path}: {reader.name}", reader):
        yield from records


def describe(report: Report, changes: list[Change]) -> dict[str, object]:
    """Return the report as data."""
    return {
        "dataset": report.dataset,
        "files": report.files,
        "examples": report.examples,
        "splits": dict(report.splits),
        "records": report.records,
        "dropped": [{"reason": reason, "count": count} for reason, count in report.dropped.items()],
        "bad": [
            {"reason": reason, "count": count, "first": report.first_bad[reason]}
            for reason, count in report.bad.items()
        ],
        "changes": [vars(change) for change in changes],
        "notes": report.notes,
    }


def _print(report: Report, changes: list[Change], written: int, output: Path | None, extra: dict[str, int]) -> None:
    to_stderr = output is not None and str(output) == "-"

    def say(text: str) -> None:
        display.say(text, err=to_stderr)

    splits = " · ".join(f"{split} {count:,}" for split, count in report.splits.items())
    say(f"{report.dataset} · {report.examples:,} examples ({splits}) from {report.records:,} records")
    for reason, count in report.dropped.items():
        say(f"  dropped     {count:,}: {reason}")
    for reason, count in report.bad.items():
        say(f"  unreadable  {count:,}: {reason}; first at {report.first_bad[reason].removesuffix(': ' + reason)}")
    for change in changes:
        removed = ", ".join(f"{count:,} {reason}" for reason, count in change.removed.items()) or "nothing removed"
        say(f"  changed     {change.name}: {change.before:,} to {change.after:,} ({removed})")
    if not report.dropped and not report.bad:
        say("  dropped     nothing")
    for note in report.notes:
        say(f"  note        {note}")
    for what, count in extra.items():
        say(f"  {what:<11} {count:,} written")
    if output is None:
        say("Next: write them with -o examples.jsonl")
    elif not to_stderr:
        say(f"  written     {written:,} to {output}")
        say(f"Next: assay data render {output} --as FORM   (see assay data forms)")
