"""People on instances of a choice test: both continuations as a blinded pair, and their answers as choices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assay.errors import AssayError
from assay.records.inputs import read_input
from assay.records.kinds import Choice
from assay.records.ranked_candidates import write_scored
from assay.records.types import Example, Judgement

DESIGN = """# People answer the instances of a choice test; the two continuations are in random order.
name = "human-baseline"
title = "Which continuation fits?"
goal = "How often do people choose the true continuation?"
task = "choice between two continuations"
language = "en"
instructions = "Read the document and the beginning of a statement about it. Choose the continuation that fits."

[[questions]]
criterion = "continuation"
kind = "pairwise"
text = "Which continuation of the statement fits the document?"
definition = "The continuation that says what the document supports, such as the act that it reports."
motivation = "task"
ties = false

[sample]
systems = 2
method = "all"

[people]
background = "readers of such documents"
expert = false
per_item = 1

[presentation]
order = "shuffled"
"""
SIDES = ("a", "b")
"""Names of the two texts: `a` is the true continuation."""


def study_files(instances: Sequence[Example]) -> dict[str, Any]:
    """Return the files of a study: outputs of both sides, examples that show document and prefix, and the design."""
    choices = [(example, read_input(example, Choice)) for example in instances]
    if not choices:
        raise AssayError("no instances; write them with `assay system choose --classes`")
    sides = {"a": [one.positive for _, one in choices], "b": [one.negative for _, one in choices]}
    files: dict[str, Any] = {"design.toml": DESIGN}
    files["examples.jsonl"] = [
        {"id": example.id, "source": f"{example.source or ''}\n\n{one.prefix} …".strip()} for example, one in choices
    ]
    for name, texts in sides.items():
        files[f"{name}.jsonl"] = [
            {"id": example.id, "output": text, "system": name}
            for (example, _), text in zip(choices, texts, strict=True)
        ]
    return files


def choices_of(instances: Sequence[Example], judgements: Iterable[Judgement]) -> tuple[list[dict[str, Any]], int]:
    """Return the choices of people, as a system's, and the number of instances without a majority.

    Raises:
        AssayError: An instance has no judgement.
    """
    votes: dict[str, dict[str, dict[str, float]]] = {}
    for one in judgements:
        if one.system in SIDES and not isinstance(one.value, str):
            votes.setdefault(one.id, {}).setdefault(one.annotator, {})[one.system] = float(one.value)
    rows, ties = [], 0
    for example in instances:
        answers = [each for each in votes.get(example.id, {}).values() if len(each) == len(SIDES)]
        if not answers:
            raise AssayError(f"id {example.id}: no judgement of both continuations; collect all answers first")
        choice = read_input(example, Choice)
        share = sum((each["a"] > each["b"]) + 0.5 * (each["a"] == each["b"]) for each in answers) / len(answers)
        ties += share == 0.5
        rows.append(
            {"id": example.id, "output": write_scored([choice.positive, choice.negative], [share, 1 - share]),
             "correct": share > 0.5, "system": "people"}
        )  # fmt: skip
    return rows, ties
