"""`assay judge run`: judge outputs with a chat model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from click.core import ParameterSource

from assay.cli.shared.asking import tell_usage
from assay.cli.shared.completion import last_of, system_names
from assay.cli.shared.display import print_group, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option, refuse_idle, system_options
from assay.errors import UsageError
from assay.execution.judging import JudgeRequest, Plan, answers_file, plan_outputs, rate_outputs
from assay.execution.system_request import SystemRequest
from assay.records import to_json
from assay.show.tables import shown

EXAMPLE = """\b
Examples:
  assay judge run t5.jsonl -e news.jsonl --form fluency --system chat:MODEL:base=http://localhost:8000/v1 -o j.jsonl
  assay judge run t5.jsonl bart.jsonl -e news.jsonl --form pairwise --system chat:MODEL --max-cost 5 -o j.jsonl
  assay judge run t5.jsonl -e news.jsonl --form summary --system chat:MODEL:dialect=anthropic --plan -o j.jsonl
  assay judge run bart.jsonl -e news.jsonl --system hf:smollm2:max_new=8 --criterion fluency -o j.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH, nargs=-1, required=True)
@click.option("--examples", "-e", type=PATH, required=True, help="Examples that the outputs belong to.")
@click.option(
    "--system", "-S", required=True, metavar="NAME[:OPTION…]", shell_complete=last_of(system_names),
    help="Model of the judge with options: chat:MODEL, hf:MODEL; see `assay system list chat`.",
)  # fmt: skip
@click.option("--output", "-o", type=NEW_FILE, required=True, metavar="FILE", help="Judgements to write (JSONL).")
@system_options(without=("train", "valid", "name", "system", "output", "shots", "shots-from", "shots-by"))
@click.option(
    "--form", "form_name", metavar="FORM", help="Form of the judge: a name of `assay judge list`, or a TOML file."
)
@click.option(
    "--criterion", help="Criterion to rate, in the words of the prompt; with --form, its criteria to ask about."
)
@click.option("--prompt", "prompt_name", default="judge", show_default=True, help="Built-in prompt, or a TOML file.")
@click.option(
    "--scale",
    default="1-5",
    show_default=True,
    metavar="LOW-HIGH",
    help="Rating scale; ratings outside it are not counted.",
)
@click.option("--name", help="Annotator name of the judge (default: the specification of the system).")
@click.option(
    "--each", is_flag=True, help="Ask about each criterion of the form in its own call (default: all in one)."
)
@click.option(
    "--draws", type=click.IntRange(1, 100), default=1, show_default=True, help="Number of answers to each question."
)
@click.option(
    "--expected",
    is_flag=True,
    help="Write expected ratings, computed from token probabilities where the model returns them.",
)
@click.option(
    "--retry",
    type=click.IntRange(0, 20),
    help="Number of retries of a failed call (default: 5; 1 for unreadable answers).",
)
@click.option("--retry-failed", is_flag=True, help="Ask again about failures that are stored from an earlier run.")
@click.option(
    "--max-cost", type=click.FloatRange(0, min_open=True), help="Stop before the cost exceeds this (default: no limit)."
)
@click.option(
    "--rate", type=click.FloatRange(0, min_open=True), help="Maximum number of calls per second (default: no limit)."
)
@click.option("--concurrency", type=click.IntRange(1, 1000), help="Number of concurrent calls (default: 4).")
@click.option("--plan", is_flag=True, help="Print the number of calls and an estimate of the cost; call nothing.")
@click.option("--allow-missing", is_flag=True, help="Rate the items that have outputs; report the number missing.")
@json_option
def command(
    outputs: tuple[Path, ...], examples: Path, request: SystemRequest, output: Path, form_name: str | None,
    criterion: str | None, prompt_name: str, scale: str, each: bool, draws: int, expected: bool, retry: int | None,
    retry_failed: bool, max_cost: float | None, rate: float | None, concurrency: int | None, plan: bool,
    allow_missing: bool, as_json: bool,
) -> None:  # fmt: skip
    """Judge each output with a chat model, and write the answers as judgements.

    With --form, the model answers the form's question; several OUTPUTS are judged together, and compared by pairwise
    and ranking forms. Time-outs, refusals, errors and unreadable answers are counted by kind and never become a number.
    All answers are kept in NAME.answers.jsonl; after an interruption, the same command resumes.
    """
    if form_name is None:
        refuse_idle(each="--form")
        if not criterion:
            raise UsageError("name what is judged: --form NAME (see `assay judge list`), or --criterion WORDS")
    else:
        refuse_beside_form()
    answers = answers_file(output)
    apart([output, answers], [*outputs, examples, Path(prompt_name), *([Path(form_name)] if form_name else [])])
    limits = {"retries": retry, "max_cost": max_cost, "rate": rate, "concurrency": concurrency}
    judging = JudgeRequest(
        model=request, examples=examples, criterion=criterion or "", prompt=prompt_name, scale=scale_of(scale),
        form=form_name, each=each, draws=draws, expected=expected, allow_missing=allow_missing,
        retry_failed=retry_failed, limits=tuple((key, value) for key, value in limits.items() if value is not None),
    )  # fmt: skip
    if plan:
        _show_plan(plan_outputs(outputs, judging, output), as_json)
        return
    ratings = rate_outputs(outputs[0], judging, output, warn, others=outputs[1:])
    total, unscored, done = len(ratings.verdicts), ratings.unscored, ratings.done
    if form_name:  # the form is asked, not the prompt of the endpoint
        done.usage.pop("prompt", None)
    what = criterion or ratings.form.name
    if as_json:
        described = {
            "system": ratings.system, "annotator": ratings.annotator, "criterion": what, "n": total,
            "scored": total - len(unscored), "unscored": unscored, "failures": ratings.failures, "mean": ratings.mean,
            "means": ratings.means, "form": ratings.form.signature, "reused": done.reused, "output": str(output),
            "answers": str(answers), **({"unweighted": ratings.unweighted} if expected else {}), **done.usage,
        }  # fmt: skip
        click.echo(to_json(described))
        return
    noun = "comparisons" if ratings.form.compares else "answers" if each or draws > 1 else "outputs"
    means = ", ".join(f"{name} {mean:.2f}" for name, mean in ratings.means.items()) or what
    say(
        f"{ratings.system} · {means} by {ratings.annotator} · "
        f"{total - len(unscored)} of {total} {noun} rated · "
        f"{done.seconds:.1f} s"
    )
    print_group("ratings", [f"{shown(value)}: {count}" for value, count in ratings.counts.items()])
    if unscored:
        unread = [each.id for each in ratings.verdicts if each.failure == "unreadable"]
        ids = ", ".join(unread[:5]) + (" …" if len(unread) > 5 else "")
        if unread:
            warn([f"{len(unread)} of {total} answers could not be parsed and stay unscored ({ids}); see {answers}"])
        if others := {kind: count for kind, count in ratings.failures.items() if kind != "unreadable"}:
            listed = ", ".join(f"{count} {kind}" for kind, count in others.items())
            warn([f"{listed} of {total} calls stay unscored; --retry-failed asks again"])
    if ratings.outside:
        warn([f"{ratings.outside} answers are outside the scale; the others may be on another scale too"])
    if ratings.unlocated[0]:
        lost, marked = ratings.unlocated
        warn([f"{lost} of {marked} marked errors quote words that are not in the output; they count, without a place"])
    if ratings.unweighted:
        warn([f"{ratings.unweighted} of {total} answers have no token probabilities; their ratings are as written"])
    tell_usage(done.usage)
    click.echo(f"Next: assay judge validate {output} HUMAN_JUDGEMENTS")


def _show_plan(planned: Plan, as_json: bool) -> None:
    if as_json:
        click.echo(to_json(asdict(planned)))
        return
    cost = (
        "unknown (give price_in and price_out)"
        if planned.cost is None
        else f"at most about {planned.cost:,.2f}, if no call is repeated"
    )
    say(f"{planned.calls:,} calls, {planned.stored:,} of them stored; cost of the others: {cost}")
    print_group("estimated tokens", [f"in {planned.tokens_in:,}", f"out at most {planned.most_tokens_out:,}"])


def refuse_beside_form() -> None:
    """Refuse options of a prompt, which a form replaces."""
    context = click.get_current_context()
    for name in ("prompt_name", "scale"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--{name.removesuffix('_name')} has no effect with --form, which has its own; remove one")


def scale_of(text: str) -> tuple[float, float]:
    low, _, high = text.partition("-")
    try:
        return float(low), float(high)
    except ValueError:
        raise UsageError(f"--scale {text}: write LOW-HIGH, e.g. 1-5") from None
