"""`assay train`: a model from examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
  assay train classifier:nli --train train.jsonl --valid dev.jsonl --test test.jsonl -o runs/nli
  assay train similarity:bi --train train.jsonl --valid dev.jsonl --test test.jsonl -o runs/sts
"""


@click.command(epilog=EXAMPLE)
@click.argument("name")
@click.option("--train", "train_file", type=PATH, required=True, help="Examples with references to learn from.")
@click.option("--valid", "valid_file", type=PATH, required=True, help="Examples that decide which epoch is kept.")
@click.option("--test", "test_file", type=PATH, help="For similarity and classifier:nli: pairs to test it on.")
@click.option("--as", "form", metavar="FORM", help="How inputs are written; `assay forms` lists them.")
@click.option("--output", "-o", type=PATH, required=True, help="Folder of the model.")
@trust_option
@json_option
def command(
    name: str, train_file: Path, valid_file: Path, test_file: Path | None, form: str | None, output: Path, as_json: bool
) -> None:
    """Train NAME: seq2seq, causal, classifier, filter or similarity, with a preset and options (seq2seq:tiny:epochs=3).

    Presets are the papers' recipes and the sizes tiny and small, which begin from chance and train on a CPU. A
    training that was killed goes on where it was, to the same losses. `assay systems train` lists every option.
    """
    apart([output], [train_file, valid_file, *([test_file] if test_file else [])])
    kind, recipe = read_recipe(name)
    train, valid = read_examples(train_file).examples, read_examples(valid_file).examples
    test = read_examples(test_file).examples if test_file else None
    trained = train_model(kind, recipe, train, valid, output, form, lambda line: say(line, err=as_json), test)
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
    for row in trained.get("test", ()):
        click.echo(_tested(row))
    reader = "cross_encoder" if recipe.reads == "together" else "embedding"
    following = {
        "classifier": f"assay rank EXAMPLES --system classifier:{output} -o FILE",
        "similarity": f"assay score OUTPUTS -r REFERENCES -m {reader}:model={output}",
        "filter": f"assay filter EXAMPLES --strategy {output} --budget 512 -o FILE",
    }
    if recipe.labels == "entailment":
        following["classifier"] = f"assay score OUTPUTS -r REFERENCES -m nli:model={output}"
    click.echo(f"Next: {following.get(kind, f'assay generate EXAMPLES --system hf:{output} -o FILE')}")


def _tested(row: dict[str, Any]) -> str:
    """`  mnli  n 1954  accuracy .701 (.680 to .721)  ...`"""
    said = []
    for name, value in row.items():
        if value is None:
            said.append(f"{name} undefined (all values are alike)")
        elif isinstance(value, float) and not name.endswith(("_low", "_high")):
            low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
            said.append(f"{name} {value:.3f}" + (f" ({low:.3f} to {high:.3f})" if low is not None else ""))
    return f"  {row['set']:<12} n {row['n']}   " + "   ".join(said)
