"""`assay benchmark add`: add a task to a manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.benchmark.manifest import Task
from assay.benchmark.manifest_changes import add_task
from assay.cli.benchmark.manifest import MANIFEST, edit, version_option, written_option
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ListOption, comma_separated
from assay.records.recognize import gem_name

EXAMPLE = """\b
Examples:
  assay benchmark add tides-1.toml news_test --examples news.jsonl --card news.md --metrics bleu,chrf --held-back rouge
  assay benchmark add tides-1.toml news_scrambled --challenge scramble --parent news_test --seed 1 --metrics bleu

"""

VISIBLE = click.Choice(["public", "signed-in", "hidden"])
SHOWN = "Who may read the {} on a server (default: hidden for a test split with --held-back, else public)."


@new_command(epilog=EXAMPLE + MANIFEST)
@click.argument("manifest", type=PATH)
@click.argument("name", metavar="TASK")
@click.option("--examples", "-e", default="", help="Examples: a file or DATASET:PATH, relative to the manifest.")
@click.option("--card", default="", help="Data card, relative to the manifest.")
@click.option("--metrics", "-m", cls=ListOption, help="Public metrics.")
@click.option("--suite", help="Suite of metrics, instead of --metrics.")
@click.option(
    "--held-back", cls=ListOption, help="Held-back metrics: computed for submissions, not shown to submitters."
)
@click.option("--show-references", type=VISIBLE, help=SHOWN.format("references"))
@click.option("--show-inputs", type=VISIBLE, help=SHOWN.format("inputs"))
@click.option("--challenge", default="", help="Perturbation of the examples of --parent, instead of --examples.")
@click.option("--parent", default="", help="Task that the challenge set is made from.")
@click.option(
    "--size", type=click.IntRange(1), default=500, show_default=True, help="Maximum number of items of a challenge set."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of a challenge set.")
@click.option("--about", default="", help="One-sentence description.")
@click.option("--replace", is_flag=True, help="Replace the task of the same name.")
@version_option
@written_option
def command(
    manifest: Path, name: str, examples: str, card: str, metrics: str | None, suite: str | None, held_back: str | None,
    show_references: Any, show_inputs: Any, challenge: str, parent: str, size: int, seed: int, about: str,
    replace: bool, version: str | None, output: Path | None,
) -> None:  # fmt: skip
    """Add TASK to MANIFEST; a frozen manifest gives a new version."""
    task = Task(
        name=gem_name(name), about=about, examples=examples, card=card, suite=suite,
        metrics=list(comma_separated(metrics)), held_back=list(comma_separated(held_back)),
        show_references=show_references or "", show_inputs=show_inputs or "", challenge=challenge, parent=parent,
        size=size, seed=seed,
    )  # fmt: skip
    edit(manifest, version, output, lambda draft: add_task(draft, task, replace=replace))
