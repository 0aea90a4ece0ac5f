"""Confusion matrices of forced choices between members of equivalence classes."""

from __future__ import annotations

from collections import Counter

import msgspec

from assay.errors import AssayError
from assay.explorer.human_payloads import Confusion, ConfusionCell
from assay.metrics.ranking.equivalence import is_correct
from assay.records import Example, kinds, read_examples, read_outputs
from assay.records.files import read_bytes
from assay.records.inputs import kind_of, read_input
from assay.store.library import DatasetResults, Run

METRIC = "eq_accuracy"


class Choice(msgspec.Struct, frozen=True):
    """One forced choice: a span of `class` against one of the class `against`."""

    id: str
    against: str
    class_: str = msgspec.field(name="class")
    correct: bool | None = None
    margin: float | None = None
    """Log-probability of the true span minus that of the other; positive is correct."""
    evaluation: str = ""

    @property
    def right(self) -> bool:
        return self.correct if self.correct is not None else (self.margin or 0.0) > 0


def has_choices(results: DatasetResults) -> bool:
    """Return whether any run of the dataset has forced choices."""
    return any(run.file("choices.jsonl") is not None or _scored_as_choices(run) for run in results.runs.values())


def _scored_as_choices(run: Run) -> bool:
    return any(str(entry.get("spec", "")).startswith(METRIC) for entry in run.manifest.get("metrics", []))


def confusions(results: DatasetResults, warnings: list[str]) -> list[Confusion]:
    """Return a matrix for each system and evaluation, from `choices.jsonl` of a run folder or from scored choices."""
    matrices = []
    for system, run in results.runs.items():
        by_evaluation: dict[str, list[Choice]] = {}
        for choice in _choices(results, run, warnings):
            by_evaluation.setdefault(choice.evaluation, []).append(choice)
        for evaluation, choices in by_evaluation.items():
            title = f"{system}, {evaluation}" if evaluation else system
            matrices.append(_matrix(title, choices))
    return matrices


def _choices(results: DatasetResults, run: Run, warnings: list[str]) -> list[Choice]:
    path = run.file("choices.jsonl")
    try:
        if path is not None:
            return msgspec.json.Decoder(Choice).decode_lines(read_bytes(path))
        return _from_outputs(results, run) if _scored_as_choices(run) else []
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, AssayError) as error:
        warnings.append(f"Choices of {run.system} cannot be read: {error}")
        return []


def _from_outputs(results: DatasetResults, run: Run) -> list[Choice]:
    """Return the choices written by `assay run` and `assay system choose`: examples of kind `choice` with outputs."""
    examples, outputs = run.file("examples.jsonl") or results.file("examples.jsonl"), run.file("outputs.jsonl")
    if examples is None or outputs is None:
        return []
    known = {example.id: example for example in read_examples(examples).examples}
    names: dict[tuple[str, object], str] = {}
    choices = []
    for output in read_outputs(outputs).outputs:
        example = known.get(output.id)
        if example is None or kind_of(example) != "choice":
            continue
        evaluation = example.tags.get("evaluation", "")
        choices.append(
            Choice(
                id=output.id,
                class_=_name(example, "positive", evaluation, names),
                against=_name(example, "negative", evaluation, names),
                correct=is_correct(example, output.output),
                evaluation=evaluation,
            )
        )
    return choices


def _name(example: Example, side: str, evaluation: str, names: dict[tuple[str, object], str]) -> str:
    """Return the name of a class: its number and the first of its members."""
    choice = read_input(example, kinds.Choice)
    number = getattr(choice, f"{side}_class")
    return names.setdefault((evaluation, number), f"{number} · {getattr(choice, side)}")


def _matrix(system: str, choices: list[Choice]) -> Confusion:
    classes = list(dict.fromkeys(name for choice in choices for name in (choice.class_, choice.against)))
    counts: Counter[tuple[int, int, bool]] = Counter()
    for choice in choices:
        counts[classes.index(choice.class_), classes.index(choice.against), choice.right] += 1
    cells = [
        ConfusionCell(row=r, column=c, n=counts[r, c, True] + counts[r, c, False], wrong=counts[r, c, False])
        for r, c in dict.fromkeys((r, c) for r, c, _ in counts)
    ]
    return Confusion(system=system, classes=classes, cells=cells)
