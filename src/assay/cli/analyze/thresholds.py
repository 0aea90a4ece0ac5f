"""`assay analyze thresholds`: thresholds of an acceptability filter of n-best lists, compared on validation items."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted, print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.errors import AssayError, UsageError
from assay.execution.request import ScoreRequest
from assay.execution.scoring import score_outputs
from assay.execution.training.text_judge import named_score
from assay.meta.acceptability_thresholds import (
    THRESHOLDS,
    Candidates,
    Filtered,
    Row,
    best,
    compared,
    paraphrases,
    sweep,
)
from assay.metrics.engine.base import Part
from assay.records import read_examples, to_json, write_jsonl
from assay.records.stored_rows import rows_by_id
from assay.records.types import Example
from assay.results.result import Result
from assay.results.verdict import LEVEL
from assay.show.numbers import probability
from assay.show.tables import Table
from assay.systems.neural.self_trained import unacceptability

EXAMPLE = """\b
Examples:
  assay analyze thresholds nbest.jsonl -e dev.jsonl --model runs/acceptability --metric bleu
  assay analyze thresholds nbest.jsonl -e dev.jsonl --thresholds 0.5,0.6 --entailment assay-nli -o filtered.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH)
@click.option("--examples", "-e", type=PATH, required=True, help="Validation examples with references.")
@click.option(
    "--model", type=PATH, help="Classifier of `assay system train classifier:acceptability` (default: stored values)."
)
@click.option(
    "--metric", "-m", metavar="NAME", default="bleu", show_default=True, help="Score that chooses the threshold."
)
@click.option("--thresholds", metavar="A,B,..", help="Thresholds to compare (default: 0.1 to 0.9).")
@click.option(
    "--entailment", metavar="MODEL", help="Also count changed texts that entail a reference and are entailed."
)
@click.option("--output", "-o", type=NEW_FILE, help="Write the texts that the best threshold keeps (JSONL).")
@json_option
def command(
    outputs: Path,
    examples: Path,
    model: Path | None,
    metric: str,
    thresholds: str | None,
    entailment: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Filter the n-best lists of OUTPUTS by the probability that a text is unacceptable, and compare thresholds.

    A threshold keeps the first text of a list that is not above it, or the first text if there is none. Choose it on
    validation items. OUTPUTS are made with `nbest`, e.g. hf:MODEL:beams=5:nbest=5.
    """
    apart([output] if output else [], [outputs, examples])
    part = named_score(metric, f"--metric {metric}")
    wanted = _thresholds(thresholds)
    validation = read_examples(examples).examples
    lists = _lists(outputs, validation, model)
    kept = sweep(lists, wanted)
    results = [_result(one, validation, metric) for one in kept]
    rows = compared(kept, results, part)
    chosen = best(rows, part)
    both = [paraphrases(one, lists, validation, entailment) for one in kept] if entailment else []
    if output:
        texts = next(one for one in kept if one.threshold == chosen.threshold).texts
        write_jsonl(
            output, [{"id": example.id, "output": text} for example, text in zip(validation, texts, strict=True)]
        )
    if as_json:
        made = [row._asdict() for row in rows]
        for row, counts in zip(made, both, strict=False):
            row["paraphrases"], row["paraphrases_first"] = counts
        click.echo(to_json({"n": len(lists), "metric": part.name, "thresholds": made, "best": chosen.threshold}))
        return
    print_tables(_table(rows, both, part))
    name = "no threshold" if chosen.threshold is None else f"threshold {chosen.threshold:g}"
    click.echo(f"Best {part.name} of {counted(len(lists), 'item')}: {name}")
    if not any(row.p is not None and row.p < LEVEL for row in rows):
        warn([f"no threshold differs significantly from the first texts in {part.name}"])
    setting = "" if chosen.threshold is None else f":threshold={chosen.threshold:g}"
    click.echo(
        f"Next: assay system generate TEST --system self-trained:FOLDER:acceptability={model or 'MODEL'}"
        f":beams=5:nbest=5{setting} -o FILE"
    )


def _thresholds(text: str | None) -> tuple[float, ...]:
    if text is None:
        return THRESHOLDS
    try:
        values = tuple(float(value) for value in text.split(","))
    except ValueError:
        raise UsageError(f"--thresholds {text}: give numbers separated by commas, e.g. 0.5,0.6") from None
    if not all(0 <= value <= 1 for value in values):
        raise UsageError(f"--thresholds {text}: a threshold is a probability from 0 to 1")
    return values


def _lists(outputs: Path, examples: list[Example], model: Path | None) -> list[Candidates]:
    """Return the n-best lists of a file of outputs in the order of the examples."""
    stored = rows_by_id(outputs)
    lists = []
    for example in examples:
        row = stored.get(example.id)
        if row is None:
            raise AssayError(f"{outputs}: no output of id {example.id}")
        if not row.get("nbest"):
            raise AssayError(f"{outputs}: id {example.id} has no n-best list; generate with beams=5:nbest=5")
        texts = [str(text) for text, _ in row["nbest"]]
        if model is None and "unacceptable" not in row:
            raise AssayError(f"{outputs}: no stored probabilities; give --model, a classifier of acceptability")
        lists.append(Candidates(texts, unacceptability(str(model), texts) if model else row["unacceptable"]))
    return lists


def _result(kept: Filtered, examples: list[Example], metric: str) -> Result:
    rows = [{"id": example.id, "output": text} for example, text in zip(examples, kept.texts, strict=True)]
    return score_outputs(rows, ScoreRequest(metrics=metric, examples=examples)).result


def _table(rows: list[Row], both: list[tuple[int, int]], part: Part) -> Table:
    heads = ["threshold", "changed", "none left", part.name, "difference", "95 % CI", "p"]
    if both:
        heads += ["paraphrases", "of the first texts"]
    cells = []
    for i, row in enumerate(rows):
        digits, scale = part.digits, part.scale
        low, high = row.low, row.high
        cells.append([
            "none" if row.threshold is None else f"{row.threshold:g}", str(row.changed), str(row.fallbacks),
            "" if row.score is None else f"{row.score * scale:.{digits}f}",
            "" if not row.difference else f"{row.difference * scale:+.{digits}f}",
            "" if low is None or high is None else f"[{low * scale:+.{digits}f}, {high * scale:+.{digits}f}]",
            "" if row.p is None else probability(row.p),
            *(map(str, both[i]) if both else ()),
        ])  # fmt: skip
    return Table.of("", heads, cells)
