"""`assay run`: evaluate datasets x systems from one config file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import click

from assay.cli.shared.display import say
from assay.cli.shared.help import CommandWithVerbs, new_command
from assay.cli.shared.options import PATH, FolderOrUrl, json_option, trust_option
from assay.cli.shared.work_options import work_options
from assay.errors import AssayError
from assay.execution.executors import Executor
from assay.execution.run_config import run_config
from assay.records import to_json
from assay.records.remote import is_url

EXAMPLE = """\b
Examples:
  assay run sample
  assay run benchmark.toml -o results/mine --workers 2
  assay run benchmark.toml --plan
  assay run benchmark.toml -o results/mine --engine ray --progress json:progress.jsonl
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
  name = "lead"
  system = "lead:k={k}"
  [systems.matrix]
  k = [1, 2, 3]
"""


class RunCommand(CommandWithVerbs):
    """`assay run CONFIG`, and `assay run status RESULTS`."""

    verbs: ClassVar = {"status": "assay.cli.everyday.run_status"}


@new_command(cls=RunCommand, epilog=EXAMPLE)
@click.argument("config", type=PATH)
@click.option("--output", "-o", type=FolderOrUrl(path_type=Path), help="Results folder (default: results/NAME).")
@work_options
@click.option("--system", "more", multiple=True, help="Further system, e.g. hf:facebook/bart-large-cnn. Repeatable.")
@click.option("--only", multiple=True, metavar="NAME", help="Systems of the config to run (default: all). Repeatable.")
@click.option("--force", is_flag=True, help="Generate and compute again; replace existing runs.")
@click.option("--changed", is_flag=True, help="Replace only runs whose outputs, examples or settings changed.")
@click.option(
    "--plan", is_flag=True, help="Show what would be computed, reused and skipped, and the time; compute nothing."
)
@trust_option
@json_option
def command(
    config: Path, output: Path | str | None, executor: Executor, more: tuple[str, ...], only: tuple[str, ...],
    force: bool, changed: bool, plan: bool, as_json: bool,
) -> None:  # fmt: skip
    """Evaluate every system of CONFIG on every dataset. `sample` is the embedded sample.

    After an interruption, the same command resumes. `assay run status RESULTS` shows the state of the runs.
    """
    if plan:
        from assay.cli.everyday.plan_output import print_plan
        from assay.execution.plan import plan_config

        planned = plan_config(config, output, more=more, only=only, force=force, changed=changed)
        print_plan(planned, executor, as_json)
        return
    folder = run_config(
        config, output, more=more, only=only, executor=executor, force=force, changed=changed,
        say=lambda line: say(line, err=as_json),
    )  # fmt: skip
    out, manifest, missing = folder.place, folder.manifest, folder.missing
    entries = manifest.entries
    done = len(entries) - len(missing)
    if as_json:
        runs = [
            {"dataset": entry.dataset, "system": entry.system, "path": f"{out}/{entry.dataset}/{entry.system}"}
            for entry in entries
            if entry.why is None
        ]
        failed = [{"dataset": entry.dataset, "system": entry.system, "why": entry.why} for entry in missing]
        click.echo(to_json({"name": manifest.name, "results": out, "runs": runs, "failed": failed}))
    else:
        click.echo(f"{done} of {len(entries)} runs in {out}")
        click.echo(f"Next: assay report {out} -o {'report.html' if is_url(out) else f'{out}/report.html'}")
    if not done:
        raise AssayError(f"{config}: nothing could be scored ({missing[0].why})")
    if wrong := [entry for entry in missing if entry.failed]:
        raise AssayError(
            f"{config}: {len(wrong)} of {len(entries)} runs failed, {wrong[0].system} on {wrong[0].dataset} "
            f"first ({wrong[0].why}); the others are in {out}, and the same command resumes"
        )
