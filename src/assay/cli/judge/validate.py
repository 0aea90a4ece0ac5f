"""`assay judge validate`: may this judge replace annotators here?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, format_option, json_option, seed_option
from assay.meta.judge_drift import drift, read_validation
from assay.meta.judge_validation import JudgeValidation, ValidationRequest, validate_judges
from assay.meta.tables.judge_validation import validation_tables
from assay.records import read_judgements, to_json, write_text
from assay.records.read import read_systems
from assay.show.junit import Case, junit
from assay.show.tables import Form
from assay.stats.alternative_annotator import Scoring

EXAMPLE = """\b
Examples:
  assay judge validate human.jsonl judged.jsonl
  assay judge validate labels.jsonl --judge fair --criterion quality --epsilon 0.1
  assay judge validate human.jsonl judged.jsonl --outputs t5.jsonl --outputs bart.jsonl --own bart --strict
  assay judge validate human.jsonl judged.jsonl --tolerance 0.3
  assay judge validate human.jsonl judged.jsonl --baseline validated.json --junit judge.xml
"""


@new_command(epilog=EXAMPLE)
@click.argument("judgements", type=PATH, nargs=-1, required=True)
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="Judge to validate (default: all of `judge run`)."
)
@click.option("--criterion", help="Criterion to use (default: all together).")
@click.option(
    "--epsilon", type=click.FloatRange(0, 1, max_open=True), default=0.2, show_default=True,
    help="Margin for the cost of annotators: 0.2 experts, 0.15 skilled, 0.1 crowd workers.",
)  # fmt: skip
@click.option(
    "--tolerance", type=click.FloatRange(0, min_open=True), metavar="X",
    help="Largest bias that changes no conclusion, in points of the scale; `yes` then needs all intervals within it.",
)  # fmt: skip
@click.option(
    "--scoring",
    type=click.Choice(get_args(Scoring)),
    help="Agreement of two labels: equal (accuracy) or close (rmse) (default: by the values).",
)
@click.option(
    "--outputs", type=PATH, multiple=True, help="Judged outputs, to measure length and format bias. Repeatable."
)
@click.option("--own", metavar="SYSTEM", help="System written by the judge's own model, to measure self-preference.")
@click.option("--baseline", type=PATH, help="Stored JSON of an earlier validation: report drift.")
@click.option(
    "--strict", is_flag=True, help="Exit with code 1 if a judge may not replace annotators or drifted; 3: unclear."
)
@click.option("--junit", "junit_file", type=NEW_FILE, metavar="FILE", help="Write JUnit XML: one case per judge.")
@seed_option
@format_option
@json_option
def command(
    judgements: tuple[Path, ...], judges: tuple[str, ...], criterion: str | None, epsilon: float,
    tolerance: float | None, scoring: Scoring | None, outputs: tuple[Path, ...], own: str | None,
    baseline: Path | None, strict: bool, junit_file: Path | None, seed: int, form: Form, as_json: bool,
) -> None:  # fmt: skip
    """Measure judges against human judgements of the same outputs: may they replace annotators here?

    The answer is yes if a judge wins the alternative annotator test (against at least half of the annotators) and no
    bias is significant; with --tolerance, if no bias can be larger than that. JUDGEMENTS are files of human judgements
    and of judges.
    """
    apart([junit_file], [*judgements, *outputs, *([baseline] if baseline else [])])
    request = ValidationRequest(
        judges=judges, criterion=criterion, epsilon=epsilon, tolerance=tolerance, scoring=scoring, own=own,
        texts=texts_of(outputs), seed=seed,
    )  # fmt: skip
    stored = read_validation(baseline) if baseline else None
    validations = validate_judges([row for path in judgements for row in read_judgements(path)], request)
    drifted = {name: drift(each, stored.get(name)) if stored is not None else [] for name, each in validations.items()}
    if junit_file is not None:
        write_text(
            junit_file, junit("judge validate", [_case(each, drifted[each.judge]) for each in validations.values()])
        )
    if as_json:
        more = {name: {"drift": changes} if stored is not None else {} for name, changes in drifted.items()}
        click.echo(to_json({"judges": {name: each.record() | more[name] for name, each in validations.items()}}))
    else:
        print_tables(*validation_tables(validations), form=form)
        for each in validations.values():
            say(f"{each.judge}: {each.answer}; {'; '.join(each.reasons)}")
        warn(f"{each.judge}: {note}" for each in validations.values() for note in each.notes)
        warn(change for changes in drifted.values() for change in changes)
    if strict:
        answers = {each.answer for each in validations.values()}
        failed = "no" in answers or any(drifted.values())
        sys.exit(1 if failed else 3 if "inconclusive" in answers else 0)


def texts_of(outputs: Sequence[Path]) -> dict[tuple[str, str], str]:
    """Return the texts of files of outputs by id and system."""
    return {
        (id, each.system): text
        for path in outputs
        for each in read_systems(path)
        for id, text in zip(each.ids, each.texts, strict=True)
    }


def _case(judge: JudgeValidation, changes: list[str]) -> Case:
    failures = [*(judge.reasons if judge.answer != "yes" else []), *changes]
    return Case(judge.judge, f"{judge.answer}: {'; '.join(failures)}" if failures else "", "; ".join(judge.reasons))
