"""A submission: one JSON file with what a system said for any of a benchmark's tasks, in GEM's layout."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.records.documents import parse_json
from assay.records.files import read_text
from assay.records.recognize import gem_name

LARGEST = 2_000_000_000
"""Letters of a submission; more are not read."""


@dataclass(frozen=True)
class Finding:
    """Something about a submission: where, what, and what to do. Grave ones keep it from being taken."""

    task: str
    id: str | None
    problem: str
    remedy: str
    grave: bool = True

    def plain(self) -> dict[str, Any]:
        return {"task": self.task, "id": self.id, "problem": self.problem, "remedy": self.remedy, "grave": self.grave}


@dataclass(frozen=True)
class TaskOutputs:
    """The outputs for one task, by their ids if the file has any."""

    task: str
    texts: list[str]
    keys: list[str] | None


@dataclass(frozen=True)
class Submission:
    name: str
    answers: dict[str, TaskOutputs]
    parameters: int | None = None
    description: str = ""
    card: str = ""
    """The model card that came with it, as Markdown."""
    anonymous: bool = False
    anonymous_until: str = ""
    """A day, 2027-01-31, before which nothing that is published names its authors."""
    findings: list[Finding] = field(default_factory=list, compare=False)


def read_submission(path: Path) -> Submission:
    """A submission with everything that is wrong with its form; what can be read of it is read."""
    text = read_text(path)
    if len(text) > LARGEST:
        raise AssayError(f"{path}: {len(text):,} letters are too many for a submission; leave tasks out")
    return parse_submission(parse_json(text, path, unique=True), str(path))


def parse_submission(given: Any, where: str) -> Submission:
    found: list[Finding] = []
    if not isinstance(given, dict) or not isinstance(given.get("tasks"), dict):
        raise AssayError(f'{where}: no object under "tasks"; a submission is {{"submission_name", "tasks": {{..}}}}')
    name = given.get("submission_name")
    if not isinstance(name, str) or not name.strip():
        found.append(Finding("", None, "no submission_name", 'write "submission_name": "..."'))
        name = Path(where).stem
    if not given["tasks"]:
        found.append(Finding("", None, "no tasks", "put the outputs of at least one task under tasks"))
    answers: dict[str, TaskOutputs] = {}
    for title, task in given["tasks"].items():
        key = gem_name(str(title))
        if key in answers:
            found.append(Finding(key, None, f"stands twice ({title} is the same task)", "keep one of them"))
            continue
        read = _answers(key, task, found)
        if read:
            answers[key] = read
    until = given.get("anonymous_until")
    if until is not None and not is_day(until):
        found.append(Finding("", None, f"anonymous_until is {until!r:.40}", 'write a day, "2027-01-31"'))
    return Submission(
        name=name.strip(),
        answers=answers,
        parameters=_parameters(given, found),
        description=str(given.get("description") or ""),
        card=given["model_card"] if isinstance(given.get("model_card"), str) else "",
        anonymous=given.get("anonymous") is True or until is not None,
        anonymous_until="" if until is None else str(until),
        findings=found,
    )


def is_day(text: Any) -> bool:
    try:
        return isinstance(text, str) and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _parameters(given: dict[str, Any], found: list[Finding]) -> int | None:
    count = given.get("param_count")
    if count is None:
        remedy = 'write "param_count": the number of trained parameters, 0 for a system without any'
        found.append(Finding("", None, "no param_count", remedy, grave=False))
    elif isinstance(count, bool) or not isinstance(count, int | float) or count < 0 or count != count // 1:
        found.append(Finding("", None, f"param_count is {count!r:.40}", "write a whole number, without units"))
    else:
        return int(count)
    return None


def _answers(key: str, task: Any, found: list[Finding]) -> TaskOutputs | None:
    values = task.get("values") if isinstance(task, dict) else task
    if not isinstance(values, list):
        found.append(Finding(key, None, "no list under values", 'write {"values": ["..."], "keys": ["..."]}'))
        return None
    texts, inner = [], []
    for place, value in enumerate(values):
        text = value.get("generated") if isinstance(value, dict) else value
        inner.append(value.get("gem_id") if isinstance(value, dict) else None)
        if not isinstance(text, str):
            remedy = 'write a text, or an object with "generated"'
            found.append(Finding(key, _name(task, inner, place), f"is {text!r:.40} and no text", remedy))
            text = ""
        texts.append(text)
    keys = task.get("keys") if isinstance(task, dict) else None
    if keys is None and inner and all(isinstance(id, str) for id in inner):
        keys = inner
    if keys is not None and (not isinstance(keys, list) or len(keys) != len(texts)):
        count = len(keys) if isinstance(keys, list) else "no list of"
        found.append(Finding(key, None, f"{len(texts)} values but {count} keys", "give one key a value, or none"))
        return None
    if keys is not None and (bad := next((id for id in keys if not isinstance(id, str)), None)) is not None:
        found.append(Finding(key, str(bad), "a key is no text", "write ids between quotes"))
        return None
    return TaskOutputs(key, texts, keys)


def _name(task: Any, inner: list[Any], place: int) -> str:
    """What to call an answer: its id if there is one, else its place."""
    keys = task.get("keys") if isinstance(task, dict) else None
    named = keys[place] if isinstance(keys, list) and place < len(keys) else inner[place]
    return named if isinstance(named, str) else f"value {place + 1}"
