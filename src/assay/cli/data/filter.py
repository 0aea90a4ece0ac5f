"""`assay data filter`: select the source sentences that a model reads."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option, refuse_idle, trust_option
from assay.execution.filtering import Filter
from assay.inputs.schema import schema_name
from assay.progress import track
from assay.records import read_examples, to_json, write_jsonl
from assay.records.error_locations import with_location
from assay.text.sentences import Splitter

EXAMPLE = """\b
Examples:
  assay data filter documents.jsonl --strategy lead --budget 512 -o lead.jsonl
  assay data filter documents.jsonl --strategy oracle --budget 512 --tokenizer facebook/bart-large -o oracle.jsonl
  assay data filter documents.jsonl --strategy runs/filter --budget 512 -o learned.jsonl
  assay data filter documents.jsonl --strategy scores.jsonl --budget 512 -o mine.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@click.option(
    "--strategy",
    required=True,
    metavar="lead|oracle|PATH",
    help="lead, oracle, or PATH of a trained filter or of JSONL with one score per sentence.",
)
@click.option("--budget", type=click.IntRange(1), required=True, help="Maximum number of tokens to keep.")
@click.option(
    "--tokenizer",
    default="whitespace",
    show_default=True,
    help="Tokenizer of the budget: whitespace, whitespace+2, or a model name.",
)
@click.option(
    "--splitter", type=click.Choice(get_args(Splitter)), default="multilingual", show_default=True,
    help="Sentence splitter for sources that are not lists of sentences.",
)  # fmt: skip
@click.option(
    "--schema",
    metavar="FILE",
    help="For oracle: markers of the references, name or file (default: the examples' tag `schema`, or FOMC).",
)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Examples with shortened sources (JSONL).")
@trust_option
@json_option
def command(
    examples: Path, strategy: str, budget: int, tokenizer: str, splitter: Splitter, schema: str | None,
    output: Path, as_json: bool,
) -> None:  # fmt: skip
    """Shorten the source of each example to whole sentences within a budget, in document order.

    The oracle uses the references: for training and upper bounds only.
    """
    apart([output], [examples, Path(strategy)])
    if strategy != "oracle":
        refuse_idle(schema="--strategy oracle")
    items = read_examples(examples).examples
    named = schema_name(items, schema or "", examples.parent) if strategy == "oracle" else ""
    work = Filter(strategy, budget, tokenizer, splitter, named).shortening()
    with with_location(examples, items):
        written = write_jsonl(output, track(work.each(items), "filtering", len(items)))
    counts = {name: work.counts[name] for name in ("sentences", "kept", "over_budget")}
    if as_json:
        click.echo(
            to_json({"examples": written, "strategy": strategy, "budget": budget, "tokenizer": tokenizer} | counts)
        )
        return
    click.echo(f"{written:,} sources · {counts['kept']:,} of {counts['sentences']:,} sentences kept by {strategy}")
    if counts["over_budget"]:
        click.echo(f"  over budget {counts['over_budget']:,}: the first sentence alone exceeds the budget and was kept")
