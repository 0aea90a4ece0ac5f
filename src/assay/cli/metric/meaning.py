"""`assay metric meaning`: how often annotators agree with the sign of a difference."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.shared.display import say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option, refuse_idle
from assay.errors import UsageError
from assay.meta.meaning import evidence_like, evidence_of_files, meaning, tasks
from assay.meta.score_files import read_scores
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay metric meaning chrf=+1.2 --like data-to-text
  assay metric meaning rouge1=0.8 --like summarization --criterion relevance
  assay metric meaning mine=0.05 --human judgements.jsonl --scores scores.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("difference", metavar="METRIC=DIFFERENCE")
@click.option("--like", metavar="TASK", help="Task of the stored evidence: data-to-text, summarization.")
@click.option("--human", type=PATH, help="Your own judgements of several systems, in place of --like.")
@click.option("--scores", type=PATH, multiple=True, help="Scores of the same texts. Repeatable.")
@click.option("--criterion", help="Criterion of the judgements (default: all together).")
@click.option("--language", help="Language of the stored evidence (default: all).")
@json_option
def command(
    difference: str, like: str | None, human: Path | None, scores: tuple[Path, ...], criterion: str | None,
    language: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show how often annotators agree with the sign of a difference of a metric between two systems.

    The difference is on the scale of tables, e.g. chrf=+1.2. The evidence is pairs of judged systems: released data
    sets (--like) or your own (--human and --scores). Without evidence of such a difference, the exit code is 1.
    """
    metric, equals, number = difference.rpartition("=")
    try:
        size = float(number)
    except ValueError:
        size = math.nan
    if not equals or not math.isfinite(size):
        raise UsageError(f"{difference}: write METRIC=DIFFERENCE, e.g. chrf=+1.2")
    if human is not None and scores:
        refuse_idle(like="no --human", language="--like")
        evidence = evidence_of_files(human, read_scores(scores)[0], metric, criterion)
    elif human is not None or scores:
        raise UsageError("--human and --scores belong together: judgements and scores of the same texts")
    elif like is not None:
        evidence = evidence_like(like, metric, language, criterion)
    else:
        raise UsageError(f"name the evidence: --like {' or '.join(tasks())}, or --human and --scores of your own")
    result = meaning(metric, size, evidence)
    if as_json:
        click.echo(to_json(asdict(result)))
        return
    click.echo(result.sentence())
    left, names = result.left_out, ", ".join(dict.fromkeys(each.name for each in evidence))
    criteria = ", ".join(dict.fromkeys(each.criterion for each in evidence))
    say(
        f"Evidence: {result.pairs:,} pairs of {result.systems} systems, {result.near} of about this size: {names} "
        f"({criteria}).\nWith each system left out: predicted {left['predicted']:.0%}, observed {left['observed']:.0%}."
    )
    warn(result.warnings)
