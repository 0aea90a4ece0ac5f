"""`assay check`: a gate for continuous integration."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.load_systems import data_of, load_all, plain_margins
from assay.cli.shared.options import (
    NEW_FILE,
    PATH,
    ListOption,
    apart,
    data_files,
    data_options,
    json_option,
    named_numbers,
)
from assay.errors import AssayError, UsageError
from assay.execution.scoring import score_systems
from assay.metrics import MetricRequest
from assay.records import to_json
from assay.records.files import replacing
from assay.results.gate import QualityCheck, check
from assay.results.result import Result
from assay.show.junit import Case, junit
from assay.store.run_manifest import EXAMPLES, is_run
from assay.store.saved_run import load_run

EXAMPLE = """\b
Examples:
  assay check new.jsonl --baseline runs/released --margin chrf=0.5,rouge1=1
  assay check runs/new --baseline runs/released --margin chrf=0.5 --junit check.xml --summary check.md
  assay check new.jsonl --baseline old.jsonl -r references.jsonl --margin bleu=0.5
"""


@new_command(epilog=EXAMPLE)
@click.argument("new", type=PATH)
@click.option("--baseline", "-b", type=PATH, required=True, help="What it is held against: a saved run, or outputs.")
@click.option(
    "--margin",
    cls=ListOption,
    required=True,
    metavar="NAME=X,…",
    help="What loss does not matter, by number, as tables show them (rouge1=1,chrf=0.5).",
)
@data_options
@click.option("--samples", type=click.IntRange(20), help="Resamples; 1000 if not said.")
@click.option("--cluster", metavar="KEY", help="Draw items that share this property together, e.g. parent.")
@click.option("--lenient", is_flag=True, help="Fail only where a loss of the margin is sure, not where it is possible.")
@click.option("--junit", "junit_file", type=NEW_FILE, help="Also write JUnit's XML: a case for each number.")
@click.option("--summary", type=NEW_FILE, help="Also write Markdown that a pull request can show.")
@json_option
def command(
    new: Path,
    baseline: Path,
    margin: str,
    samples: int | None,
    cluster: str | None,
    lenient: bool,
    junit_file: Path | None,
    summary: Path | None,
    seed: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Exit 1 unless NEW is shown not to be worse than the baseline by the margin or more.

    NEW is an outputs file or a saved run. Held against a saved run, an outputs file is scored with that run's metrics
    and examples if none are named. A number passes when the worse end of its interval lies within the margin.
    """
    apart([junit_file, summary], [new, baseline, *data_files(options)])
    names = list(named_numbers(margin, "--margin"))
    if not names:
        raise UsageError("--margin: name one number or more, e.g. chrf=0.5")
    old, found = _load(new, baseline, names, options)
    checked = check(
        found, old, plain_margins(margin, old), samples=samples, seed=seed or 0, cluster=cluster, lenient=lenient
    )
    _write(junit_file, junit(f"{found.system} against {old.system}", _cases(checked)))
    _write(summary, checked.markdown())
    if as_json:
        click.echo(to_json(checked.to_dict()))
    else:
        print_tables(checked.table())
    warn([*checked.comparison.warnings, *found.notes] if not as_json else [])
    if not checked.passed:
        sys.stdout.flush()
        raise AssayError(checked.conclusion() if as_json else "quality fell, or may have fallen, beyond the margin")


def _load(new: Path, baseline: Path, names: list[str], options: dict[str, Any]) -> tuple[Result, Result]:
    """The baseline and the new system, which takes metrics and examples from a saved baseline if none are named."""
    if is_run(baseline) and not new.is_dir():
        old, found = _like_baseline(new, baseline, names, options)
    else:
        if options["metrics"] is None and options["suite"] is None and not (is_run(new) and is_run(baseline)):
            options = {**options, "metrics": ",".join(names)}
        old, found = load_all([baseline, new], options)
    if old.system == found.system:
        old = replace(old, system=f"{old.system} (baseline)")
    return old, found


def _like_baseline(new: Path, baseline: Path, names: list[str], options: dict[str, Any]) -> tuple[Result, Result]:
    old = load_run(baseline, options["metrics"])
    requests: list[MetricRequest] = []
    for name in names:
        if name not in old.parts:
            raise UsageError(f"--margin {name}: {baseline} has no such number; there are {', '.join(old.shown)}")
        if (request := old.parts[name][0].request) not in requests:
            requests.append(request)
    data = data_of(options)
    if not data_files(options):
        kept = (folder / EXAMPLES for folder in (baseline, baseline.parent))
        data["examples"] = next((path for path in kept if path.is_file()), None)
    (found,) = score_systems([new], requests, executor=options["executor"], **data)
    return old, found


def _cases(checked: QualityCheck) -> list[Case]:
    failures = {each.name: each.why for each in checked.failures}
    return [Case(name, failures.get(name, ""), each.why) for name, each in checked.numbers.items()]


def _write(path: Path | None, text: str) -> None:
    if path is not None:
        with replacing(path, "w") as stream:
            stream.write(text)
