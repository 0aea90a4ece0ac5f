"""`assay benchmark add`: add a task to a manifest."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.manifest import Task
from assay.benchmark.manifest_changes import add_task
from assay.cli.benchmark.manifest import edit, version_option, written_option
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ListOption, comma_separated
from assay.records.recognize import gem_name

EXAMPLE = """\b
Examples:
  assay benchmark add tides-1.toml news_test --examples news.jsonl --card news.md --metrics bleu,chrf --held-back rouge
  assay benchmark add tides-1.toml news_scrambled --challenge scramble --parent news_test --seed 1 --metrics bleu

\b
A manifest:
  name = "tides"
  version = "1"
  cards_at_least = 50.0
  [[tasks]]
  name = "news_test"
  examples = "news.jsonl"
  card = "news.md"
  metrics = ["bleu", "chrf"]
  held_back = ["rouge"]
"""


@new_command(epilog=EXAMPLE)
@click.argument("manifest", type=PATH)
@click.argument("name", metavar="TASK")
@click.option("--examples", "-e", default="", help="A file or DATASET:PATH, from the manifest's folder.")
@click.option("--card", default="", help="The data card, from the manifest's folder.")
@click.option("--metrics", "-m", cls=ListOption, help="What everybody sees.")
@click.option("--suite", help="Instead of metrics: a set of them.")
@click.option("--held-back", cls=ListOption, help="Metrics computed of submissions alone, and not shown to submitters.")
@click.option("--challenge", default="", help="Instead of examples: how those of --parent are altered.")
@click.option("--parent", default="", help="The task that a challenge set is made from.")
@click.option("--size", type=click.IntRange(1), default=500, show_default=True, help="Items of a challenge set.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For a challenge set.")
@click.option("--about", default="", help="A sentence about it.")
@click.option("--replace", is_flag=True, help="Put it in the place of the task of this name.")
@version_option
@written_option
def command(
    manifest: Path, name: str, examples: str, card: str, metrics: str | None, suite: str | None, held_back: str | None,
    challenge: str, parent: str, size: int, seed: int, about: str, replace: bool, version: str | None,
    output: Path | None,
) -> None:  # fmt: skip
    """Add TASK to MANIFEST, or replace the one of its name; of a frozen one a new version is begun."""
    task = Task(
        name=gem_name(name), about=about, examples=examples, card=card, suite=suite,
        metrics=list(comma_separated(metrics)), held_back=list(comma_separated(held_back)), challenge=challenge,
        parent=parent, size=size, seed=seed,
    )  # fmt: skip
    edit(manifest, version, output, lambda draft: add_task(draft, task, replace=replace))
