"""`assay benchmark rescore`: score stored submissions again."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.submission_store import open_version, versions_in
from assay.cli.shared.display import counted, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, ListOption, json_option
from assay.cli.shared.work_options import work_options
from assay.errors import AssayError, UsageError
from assay.execution.executors import Executor
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay benchmark rescore store -m bertscore
  assay benchmark rescore store --benchmark tides-2.toml
"""
stored_version = click.option("--version", "version", help="Version in the store (default: the only one, or all).")


@new_command(epilog=EXAMPLE)
@click.argument("store", type=PATH)
@click.option("--metrics", "-m", cls=ListOption, help="Metrics to add, computed from the stored texts.")
@click.option("--benchmark", type=PATH, help="New version: score submissions on its unchanged tasks.")
@stored_version
@work_options
@json_option
def command(
    store: Path, metrics: str | None, benchmark: Path | None, version: str | None, executor: Executor, as_json: bool
) -> None:
    """Score the submissions in STORE with further metrics or under a new version.

    Without --metrics and --benchmark, submissions that are not yet scored are scored.
    """
    from assay.benchmark.rescoring import add_metrics_to_all, carry_over, score_pending

    if metrics and benchmark:
        raise UsageError("--metrics and --benchmark exclude each other: a version defines its metrics")
    if benchmark:
        done = carry_over(store, benchmark, executor)
    else:
        chosen = [open_version(store, version)] if version else list(versions_in(store))
        if not chosen:
            open_version(store)
        done = add_metrics_to_all(chosen, metrics, executor) if metrics else score_pending(chosen, executor)
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
