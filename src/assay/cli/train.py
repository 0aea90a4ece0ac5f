"""`assay train`: a model from examples."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.display import say
from assay.cli.options import PATH, apart, json_option, trust_option
from assay.records import read_examples, to_json
from assay.runs.training import read_recipe, train_model
from assay.systems.neural.training_folder import CURVE

EXAMPLE = """\b
Examples:
  assay train seq2seq:tiny:epochs=8 --train train.jsonl --valid dev.jsonl -o runs/tiny
  assay train seq2seq:eks-bart:seed=1338 --train train.jsonl --valid dev.jsonl -o runs/bart-1338
  assay train causal:tiny:epochs=8 --train train.jsonl --valid dev.jsonl -o runs/causal
  assay train classifier:tiny:select=map --train train.jsonl --valid dev.jsonl -o runs/pairs
  assay train filter:tiny --train train.jsonl --valid dev.jsonl -o runs/filter
  assay train extractor --train muc4-train.jsonl --valid muc4-dev.jsonl -o runs/extractor
"""


@click.command(epilog=EXAMPLE)
@click.argument("name")
@click.option("--train", "train_file", type=PATH, required=True, help="Examples with references to learn from.")
@click.option("--valid", "valid_file", type=PATH, required=True, help="Examples that decide which epoch is kept.")
@click.option("--as", "form", metavar="FORM", help="How inputs are written; `assay forms` lists them.")
@click.option("--output", "-o", type=PATH, required=True, help="Folder of the model.")
@trust_option
@json_option
def command(name: str, train_file: Path, valid_file: Path, form: str | None, output: Path, as_json: bool) -> None:
    """Train NAME: seq2seq, causal, classifier, filter or extractor, with a preset and options (seq2seq:eks-bart).

    Presets are the papers' recipes and the sizes tiny and small, which begin from chance and train on a CPU. A
    training that was killed goes on where it was, to the same losses. `assay systems train` lists every option.
    """
    apart([output], [train_file, valid_file])
    kind, recipe = read_recipe(name)
    train, valid = read_examples(train_file).examples, read_examples(valid_file).examples
    trained = train_model(kind, recipe, train, valid, output, form, lambda line: say(line, err=as_json))
    if as_json:
        click.echo(to_json(trained))
        return
    resumed = f", resumed at step {trained['resumed']}" if trained["resumed"] else ""
    click.echo(
        f"{name} · {trained['epochs']} epochs, {trained['steps']} steps{resumed} · "
        f"best epoch {trained['best_epoch']} ({recipe.select} {trained['selected']:.4f}) · {trained['seconds']:.0f} s"
    )
    if (output / CURVE).exists():
        click.echo(f"  curve        {output / CURVE}")
    following = {
        "classifier": f"assay rank EXAMPLES --system classifier:{output} -o FILE",
        "extractor": f"assay score OUTPUTS --examples EXAMPLES --metrics ceaf_ree:extractor={output}",
        "filter": f"assay filter EXAMPLES --strategy {output} --budget 512 -o FILE",
    }
    click.echo(f"Next: {following.get(kind, f'assay generate EXAMPLES --system hf:{output} -o FILE')}")
