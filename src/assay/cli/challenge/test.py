"""`assay challenge test`: behavioural tests of a system."""

from __future__ import annotations

from pathlib import Path

import click

from assay.challenges import perturbation
from assay.challenges.perturbation import challenge_set
from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import (
    PATH,
    ListOption,
    comma_separated,
    format_option,
    json_option,
    refuse_idle,
    trust_option,
)
from assay.errors import AssayError, UsageError
from assay.execution.loading import load_items
from assay.execution.system_request import SystemRequest, generate_outputs
from assay.meta.behavioral_tests import SAME, ChallengeOutputs, run_behavioral_tests
from assay.meta.tables.behavioral_tests import behavioral_table
from assay.records import Example, read_examples, to_json
from assay.show.tables import Form

KINDS = ("typos-exact", "casing", "no-punctuation", "number-format", "scramble", "numbers")
"""Default perturbations; those that change no input are left out."""
EXAMPLE = """\b
Examples:
  assay challenge test -e news.jsonl --system lead:k=1 --kinds typos-exact:p=0.05,casing,numbers
  assay challenge test plain.jsonl -e news.jsonl --changed news-typos.jsonl typos-outputs.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH, required=False)
@click.option("--examples", "-e", type=PATH, required=True, help="Inputs of the system (JSONL).")
@click.option(
    "--changed", type=(PATH, PATH), multiple=True, metavar="EXAMPLES OUTPUTS",
    help="Challenge set made by `assay challenge make`, and the outputs for it. Repeatable.",
)  # fmt: skip
@click.option("--system", "-S", "spec", help="Generate with this system, for the original and the perturbed examples.")
@click.option(
    "--as", "form_of_input", metavar="FORM", help="Form that writes inputs for --system; see `assay data forms`."
)
@click.option("--kinds", cls=ListOption, help=f"With --system: perturbations (default: {', '.join(KINDS)}).")
@click.option(
    "--size", type=click.IntRange(1), default=100, show_default=True, help="Maximum number of items per perturbation."
)
@click.option(
    "--same",
    type=float,
    default=SAME,
    show_default=True,
    help="Share of equal words above which two outputs count as the same.",
)
@click.option(
    "--failures", type=click.IntRange(0), default=2, show_default=True, help="Number of failed items to show per test."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@trust_option
@format_option
@json_option
def command(
    outputs: Path | None, examples: Path, changed: tuple[tuple[Path, Path], ...], spec: str | None, same: float,
    failures: int, seed: int, form: Form, as_json: bool, form_of_input: str | None, kinds: str | None, size: int,
) -> None:  # fmt: skip
    """Run behavioural tests; report pass rates with confidence intervals.

    Minimum functionality is tested on OUTPUTS; invariance and direction on the outputs for perturbed inputs, from
    --changed files or generated with --system.
    """
    if (outputs is None) == (spec is None):
        raise UsageError("pass OUTPUTS or --system")
    if spec is None:
        refuse_idle(kinds="--system", size="--system", form_of_input="--system")
    elif changed:
        raise UsageError("--changed cannot be combined with --system; leave it out")
    notes: list[str] = []
    if spec is None:
        assert outputs is not None  # one of the two was given
        loaded = load_items(outputs, examples=examples)
        items, texts = list(loaded.examples), dict(zip(loaded.ids, loaded.outputs, strict=True))
        notes += loaded.notes
        sets = [_answered(*pair) for pair in changed]
        name = loaded.system
    else:
        items, name = list(read_examples(examples).examples), spec
        request = SystemRequest(system=spec, form=form_of_input, seed=seed)
        texts = {one.id: one.output for one in generate_outputs(items, request)}
        sets, left = _ask(items, request, comma_separated(kinds), size)
        notes += left
    tests, warnings = run_behavioral_tests(items, texts, sets, same=same)
    if as_json:
        rows = [test.to_dict() for test in tests]
        click.echo(to_json({"system": name, "n": len(items), "tests": rows, "warnings": [*notes, *warnings]}))
        return
    print_tables(behavioral_table(tests, name, len(items)), form=form)
    if form == "text":
        for test in tests:
            for failure in test.failures[:failures]:
                say(f"  {test.test} · {failure.id}: {failure.why}")
                say(f"    {failure.output[:200] or '(empty)'}")
    warn([*notes, *warnings])


def _answered(examples: Path, outputs: Path) -> ChallengeOutputs:
    loaded = load_items(outputs, examples=examples)
    return ChallengeOutputs(list(loaded.examples), dict(zip(loaded.ids, loaded.outputs, strict=True)))


def _ask(
    items: list[Example], request: SystemRequest, kinds: tuple[str, ...], size: int
) -> tuple[list[ChallengeOutputs], list[str]]:
    sets, notes = [], []
    for kind in kinds or KINDS:
        made = challenge_set(perturbation(kind), items, size=size, seed=request.seed)
        if made.examples:
            answers = generate_outputs(made.examples, request)
            sets.append(ChallengeOutputs(made.examples, {one.id: one.output for one in answers}))
        elif kinds:
            raise AssayError(f"{kind}: changes none of these inputs; remove it from --kinds")
        else:
            notes.append(f"{kind}: changes none of these inputs")
    return sets, notes
