"""`assay validate`: whether a submission can be taken."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.card import read_card
from assay.benchmark.submission import read_submission
from assay.benchmark.validation import Validated, validate
from assay.cli.display import counted, say
from assay.cli.options import PATH, json_option
from assay.errors import UsageError
from assay.records import to_json
from assay.records.recognise import gem_name
from assay.runs.loading import read_examples

EXAMPLE = """\b
Examples:
  assay validate submission.json
  assay validate submission.json --task web_nlg_en_test=web_nlg_en:webnlg/test --card model.md
  assay validate submission.json --task news_test=news.jsonl --card model.md --json
"""


@click.command(epilog=EXAMPLE)
@click.argument("submission", type=PATH)
@click.option(
    "--task", "tasks", multiple=True, metavar="NAME=EXAMPLES", help="A task and its examples; a file or DATASET:PATH."
)
@click.option("--card", type=PATH, help="The model card; else the text under model_card in the submission.")
@json_option
def command(submission: Path, tasks: tuple[str, ...], card: Path | None, as_json: bool) -> None:
    """Check SUBMISSION (one JSON file in GEM's layout): names, ids, lengths, empty or leaked outputs, its model card.

    Exits with 1 when something keeps it from being taken; every finding names task, item and remedy.
    """
    given = read_submission(submission)
    examples = {}
    for text in tasks:
        name, _, path = text.partition("=")
        if not name or not path:
            raise UsageError(f"--task {text}: write NAME=EXAMPLES, for instance news_test=news.jsonl")
        examples[gem_name(name)] = read_examples(Path(path))
    found = validate(given, examples, read_card(card).markdown() if card else None)
    if as_json:
        click.echo(to_json({"valid": found.valid, "findings": [finding.plain() for finding in found.findings]}))
    else:
        _print(submission, given.name, found, sum(len(each.texts) for each in given.answers.values()), bool(tasks))
    if not found.valid:
        raise click.exceptions.Exit(1)


def _print(path: Path, name: str, found: Validated, outputs: int, looked_at: bool) -> None:
    state = "can be taken" if found.valid else "cannot be taken"
    say(f"{path} · {name} · {counted(outputs, 'output')}: {state}")
    for finding in sorted(found.findings, key=lambda finding: not finding.grave):
        place = " ".join(part for part in (finding.task, finding.id) if part)
        lead = f"{place}: " if place else ""
        say(f"  {'!' if finding.grave else '·'} {lead}{finding.problem}. {finding.remedy}")
    if not looked_at:
        click.echo("  Only its form was looked at; with --task NAME=EXAMPLES ids and outputs are, too.")
