"""`assay system rank`: score and rank the candidates of examples."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from assay.cli.shared.asking import begin, finish
from assay.cli.shared.display import print_group, print_result, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, apart, ci_option, json_option, system_options
from assay.errors import AssayError
from assay.execution.request import ScoreRequest
from assay.execution.scoring import score_outputs
from assay.execution.system_request import SystemRequest
from assay.records import to_json
from assay.records.read import ExampleFile
from assay.results.result import Result
from assay.show.numbers import number
from assay.systems.tasks import Rank

EXAMPLE = """\b
Examples:
  assay system rank tesa-test.jsonl --system frequency --train tesa-train.jsonl -o frequency.jsonl
  assay system rank tesa-test.jsonl --system hf:runs/bart -o bart.jsonl
  assay system rank tesa-test.jsonl --system hf:runs/bart --as entities:variant=vc -o names-only.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@system_options(without=())
@click.option(
    "--normalize", type=click.Choice(["mean", "sum"]), default="mean", show_default=True,
    help="Likelihood per token (mean) or of the whole phrase (sum).",
)  # fmt: skip
@ci_option()
@json_option
def command(
    examples: Path, request: SystemRequest, output: Path, normalize: Literal["mean", "sum"], ci: int, as_json: bool
) -> None:
    """Score the candidates of each example; report the ranks of the gold candidates, next to chance level."""
    apart([output], [examples, *request.files])
    task = Rank(normalize)
    system, items = begin(task, examples, request)
    done = request.answer(task, system, items, output, examples)
    described = finish(system, done, output, as_json)
    scoring = ScoreRequest(
        metrics="ranking", examples=ExampleFile(items, True, str(examples)), ci=ci, seed=request.seed
    )
    result = score_outputs(output, scoring).result
    if result.failed:
        raise AssayError(f"{output}: cannot be scored: {'; '.join(missing.why for missing in result.failed)}")
    if as_json:
        click.echo(to_json(described | result.to_dict() | {"output": str(output)}))
        return
    print_result(result)
    print_group("chance", [f"{name} {_by_chance(result, name)}" for name in ("map", "recall@10", "mrr")])
    warn(result.notes)
    some = " --allow-missing" if request.limit else ""
    click.echo(f"Next: assay compare {output} OTHER.jsonl --examples {examples} --metrics ranking{some}")


def _by_chance(result: Result, name: str) -> str:
    _, part = result.parts[f"{name}.chance"]
    return number(result.values[f"{name}.chance"], part)
