"""`assay data perceived`: texts that readers take for human-written, to train a generator on."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.errors import UsageError
from assay.execution.training.perceived_texts import perceived_texts
from assay.records import read_examples, to_json, write_jsonl

EXAMPLE = """\b
Examples:
  assay data perceived rated.jsonl --better lower -o perceived.jsonl
  assay data perceived texts.jsonl --model runs/perception -o silver.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@click.option("--criterion", metavar="NAME", default="", help="Criterion of the ratings (default: the only one).")
@click.option(
    "--threshold",
    metavar="VALUE",
    type=float,
    default=3.0,
    show_default=True,
    help="Mean rating between human and machine.",
)
@click.option("--better", type=click.Choice(["higher", "lower"]), help="Which ratings are human (required).")
@click.option("--model", type=PATH, help="Classifier (perception:target=perception) whose labels replace ratings.")
@click.option(
    "--words",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="First words that are the source.",
)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Training examples to write (JSONL).")
@json_option
def command(
    examples: Path,
    criterion: str,
    threshold: float,
    better: str | None,
    model: Path | None,
    words: int,
    output: Path,
    as_json: bool,
) -> None:
    """Write the texts of rated EXAMPLES that readers take for human-written, as training examples of a generator.

    The text is the reference, and its first words are the source. A text is human if its mean rating is on the human
    side of --threshold; one that equals --threshold is not.
    """
    apart([output], [examples])
    if (better is None) == (model is None):
        raise UsageError("give --better lower if low ratings are human (else higher), or --model for texts without any")
    chosen = perceived_texts(
        read_examples(examples).examples, criterion=criterion, threshold=threshold, better=better or "higher",
        model=str(model or ""), words=words,
    )  # fmt: skip
    write_jsonl(output, chosen.examples)
    if as_json:
        click.echo(to_json({"texts": chosen.texts, "human": chosen.human, "written": len(chosen.examples)}))
        return
    share = f"{chosen.human} of {counted(chosen.texts, 'text')}"
    click.echo(f"{share} are taken for human-written; {len(chosen.examples)} in {output}")
    click.echo(f"Next: assay system train causal:geppetto --train {output} --valid FILE -o FOLDER")
