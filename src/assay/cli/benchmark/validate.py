"""`assay benchmark validate`: whether a submission can be taken."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.cards.card import read_card
from assay.benchmark.freezing import frozen_examples
from assay.benchmark.submission import read_submission
from assay.benchmark.validation import Validated, validate
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
@click.option("--benchmark", type=PATH, help="The frozen manifest whose tasks it answers.")
@click.option("--card", type=PATH, help="The model card; else the text under model_card in the submission.")
@json_option
def command(submission: Path, tasks: tuple[str, ...], benchmark: Path | None, card: Path | None, as_json: bool) -> None:
    """Check SUBMISSION (one JSON file in GEM's layout): names, ids, lengths, empty or leaked outputs, its model card.

    Exits with 1 when something keeps it from being taken; every finding names task, item and remedy.
    """
    given = read_submission(submission)
    if benchmark and tasks:
        raise UsageError("--task: the tasks are those of --benchmark; give one of the two")
    if benchmark:
        examples = frozen_examples(benchmark)[1]
    else:
        examples = {name: read_examples(path) for name, path in parse_tasks(tasks).items()}
    found = validate(given, examples, read_card(card).markdown() if card else None)
    if as_json:
        click.echo(to_json({"valid": found.valid, "findings": [finding.plain() for finding in found.findings]}))
    else:
        _print(submission, given.name, found, sum(len(each.texts) for each in given.answers.values()), bool(examples))
    if not found.valid:
        raise click.exceptions.Exit(1)


def _print(path: Path, name: str, found: Validated, outputs: int, looked_at: bool) -> None:
    state = "can be taken" if found.valid else "cannot be taken"
    say(f"{path} · {name} · {counted(outputs, 'output')}: {state}")
    print_findings(found.findings)
    if not looked_at:
        click.echo("  Only its form was looked at; with --task NAME=EXAMPLES or --benchmark ids and outputs are, too.")
