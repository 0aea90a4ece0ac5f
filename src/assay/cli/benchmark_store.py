"""`assay benchmark rescore|bundle`: what becomes of stored submissions."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.store import open_version, versions_in
from assay.benchmark.submission import is_day
from assay.cli.display import counted, say, warn
from assay.cli.options import NEW_FOLDER, PATH, ListOption, json_option
from assay.cli.work_options import work_options
from assay.errors import AssayError, UsageError
from assay.execution.executors import Executor
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay benchmark rescore store -m bertscore
  assay benchmark rescore store --benchmark tides-2.toml
  assay benchmark bundle store --version 1 -o tides.zip
"""
stored_version = click.option("--version", "version", help="Which version of the store; else the only one, or all.")


@click.command("rescore", epilog=EXAMPLE)
@click.argument("store", type=PATH)
@click.option("--metrics", "-m", cls=ListOption, help="Metrics to add, computed from the stored texts.")
@click.option("--benchmark", type=PATH, help="A new version: carry over the answers to tasks that it has unchanged.")
@stored_version
@work_options
@json_option
def rescore(
    store: Path, metrics: str | None, benchmark: Path | None, version: str | None, executor: Executor, as_json: bool
) -> None:
    """Score the submissions in STORE again, without their authors: by a metric more, or under a new version.

    Without either it goes on with what was taken and is not scored yet.
    """
    from assay.benchmark.rescoring import add_to_all, carry_over, go_on

    if metrics and benchmark:
        raise UsageError("--metrics: a new version says itself what is measured; give one of --metrics and --benchmark")
    if benchmark:
        done = carry_over(store, benchmark, executor)
    else:
        chosen = [open_version(store, version)] if version else list(versions_in(store))
        if not chosen:
            open_version(store)
        done = add_to_all(chosen, metrics, executor) if metrics else go_on(chosen, executor)
    failed = [each for each in done if each.why]
    if as_json:
        rows = [one._asdict() | {"why": one.why or None} for one in done]
        click.echo(to_json({"scored": len(done) - len(failed), "runs": rows}))
    else:
        submissions = counted(len({one.system for one in done}), "submission")
        say(f"{counted(len(done) - len(failed), 'run')} of {submissions} scored")
        warn(f"{one.version}: {one.system} on {one.task}: {one.why}" for one in failed)
    if failed:
        raise AssayError(
            f"{len(failed)} of {len(done)} runs could not be scored, {failed[0].task} first ({failed[0].why})"
        )


@click.command("bundle", epilog=EXAMPLE)
@click.argument("store", type=PATH)
@stored_version
@click.option("--output", "-o", type=NEW_FOLDER, required=True, help="A folder, or a file that ends in .zip.")
@click.option("--as-of", "day", help="What may be seen on this day, 2027-01-31; today if not said.")
@json_option
def bundle(store: Path, version: str | None, output: Path, day: str | None, as_json: bool) -> None:
    """Write what everybody may see of STORE: outputs, statistics, numbers and cards; `assay view` opens it.

    Submissions that are anonymous on that day stand under another name and without their card.
    """
    from assay.benchmark.bundle import write_bundle

    if day is not None and not is_day(day):
        raise UsageError(f"--as-of {day}: write a day, for instance 2027-01-31")
    chosen = open_version(store, version)
    records = write_bundle(chosen, output, day=day or "")
    if as_json:
        click.echo(to_json({"bundle": str(output), "benchmark": chosen.manifest.title, "submissions": len(records)}))
        return
    say(f"{output}: {chosen.manifest.title}, {counted(len(records), 'submission')}")
    say(f"Next: assay view {output}")
