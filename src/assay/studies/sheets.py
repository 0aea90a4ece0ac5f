"""Studies on paper, so to speak: one blinded file a person to fill in, and the way back into the journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.records.documents import parse_json
from assay.records.files import read_text
from assay.studies.events import Answer
from assay.studies.kinds import kind_for
from assay.studies.state import Assignment
from assay.studies.study import Study
from assay.studies.tasks import blinded


def give_out(study: Study, people: Sequence[str], now: float) -> dict[str, list[Assignment]]:
    """All tasks at once, in turn, until everybody has what there is for them."""
    for name in people:
        study.join(name, now)
    given: dict[str, list[Assignment]] = {name: [] for name in people}
    waiting = list(people)
    while waiting:
        for name in list(waiting):
            held = study.next_task(name, now, ahead=True)
            if held is None:
                waiting.remove(name)
            else:
                given[name].append(held)
    return given


def sheet(study: Study, assignments: Sequence[Assignment]) -> Iterator[dict[str, Any]]:
    """One record a task: its texts in this person's order, without names, and room for an answer to each."""
    for held in assignments:
        task = study.tasks[held.task]
        texts = blinded(task, study.layout(held))
        yield {
            "assignment": held.id,
            "annotator": held.annotator,
            "source": task.source,
            "texts": texts,
            **_more(study, held),
            "questions": {question.criterion: question.text for question in study.design.questions},
            "answers": {question.criterion: [None] * len(texts) for question in study.design.questions},
            "how": {question.criterion: kind_for(question).sheet_help for question in study.design.questions},
        }


def _more(study: Study, held: Assignment) -> dict[str, Any]:
    """Sources and sentences of single texts, where there are such."""
    task = study.tasks[held.task]
    own = [task.texts[number] if number < len(task.texts) else None for number in study.layout(held)]
    made: dict[str, Any] = {}
    if any(text and text.source for text in own):
        made["sources"] = [text.source if text else "" for text in own]
    if any(text and text.sentences for text in own):
        made["sentences"] = [list(text.sentences) if text else [] for text in own]
    return made


def collect(study: Study, path: Path, now: float) -> tuple[int, int]:
    """Answers of a filled sheet into the journal: how many tasks were answered, and how many are still empty."""
    done = empty = 0
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        record = parse_json(line, where)
        if not isinstance(record, dict) or not {"assignment", "annotator", "answers"} <= record.keys():
            raise AssayError(f"{where}: not a line of a sheet; it needs assignment, annotator and answers")
        held = study.assignments.get(str(record["assignment"]))
        if held is None:
            raise AssayError(f"{where}: the journal has no assignment {record['assignment']}")
        answers = list(_answers(study, record["answers"], study.layout(held), where))
        if not answers and not any(value == [] for values in record["answers"].values() for value in values):
            empty += 1
            continue
        study.answer(str(record["annotator"]), held.id, answers, now)
        done += 1
    return done, empty


def _answers(study: Study, given: Any, order: Sequence[int], where: str) -> Iterator[Answer]:
    if not isinstance(given, Mapping):
        raise AssayError(f"{where}: answers must be a list for each criterion")
    for criterion, values in given.items():
        if not isinstance(values, list) or len(values) != len(order):
            raise AssayError(f"{where}: {criterion} must have a list of {len(order)} answers, one a text")
        part = kind_for(study.design.question(criterion)).list_unit
        for number, value in zip(order, values, strict=True):
            if isinstance(value, list):
                yield from (_part(number, criterion, place, each, where, part) for place, each in enumerate(value))
            elif value is not None:
                yield Answer(number, criterion, _plain(value, f"{where}: {criterion}"))


def _part(number: int, criterion: str, place: int, given: Any, where: str, part: str) -> Answer:
    """One of several answers about a text: of a sentence, a marked span, or one more."""
    at = f"{where}: {criterion}[{place}]"
    if isinstance(given, Mapping):
        if not {"start", "end", "label"} <= given.keys():
            raise AssayError(f"{at}: a span needs start, end and label")
        unit = f"span:{given['start']}-{given['end']}"
        return Answer(number, criterion, _plain(given["label"], at), unit, comment=str(given.get("comment", "")))
    return Answer(number, criterion, _plain(given, at), f"{part}:{place}")


def _plain(value: Any, where: str) -> float | str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise AssayError(f"{where}: {value!r} is neither a number nor a word")
    return value
