"""`assay run`: a whole benchmark from one file."""

from __future__ import annotations

import re
from pathlib import Path

import click
import msgspec

from assay.cli.options import PATH, json_option
from assay.errors import AssayError
from assay.records import to_json
from assay.results.benchmark import run
from assay.results.config import System, read_config

EXAMPLE = """\b
Examples:
  assay run sample
  assay run benchmark.toml -o results/mine --workers 2

\b
A config:
  name = "mine"
  [[datasets]]
  name = "news"
  examples = "news.jsonl"
  suite = "summarization"
  [[systems]]
  name = "bart"
  outputs = "bart/{dataset}.jsonl"
  [[systems]]
  name = "lead-3"
  system = "lead:k=3"
"""


@click.command(epilog=EXAMPLE)
@click.argument("config", type=PATH)
@click.option("--output", "-o", type=PATH, help="The results folder; results/NAME if not said.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to use.")
@click.option("--system", "more", multiple=True, help="One more system, e.g. a hub model: hf:facebook/bart-large-cnn.")
@click.option("--force", is_flag=True, help="Replace runs of other outputs that are in the folder.")
@json_option
def command(config: Path, output: Path | None, workers: int, more: tuple[str, ...], force: bool, as_json: bool) -> None:
    """Score every system of CONFIG on every dataset. `sample` is the benchmark that comes with assay.

    It may be stopped at any time: the next call goes on where this one was.
    """
    settings, base = read_config(config)
    if more:
        added = [System(name=re.sub(r"[^\w.+-]+", "-", spec).strip("-"), system=spec) for spec in more]
        settings = msgspec.structs.replace(settings, systems=[*settings.systems, *added])
    out = output or Path(settings.results or f"results/{settings.name}")
    benchmark = run(settings, base, out, workers=workers, force=force, say=lambda line: click.echo(line, err=as_json))
    missing = [entry for entry in benchmark.entries if entry.why]
    done = len(benchmark.entries) - len(missing)
    if as_json:
        runs = [
            {"dataset": entry.dataset, "system": entry.system, "path": str(out / entry.dataset / entry.system)}
            for entry in benchmark.entries
            if entry.why is None
        ]
        failed = [{"dataset": entry.dataset, "system": entry.system, "why": entry.why} for entry in missing]
        click.echo(to_json({"name": benchmark.name, "results": str(out), "runs": runs, "failed": failed}))
    else:
        click.echo(f"{done} of {len(benchmark.entries)} runs in {out}")
        click.echo(f"Next: assay report {out} -o {out}/report.html")
    if not done:
        raise AssayError(f"{config}: nothing could be scored ({missing[0].why})")
