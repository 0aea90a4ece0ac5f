"""Studies by files: one blinded sheet per annotator to fill in, and its answers back into the journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.records.documents import parse_json
from assay.records.files import read_text
from assay.studies.design import Question
from assay.studies.events import Answer
from assay.studies.kinds import kind_for
from assay.studies.kinds.slider import ENDS
from assay.studies.shown import prompt
from assay.studies.state import Assignment
from assay.studies.study import Study
from assay.studies.tasks import blinded


def assign_all(study: Study, annotators: Sequence[str], now: float) -> dict[str, list[Assignment]]:
    """Assign all tasks at once, one to each annotator in turn, until there is none left for anyone."""
    for name in annotators:
        study.join(name, now)
    assigned: dict[str, list[Assignment]] = {name: [] for name in annotators}
    waiting = list(annotators)
    while waiting:
        for name in list(waiting):
            assignment = study.next_task(name, now, ahead=True)
            if assignment is None:
                waiting.remove(name)
            else:
                assigned[name].append(assignment)
    return assigned


def sheet_records(study: Study, assignments: Sequence[Assignment]) -> Iterator[dict[str, Any]]:
    """Yield one record per task: its blinded texts in the annotator's order, and fields for the answers."""
    for assignment in assignments:
        task = study.tasks[assignment.task]
        texts = blinded(task, study.layout(assignment))
        yield {
            "assignment": assignment.id,
            "annotator": assignment.annotator,
            "source": task.source,
            "texts": texts,
            **_text_details(study, assignment),
            "questions": _wordings(study, assignment),
            "answers": {question.criterion: [None] * len(texts) for question in study.design.questions},
            "how": {question.criterion: answer_help(question) for question in study.design.questions},
        }


def answer_help(question: Question) -> str:
    """Return how to answer a question in a sheet: the form of the answers, and its scale or its labels."""
    kind = kind_for(question)
    if kind.scale is None:
        listed = [
            f"{label} ({words})" if words not in ("", label) else label for label, words in question.labels.items()
        ]
        form = kind.sheet_help or ("one label for each text" if listed else "")
        parts = [form, f"labels: {', '.join(listed)}" if listed else ""]
        parts += [f"required: {', '.join(question.required)}" if question.required else ""]
        parts += [f"with a comment: {', '.join(question.commented)}" if question.commented else ""]
        return "; ".join(part for part in parts if part)
    points = [str(value) for value in question.values or ENDS]
    named = [f"{point} ({question.labels[point]})" if question.labels.get(point) else point for point in points]
    if kind.scale == "discrete":
        return f"one number for each text: {', '.join(named)}"
    return f"a number from {named[0]} to {named[-1]} for each text"


def _wordings(study: Study, assignment: Assignment) -> dict[str, str | list[str]]:
    """Return the wording of each question with its placeholders filled in; one for each text where they differ."""
    task = study.tasks[assignment.task]
    shown = [task.shown_at(number).fields for number in study.layout(assignment)]
    wordings = {}
    for question in study.design.questions:
        each = [prompt(question, fields) if question.text else "" for fields in shown]
        wordings[question.criterion] = each[0] if len({*each}) == 1 else each
    return wordings


def _text_details(study: Study, assignment: Assignment) -> dict[str, Any]:
    """Return sources and sentences of single texts, if there are any."""
    task = study.tasks[assignment.task]
    texts = [task.shown_at(number) for number in study.layout(assignment)]
    details: dict[str, Any] = {}
    if any(text.source for text in texts):
        details["sources"] = [text.source for text in texts]
    if any(text.sentences for text in texts):
        details["sentences"] = [list(text.sentences or (text.text,)) for text in texts]
    return details


def has_answers(path: Path) -> bool:
    """Return whether a file is a sheet with at least one answer."""
    if not path.is_file():
        return False
    for number, line in enumerate(read_text(path).split("\n"), 1):
        record = parse_json(line, f"{path}:{number}") if line.strip() else None
        answers = record.get("answers") if isinstance(record, dict) else None
        lists = answers.values() if isinstance(answers, dict) else ()
        if any(value is not None for values in lists if isinstance(values, list) for value in values):
            return True
    return False


def collect_sheet(study: Study, path: Path, now: float) -> tuple[int, int]:
    """Store the answers of a sheet in the journal; return the number of answered and of empty tasks."""
    done = empty = 0
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        record = parse_json(line, where)
        if not isinstance(record, dict) or not {"assignment", "annotator", "answers"} <= record.keys():
            raise AssayError(f"{where}: not a line of a sheet; assignment, annotator and answers are required")
        assignment = study.assignments.get(str(record["assignment"]))
        if assignment is None:
            raise AssayError(f"{where}: the journal has no assignment {record['assignment']}")
        answers = list(_answers(study, record["answers"], study.layout(assignment), where))
        if not answers and not any(value == [] for values in record["answers"].values() for value in values):
            empty += 1
            continue
        try:
            study.answer(str(record["annotator"]), assignment.id, answers, now)
        except AssayError as error:
            raise AssayError(f"{where}: {error}") from None
        done += 1
    return done, empty


def _answers(study: Study, by_criterion: Any, order: Sequence[int], where: str) -> Iterator[Answer]:
    if not isinstance(by_criterion, Mapping):
        raise AssayError(f"{where}: answers must be an object with a list for each criterion")
    for criterion, values in by_criterion.items():
        if not isinstance(values, list) or len(values) != len(order):
            raise AssayError(f"{where}: {criterion} must be a list of {len(order)} answers, one for each text")
        unit = kind_for(study.design.question(criterion)).list_unit
        for number, value in zip(order, values, strict=True):
            if isinstance(value, list):
                yield from (_entry(number, criterion, index, entry, where, unit) for index, entry in enumerate(value))
            elif value is not None:
                yield Answer(number, criterion, _plain(value, f"{where}: {criterion}"))


def _entry(number: int, criterion: str, index: int, entry: Any, where: str, unit: str) -> Answer:
    """Return one of several answers about a text: about a sentence, a span, or one of several phrases."""
    at = f"{where}: {criterion}[{index}]"
    if isinstance(entry, Mapping):
        if not {"start", "end", "label"} <= entry.keys():
            raise AssayError(f"{at}: start, end and label of the span are required")
        span = f"span:{entry['start']}-{entry['end']}"
        return Answer(number, criterion, _plain(entry["label"], at), span, comment=str(entry.get("comment", "")))
    return Answer(number, criterion, _plain(entry, at), f"{unit}:{index}")


def _plain(value: Any, where: str) -> float | str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise AssayError(f"{where}: {value!r} is neither a number nor a string")
    return value
