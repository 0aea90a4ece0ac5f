"""`assay check`: a gate for continuous integration."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command, section
from assay.cli.shared.load_systems import load_all, plain_margins
from assay.cli.shared.options import (
    NEW_FILE,
    PATH,
    ListOption,
    apart,
    data_options,
    json_option,
    named_numbers,
)
from assay.errors import AssayError, UsageError
from assay.execution.request import ScoreRequest
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
@click.option(
    "--baseline", "-b", type=PATH, required=True, metavar="RUN", help="Baseline: a saved run, or an outputs file."
)
@click.option(
    "--margin",
    cls=ListOption,
    required=True,
    metavar="NAME=X,…",
    help="Largest acceptable loss per metric, on the scale of tables, e.g. rouge1=1,chrf=0.5.",
)
@data_options
@section(
    "Statistics",
    click.option("--samples", type=click.IntRange(20), metavar="N", help="Number of resamples (default: 1000)."),
    click.option(
        "--cluster", metavar="KEY", help="Resample whole clusters of items that share this field, e.g. parent."
    ),
    click.option("--lenient", is_flag=True, help="Fail only if a loss beyond the margin is significant."),
)
@section(
    "Output",
    click.option("--junit", "junit_file", type=NEW_FILE, metavar="FILE", help="Write JUnit XML: one case per metric."),
    click.option("--summary", type=NEW_FILE, metavar="FILE", help="Write a Markdown summary for a pull request."),
    json_option,
)
def command(
    new: Path,
    baseline: Path,
    margin: str,
    samples: int | None,
    cluster: str | None,
    lenient: bool,
    junit_file: Path | None,
    summary: Path | None,
    as_json: bool,
    request: ScoreRequest,
) -> None:
    """Exit 1 unless NEW is shown to be not worse than the baseline by the margin (non-inferiority test).

    NEW is an outputs file or a saved run. Against a saved run, an outputs file is scored with the metrics and examples
    of that run, unless others are named. A metric passes if its confidence interval excludes a loss of the margin.
    """
    apart([junit_file, summary], [new, baseline, *request.files])
    names = list(named_numbers(margin, "--margin"))
    if not names:
        raise UsageError("--margin: name at least one metric, e.g. chrf=0.5")
    old, scored = _load(new, baseline, names, request)
    margins = plain_margins(margin, old)
    checked = check(
        scored, old, margins, samples=samples, seed=request.resampling_seed, cluster=cluster, lenient=lenient
    )
    _write(junit_file, junit(f"{scored.system} against {old.system}", _cases(checked)))
    _write(summary, checked.markdown())
    if as_json:
        click.echo(to_json(checked.to_dict()))
    else:
        print_tables(checked.table())
    warn([*checked.comparison.warnings, *scored.notes] if not as_json else [])
    if not checked.passed:
        sys.stdout.flush()
        raise AssayError(checked.conclusion() if as_json else "quality fell, or may have fallen, beyond the margin")


def _load(new: Path, baseline: Path, names: list[str], request: ScoreRequest) -> tuple[Result, Result]:
    """Return baseline and new system; a saved baseline gives metrics and examples, unless others are named."""
    if is_run(baseline) and not new.is_dir():
        old, scored = _like_baseline(new, baseline, names, request)
    else:
        if request.metrics is None and request.suite is None and not (is_run(new) and is_run(baseline)):
            request = request.but(metrics=",".join(names))
        old, scored = load_all([baseline, new], request)
    if old.system == scored.system:
        old = replace(old, system=f"{old.system} (baseline)")
    return old, scored


def _like_baseline(new: Path, baseline: Path, names: list[str], request: ScoreRequest) -> tuple[Result, Result]:
    old = load_run(baseline, request.metric_names)
    requests: list[MetricRequest] = []
    for name in names:
        if name not in old.parts:
            raise UsageError(f"--margin {name}: not in {baseline}, which has {', '.join(old.shown)}")
        if (metric := old.parts[name][0].request) not in requests:
            requests.append(metric)
    request = request.but(requests=requests)
    if not request.files:
        saved = (folder / EXAMPLES for folder in (baseline, baseline.parent))
        request = request.but(examples=next((path for path in saved if path.is_file()), None))
    (scored,) = score_systems([new], request)
    return old, scored


def _cases(checked: QualityCheck) -> list[Case]:
    failures = {each.name: each.why for each in checked.failures}
    return [Case(name, failures.get(name, ""), each.why) for name, each in checked.numbers.items()]


def _write(path: Path | None, text: str) -> None:
    if path is not None:
        with replacing(path, "w") as stream:
            stream.write(text)
