"""Options and steps shared by the commands that edit a manifest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from assay.benchmark.manifest import BenchmarkManifest, read_manifest, write_manifest
from assay.benchmark.manifest_changes import next_version
from assay.cli.shared.display import counted, say
from assay.cli.shared.options import NEW_FILE
from assay.errors import UsageError

version_option = click.option("--version", "version", help="New version name, if the manifest is frozen.")
written_option = click.option(
    "--output", "-o", type=NEW_FILE, help="File to write (default: a draft is edited in place)."
)

MANIFEST = """\b
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
"""Example of a manifest, for help texts."""


def edit(
    path: Path, version: str | None, output: Path | None, change: Callable[[BenchmarkManifest], BenchmarkManifest]
) -> None:
    before = read_manifest(path)
    if before.is_frozen and (output is None or output.exists()):
        raise UsageError(f"{path} is frozen. Write the new version to another file with -o.")
    changed = change(next_version(before, version))
    write_manifest(output or path, changed)
    say(f"{output or path} · {changed.title} · {counted(len(changed.tasks), 'task')}, not frozen yet")
