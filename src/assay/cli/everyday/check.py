"""`assay check`: a gate for continuous integration."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource

from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import advanced, new_command, section
from assay.cli.shared.load_systems import load_all, parse_margins
from assay.cli.shared.options import (
    NEW_FILE,
    PATH,
    ListOption,
    apart,
    cluster_option,
    data_options,
    json_option,
    named_numbers,
    order_option,
    refuse_idle,
    sequential_option,
)
from assay.errors import AssayError, UsageError
from assay.execution.request import ScoreRequest
from assay.execution.scoring import score_systems
from assay.metrics import MetricRequest
from assay.records import to_json
from assay.records.files import replacing
from assay.results.gate import check
from assay.results.ledger import enter
from assay.results.quality_check import QualityCheck
from assay.results.result import Result
from assay.results.sequential import Order
from assay.show.junit import Case, junit
from assay.store.run_manifest import EXAMPLES, is_run
from assay.store.saved_run import load_run

CODES = {"failed": 1, "undecided": 3}
ENDINGS = {
    "failed": "the check failed",
    "undecided": "the check is inconclusive; use more items or a wider margin, or accept it with --lenient",
}

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
@partial(data_options, counts_missing=True)
@section(
    "Statistics",
    click.option("--samples", type=click.IntRange(20), metavar="N", help="Number of resamples (default: 1000)."),
    cluster_option,
    sequential_option,
    click.option("--lenient", is_flag=True, help="Exit 0 instead of 3 if the result is inconclusive."),
    click.option(
        "--allow-missing",
        "missing_allowed",
        default="0",
        show_default=True,
        metavar="N|%",
        help="Items of the baseline that NEW may lack: a number or a percentage, e.g. 3 or 1%.",
    ),
)
@advanced(order_option)
@section(
    "Ledger",
    click.option(
        "--ledger",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Count the tries on this test set in FILE; the chance that any of them passes wrongly is at most 5 %.",
    ),
    click.option(
        "--tries",
        type=click.IntRange(1, 1000),
        help="Number of tries that share the 5 % (default: 20, then that of FILE).",
    ),
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
    sequential: bool,
    order: Order,
    lenient: bool,
    missing_allowed: str,
    ledger: Path | None,
    tries: int | None,
    junit_file: Path | None,
    summary: Path | None,
    as_json: bool,
    request: ScoreRequest,
) -> None:
    """Test that NEW is not worse than the baseline by the margin or more (non-inferiority test).

    Exit codes: 0 passes, 1 fails (a metric is worse, or items are missing), 3 is inconclusive, 2 is a wrong call or an
    unreadable file. NEW is an outputs file or a saved run. Against a saved run, an outputs file is scored with the
    metrics and examples of that run, unless others are named. With --ledger, a system that does not pass is told
    only that (exit code 1), without its scores, so that the next one cannot be fitted to the test set.
    """
    apart([junit_file, summary], [new, baseline, *request.files])
    if not sequential:
        refuse_idle(order="--sequential")
    elif click.get_current_context().get_parameter_source("missing_allowed") is ParameterSource.COMMANDLINE:
        raise UsageError("--allow-missing cannot be combined with --sequential: items still to come are not missing")
    if ledger is None:
        refuse_idle(tries="--ledger")
    elif sequential or lenient:
        raise UsageError(
            "--ledger cannot be combined with --sequential or --lenient: a try is tested once, and passes or not"
        )
    names = list(named_numbers(margin, "--margin"))
    if not names:
        raise UsageError("--margin: name at least one metric, e.g. chrf=0.5")
    try:
        old, scored = _load(new, baseline, names, request)
        checked = check(
            scored, old, parse_margins(margin, old), samples=samples, seed=request.resampling_seed, cluster=cluster,
            lenient=lenient, allow_missing=missing_allowed, sequential=order if sequential else None,
        )  # fmt: skip
        entry = None if ledger is None else enter(ledger, checked, tries, request.resampling_seed)
    except UsageError:
        raise
    except AssayError as error:  # exit code 1 is for a check that was made and failed
        raise UsageError(str(error)) from error
    if entry is not None and not entry.passed:
        _write(junit_file, junit(f"{scored.system} against {old.system}", [Case("ledger", entry.words(), "")]))
        _write(summary, f"### Quality check: failed\n\n{entry.words()}\n")
        if as_json:
            click.echo(to_json({"passed": False, "ledger": entry.record()}))
        sys.stdout.flush()
        say(f"assay: {entry.words()}", err=True)
        click.get_current_context().exit(1)
    _write(junit_file, junit(f"{scored.system} against {old.system}", _cases(checked)))
    _write(summary, checked.markdown())
    if as_json:
        click.echo(to_json(checked.to_dict() | ({} if entry is None else {"ledger": entry.record()})))
    else:
        print_tables(checked.table())
        if entry is not None:
            say(entry.words())
    warn([*checked.comparison.warnings, *scored.notes] if not as_json else [])
    if not checked.passed:
        sys.stdout.flush()
        say(f"assay: {checked.conclusion() if as_json else ENDINGS[checked.outcome]}", err=True)
        click.get_current_context().exit(CODES[checked.outcome])


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
    """Return a case for each metric and one for missing items, with the remarks."""
    failures = {each.name: each.why for each in checked.failures}
    cases = [Case(name, failures.get(name, ""), each.why) for name, each in checked.numbers.items()]
    words = checked.missing.words()
    return [*cases, Case("items", words if checked.missing.failed else "", " ".join([words, *checked.remarks]))]


def _write(path: Path | None, text: str) -> None:
    if path is not None:
        with replacing(path, "w") as stream:
            stream.write(text)
