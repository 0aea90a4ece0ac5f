"""`assay challenge tag`: tag items for contrast subsets, or draw a sample."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from assay.challenges.contrast import contrast, contrast_sets, tagged
from assay.challenges.contrast.base import counts
from assay.challenges.sampling import sample
from assay.cli.shared.display import counted, print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.errors import AssayError, UsageError
from assay.records import read_examples, to_json, write_jsonl
from assay.records.error_locations import with_location
from assay.results.index import in_order
from assay.show.tables import Column, Content, Table

EXAMPLE = """\b
Examples:
  assay challenge tag webnlg-test.jsonl --rule shape --rule seen:train=webnlg-train.jsonl -o tagged.jsonl
  assay challenge tag news.jsonl --rule 'rule:expression=words(source) > 300:tag=long' -o long.jsonl
  assay challenge tag webnlg-train.jsonl --sample 500 -o train-sample.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@click.option("--rule", "rules", multiple=True, metavar="NAME", help="Rule with options. Repeatable.")
@click.option(
    "--sample", "size", type=click.IntRange(1), help="Number of items to sample at random; they are tagged sample."
)
@click.option("--by", metavar="TAG", help="With --sample: sample in proportion to the values of this tag.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of --sample.")
@click.option("--sets", type=NEW_FILE, help="Write ids by tag and value to this JSON file, in the format of GEM.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Tagged examples to write (JSONL).")
@click.option("--force", is_flag=True, help="Replace existing files.")
@json_option
def command(
    examples: Path, rules: tuple[str, ...], size: int | None, by: str | None, seed: int, sets: Path | None,
    output: Path, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Tag EXAMPLES by rules (see `assay challenge subsets`), for results by --by and --subset.

    With --sample, a random sample is written instead, e.g. of training data, to measure how scores differ between
    training and test data.
    """
    if not rules and size is None:
        raise UsageError("pass --rule (see `assay challenge subsets`) or --sample")
    if by and size is None:
        raise UsageError("--by requires --sample")
    if sets and not rules:
        raise UsageError("--sets requires --rule")
    apart([output, sets], [examples])
    for file in (output, sets):
        if file and file.exists() and not force:
            raise AssayError(f"{file}: already exists. Pass another file, or --force.")
    chosen = [contrast(rule) for rule in rules]
    before = read_examples(examples).examples
    items = before
    with with_location(examples, before):
        for each in chosen:
            items = tagged(each, items)
    by_tag = counts(items, before)
    if rules and not by_tag:
        raise AssayError(f"{examples}: no item is tagged by {', '.join(rules)}")
    if size is not None:
        items = sample(items, size, seed=seed, by=by)
    write_jsonl(output, items)
    if sets:
        sets.write_bytes(msgspec.json.format(msgspec.json.encode(contrast_sets(items, list(by_tag)))) + b"\n")
    if as_json:
        shown = {
            tag: {value: items_by_value[value] for value in in_order(sorted(items_by_value))}
            for tag, items_by_value in by_tag.items()
        }
        click.echo(to_json({"examples": len(items), "tags": shown, "output": str(output)}))
        return
    if by_tag:
        columns = [Column("tag", "left"), Column("value", "left"), Column("items")]
        rows: list[list[Content]] = [
            ["" if number else tag, value, items_by_value[value]]
            for tag, items_by_value in by_tag.items()
            for number, value in enumerate(in_order(sorted(items_by_value)))
        ]
        print_tables(Table(columns, rows))
    fewer = f", all of them: fewer than {size:,}" if size is not None and len(before) < size else ""
    click.echo(f"{counted(len(items), 'example')} in {output}{fewer}")
    click.echo("Next: assay table OUTPUTS -e FILE --by TAG")
