"""`assay run`: a whole benchmark from one file."""

from __future__ import annotations

import re
from pathlib import Path

import click
import msgspec

from assay.cli.options import PATH, json_option
from assay.errors import AssayError, UsageError
from assay.records import to_json
from assay.runs.benchmark import run
from assay.runs.config import System, read_config
from assay.specs import did_you_mean

EXAMPLE = """\b
Examples:
  assay run sample
  assay run benchmark.toml -o results/mine --workers 2
  assay run examples/tesa.toml --only frequency --system hf:facebook/bart-large-cnn

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
@click.option("--only", multiple=True, metavar="NAME", help="Only these systems of the config; may be repeated.")
@click.option("--force", is_flag=True, help="Replace runs of other outputs that are in the folder.")
@json_option
def command(
    config: Path, output: Path | None, workers: int, more: tuple[str, ...], only: tuple[str, ...], force: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Score every system of CONFIG on every dataset. `sample` is the benchmark that comes with assay.

    It may be stopped at any time: the next call goes on where this one was.
    """
    settings, base = read_config(config)
    chosen = _chosen(settings.systems, only) if only else settings.systems
    if more:
        added = [System(name=re.sub(r"[^\w.+-]+", "-", spec).strip("-"), system=spec) for spec in more]
        settings = msgspec.structs.replace(settings, systems=[*settings.systems, *added])
        chosen = [*chosen, *added]
    names = {system.name for system in chosen}
    out = output or Path(settings.results or f"results/{settings.name}")
    benchmark = run(
        settings, base, out, only=names if only else None, workers=workers, force=force,
        say=lambda line: click.echo(line, err=as_json),
    )  # fmt: skip
    entries = [entry for entry in benchmark.entries if entry.system in names]
    missing = [entry for entry in entries if entry.why]
    done = len(entries) - len(missing)
    if as_json:
        runs = [
            {"dataset": entry.dataset, "system": entry.system, "path": str(out / entry.dataset / entry.system)}
            for entry in entries
            if entry.why is None
        ]
        failed = [{"dataset": entry.dataset, "system": entry.system, "why": entry.why} for entry in missing]
        click.echo(to_json({"name": benchmark.name, "results": str(out), "runs": runs, "failed": failed}))
    else:
        click.echo(f"{done} of {len(entries)} runs in {out}")
        click.echo(f"Next: assay report {out} -o {out}/report.html")
    if not done:
        raise AssayError(f"{config}: nothing could be scored ({missing[0].why})")
    if wrong := [entry for entry in missing if entry.failed]:
        raise AssayError(
            f"{config}: {len(wrong)} of {len(entries)} runs failed, {wrong[0].system} on {wrong[0].dataset} "
            f"first ({wrong[0].why}); the others are in {out}, and the same command goes on"
        )


def _chosen(systems: list[System], names: tuple[str, ...]) -> list[System]:
    """Systems by their own name or that of the entry they are a run of."""
    known = dict.fromkeys(name for system in systems for name in (system.group or system.name, system.name))
    for name in names:
        if name not in known:
            raise UsageError(f"--only {name}: no such system{did_you_mean(name, known)}; there is {', '.join(known)}")
    return [system for system in systems if {system.name, system.group} & {*names}]
