"""`assay metric convert`: published checkpoints of factuality metrics as folders that assay reads."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH

EXAMPLE = """\b
Examples:
  assay metric convert alignscore AlignScore-base.ckpt --base roberta-base -o alignscore-base
  assay metric convert hhem model.safetensors --base google/flan-t5-base -o hhem
  assay metric convert summac summac_conv_vitc_sent_perc_e.bin -o summac.safetensors
"""
NAMES = ("alignscore", "hhem", "summac")


@new_command(epilog=EXAMPLE)
@click.argument("metric", type=click.Choice(NAMES), metavar="METRIC")
@click.argument("checkpoint", type=PATH, metavar="FILE")
@click.option(
    "--base",
    default="",
    metavar="MODEL",
    help="Model with its configuration and tokenizer: folder or name (required for alignscore and hhem).",
)
@click.option("-o", "--output", type=PATH, required=True, help="Folder to write; a file for summac.")
def command(metric: str, checkpoint: Path, base: str, output: Path) -> None:
    """Convert a published checkpoint of METRIC (alignscore, hhem or summac) to what the metric reads.

    Weights are renamed, not changed. Of a pickle (.ckpt, .bin) only the tensors are read; no code in it is run.
    """
    from assay.metrics.faithfulness.conversion import convert

    convert(metric, checkpoint, base, output)
    option = "model=MODEL:conv" if metric == "summac" else "model"
    say(f"{output} · {metric}\nNext: assay score OUTPUTS -e EXAMPLES -m {metric}:{option}={output}")
