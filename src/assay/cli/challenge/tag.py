"""`assay challenge tag`: contrast subsets of examples, and samples of them."""

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
@click.option("--rule", "rules", multiple=True, metavar="NAME", help="A contrast with its options; several add up.")
@click.option("--sample", "size", type=click.IntRange(1), help="Only so many items, drawn by chance and tagged sample.")
@click.option("--by", metavar="TAG", help="With --sample: in proportion to the values of this tag.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For --sample.")
@click.option("--sets", type=NEW_FILE, help="Also write the ids by tag and value to this JSON file, as GEM has them.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="The tagged examples, one JSON object a line.")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@json_option
def command(
    examples: Path, rules: tuple[str, ...], size: int | None, by: str | None, seed: int, sets: Path | None,
    output: Path, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Tag EXAMPLES by contrasts; `assay challenge subsets` lists them. Results can then be broken down with --by and --subset.

    With --sample some of the items are drawn instead, as train and validation samples are, to see how much of a score
    is lost on the way from what a system was trained on to the test set.
    """
    if not rules and size is None:
        raise UsageError("name a --rule (`assay challenge subsets` lists them), or how many items to --sample")
    if by and size is None:
        raise UsageError("--by goes with --sample")
    if sets and not rules:
        raise UsageError("--sets goes with --rule")
    apart([output, sets], [examples])
    for file in (output, sets):
        if file and file.exists() and not force:
            raise AssayError(f"{file}: is there already; give another file, or use --force")
    chosen = [contrast(rule) for rule in rules]
    before = read_examples(examples).examples
    items = before
    with with_location(examples, before):
        for each in chosen:
            items = tagged(each, items)
    found = counts(items, before)
    if rules and not found:
        raise AssayError(f"{examples}: no item was given a tag by {', '.join(rules)}")
    if size is not None:
        items = sample(items, size, seed=seed, by=by)
    write_jsonl(output, items)
    if sets:
        sets.write_bytes(msgspec.json.format(msgspec.json.encode(contrast_sets(items, list(found)))) + b"\n")
    if as_json:
        shown = {tag: {value: held[value] for value in in_order(sorted(held))} for tag, held in found.items()}
        click.echo(to_json({"examples": len(items), "tags": shown, "output": str(output)}))
        return
    if found:
        columns = [Column("tag", "left"), Column("value", "left"), Column("items")]
        rows: list[list[Content]] = [
            ["" if number else tag, value, held[value]]
            for tag, held in found.items()
            for number, value in enumerate(in_order(sorted(held)))
        ]
        print_tables(Table(columns, rows))
    fewer = f", all there are: fewer than {size:,}" if size is not None and len(before) < size else ""
    click.echo(f"{counted(len(items), 'example')} in {output}{fewer}")
    click.echo("Next: assay table OUTPUTS -e FILE --by TAG")
