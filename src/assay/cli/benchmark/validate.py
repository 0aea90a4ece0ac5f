"""`assay benchmark validate`: validate a submission."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.cards.card import read_card
from assay.benchmark.freezing import frozen_examples
from assay.benchmark.submission import read_submission
from assay.benchmark.validation import Validation, validate
from assay.cli.shared.display import counted, say
from assay.cli.shared.findings import print_findings
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option, parse_tasks, task_option
from assay.errors import UsageError
from assay.execution.loading import read_examples
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay benchmark validate submission.json
  assay benchmark validate submission.json --task web_nlg_en_test=web_nlg_en:webnlg/test --card model.md
  assay benchmark validate submission.json --task news_test=news.jsonl --card model.md --json
  assay benchmark validate submission.json --benchmark tides-1.toml --card model.md
"""


@new_command(epilog=EXAMPLE)
@click.argument("submission", type=PATH)
@task_option
@click.option("--benchmark", type=PATH, help="Frozen manifest of the benchmark.")
@click.option("--card", type=PATH, help="Model card (default: model_card in the submission).")
@json_option
def command(submission: Path, tasks: tuple[str, ...], benchmark: Path | None, card: Path | None, as_json: bool) -> None:
    """Validate SUBMISSION (JSON in the format of GEM): names, ids, lengths, empty or leaked outputs, model card.

    Exit code 1 if it is invalid; every finding names task, item and remedy.
    """
    sources = read_submission(submission)
    if benchmark and tasks:
        raise UsageError("--task and --benchmark exclude each other; leave one out")
    if benchmark:
        examples = frozen_examples(benchmark)[1]
    else:
        examples = {name: read_examples(path) for name, path in parse_tasks(tasks).items()}
    report = validate(sources, examples, read_card(card).markdown() if card else None)
    if as_json:
        click.echo(to_json({"valid": report.valid, "findings": [finding.plain() for finding in report.findings]}))
    else:
        _print(
            submission, sources.name, report, sum(len(each.texts) for each in sources.tasks.values()), bool(examples)
        )
    if not report.valid:
        raise click.exceptions.Exit(1)


def _print(path: Path, name: str, report: Validation, outputs: int, looked_at: bool) -> None:
    state = "valid" if report.valid else "invalid"
    say(f"{path} · {name} · {counted(outputs, 'output')}: {state}")
    print_findings(report.findings)
    if not looked_at:
        click.echo("  Only the format was checked. Pass --task NAME=EXAMPLES or --benchmark to check ids and outputs.")
