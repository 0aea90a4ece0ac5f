"""`assay judge run`: rate outputs with a chat model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from assay.cli.shared.asking import tell_usage
from assay.cli.shared.display import print_group, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, apart, json_option, system_options
from assay.errors import AssayError, UsageError
from assay.execution.loading import load_items
from assay.inputs import form as make_form
from assay.records import Judgement, to_json, write_jsonl
from assay.systems import system
from assay.systems.answering import answer
from assay.systems.judge import Judge, Verdict
from assay.systems.prompts import prompt

EXAMPLE = """\b
Examples:
  assay judge run t5.jsonl -e news.jsonl --system chat:MODEL:base=http://localhost:8000/v1 --criterion style -o j.jsonl
  assay judge run bart.jsonl -e news.jsonl --system hf:smollm2:max_new=8 --criterion fluency -o j.jsonl
  assay judge run bart.jsonl -e news.jsonl --system chat:MODEL --prompt my.toml --scale 0-9 --criterion style -o j.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH)
@click.option("--examples", "-e", type=PATH, required=True, help="Examples that the outputs belong to.")
@partial(system_options, names=("system", "as", "seed", "limit", "output", "force", "skip-bad", "trust"))
@click.option("--criterion", required=True, help="Criterion to rate, in the words of the prompt.")
@click.option("--prompt", "prompt_name", default="judge", show_default=True, help="Built-in prompt, or a TOML file.")
@click.option(
    "--scale",
    default="1-5",
    show_default=True,
    metavar="LOW-HIGH",
    help="Rating scale; ratings outside it are not counted.",
)
@click.option("--name", help="Annotator name of the judge (default: the specification of the system).")
@click.option("--allow-missing", is_flag=True, help="Rate the items that have outputs; report the number missing.")
@json_option
def command(
    outputs: Path, examples: Path, output: Path, criterion: str, prompt_name: str, as_json: bool, **options: Any
) -> None:
    """Rate each output with a chat model, and write the ratings as judgements.

    Answers that cannot be parsed, have several ratings, or are off the scale stay unscored and are counted. All answers
    are kept in NAME.answers.jsonl; after an interruption, the same command resumes.
    """
    answers = output.with_name(f"{output.stem}.answers.jsonl")
    apart([output, answers], [outputs, examples, Path(prompt_name)])
    asker = system(options["spec"], seed=options["seed"])
    if hasattr(asker, "prompt"):
        asker.prompt = prompt_name  # its fingerprint then includes the prompt
    judge = Judge(
        annotator=options["name"] or options["spec"], prompt=prompt(prompt_name, "output"), criterion=criterion,
        scale=scale_of(options["scale"]), form=make_form(options["form"]) if options["form"] else None,
    )  # fmt: skip
    items = load_items(outputs, examples=examples, skip_bad=options["skip_bad"], allow_missing=options["allow_missing"])
    warn(items.notes)
    texts = {example.id: text for example, text in zip(items.examples, items.outputs, strict=True)}
    judged = judge.items(items.examples, texts, items.system)[: options["limit"]]
    if output.exists() and not answers.exists() and not options["force"]:
        raise AssayError(
            f"{output}: already exists and was not made by `assay judge run`. Pass another file, or --force."
        )
    done = answer(judge, asker, judged, answers, name=judge.annotator, force=options["force"])
    verdicts = [msgspec.convert(row, Verdict) for row in done.rows]
    judgements = [summary for verdict in verdicts if (summary := verdict.judgement())]
    unread = [verdict for verdict in verdicts if verdict.value is None]
    if not judgements:
        raise AssayError(
            f"{answers}: none of {len(verdicts)} answers has a rating from {options['scale']} (id {unread[0].id}: "
            f"{unread[0].answer[:60]!r}); change the prompt or the model"
        )
    write_jsonl(output, judgements)
    described = {
        "system": items.system, "annotator": judge.annotator, "criterion": criterion, "n": len(verdicts),
        "scored": len(judgements), "unscored": [verdict.id for verdict in unread], "mean": _mean(judgements),
        "reused": done.reused, "output": str(output), "answers": str(answers), **done.usage,
    }  # fmt: skip
    if as_json:
        click.echo(to_json(described))
        return
    say(
        f"{items.system} · {criterion} {described['mean']:.2f} by {judge.annotator} · "
        f"{len(judgements)} of {len(verdicts)} outputs rated · {done.seconds:.1f} s"
    )
    print_group("ratings", [f"{value:g}: {count}" for value, count in _counts(judgements).items()])
    if unread:
        shown = ", ".join(verdict.id for verdict in unread[:5]) + (" …" if len(unread) > 5 else "")
        warn(
            [f"{len(unread)} of {len(verdicts)} answers could not be parsed and stay unscored ({shown}); see {answers}"]
        )
    tell_usage(done.usage)
    click.echo(f"Next: put {output} and human judgements into one file, then run assay analyze agreement FILE")


def scale_of(text: str) -> tuple[float, float]:
    low, _, high = text.partition("-")
    try:
        return float(low), float(high)
    except ValueError:
        raise UsageError(f"--scale {text}: write LOW-HIGH, e.g. 1-5") from None


def _counts(judgements: list[Judgement]) -> dict[float, int]:
    values = sorted(float(judgement.value) for judgement in judgements)
    return {value: values.count(value) for value in values}


def _mean(judgements: list[Judgement]) -> float:
    return sum(float(judgement.value) for judgement in judgements) / len(judgements)
