"""A submission: one JSON file with the outputs of a system for tasks of a benchmark, in GEM's layout."""

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
"""Maximum number of characters of a submission."""


@dataclass(frozen=True)
class Finding:
    """A problem of a submission or a benchmark: where it is, what it is, and how to fix it."""

    task: str
    id: str | None
    problem: str
    remedy: str
    is_error: bool = True
    """Errors prevent acceptance; warnings do not."""

    def plain(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return {
            "task": self.task, "id": self.id, "problem": self.problem, "remedy": self.remedy, "grave": self.is_error,
        }  # fmt: skip

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Finding:
        """Return the finding that `plain` wrote."""
        return cls(plain["task"], plain["id"], plain["problem"], plain["remedy"], plain["grave"])


@dataclass(frozen=True)
class TaskOutputs:
    """The outputs for one task, with their ids if the file has any."""

    task: str
    texts: list[str]
    keys: list[str] | None


@dataclass(frozen=True)
class Submission:
    """A submission as read from its file."""

    name: str
    tasks: dict[str, TaskOutputs]
    parameters: int | None = None
    description: str = ""
    card: str = ""
    """The model card in the submission, as Markdown."""
    anonymous: bool = False
    anonymous_until: str = ""
    """Date, e.g. 2027-01-31, before which publications do not name the authors."""
    findings: list[Finding] = field(default_factory=list, compare=False)


def read_submission(path: Path) -> Submission:
    """Read a submission file; problems of its format become findings.

    Raises:
        AssayError: The file is not a JSON object with "tasks".
    """
    text = read_text(path)
    if len(text) > LARGEST:
        raise AssayError(f"{path}: {len(text):,} characters exceed the limit of {LARGEST:,}. Submit fewer tasks.")
    return parse_submission(parse_json(text, path, unique=True), str(path))


def parse_submission(values: Any, where: str) -> Submission:
    """Return the submission in a JSON value; `where` names it in messages."""
    findings: list[Finding] = []
    if not isinstance(values, dict) or not isinstance(values.get("tasks"), dict):
        raise AssayError(f'{where}: no object under "tasks". A submission is {{"submission_name", "tasks": {{..}}}}.')
    name = values.get("submission_name")
    if not isinstance(name, str) or not name.strip():
        findings.append(Finding("", None, "submission_name is missing", 'add "submission_name": "..."'))
        name = Path(where).stem
    if not values["tasks"]:
        findings.append(Finding("", None, "no tasks", 'add the outputs of at least one task under "tasks"'))
    tasks: dict[str, TaskOutputs] = {}
    for title, task in values["tasks"].items():
        key = gem_name(str(title))
        if key in tasks:
            findings.append(Finding(key, None, f"duplicate task ({title} is the same task)", "keep one of them"))
            continue
        outputs = _task_outputs(key, task, findings)
        if outputs:
            tasks[key] = outputs
    until = values.get("anonymous_until")
    if until is not None and not is_day(until):
        findings.append(Finding("", None, f"anonymous_until is {until!r:.40}", 'write a date, e.g. "2027-01-31"'))
    return Submission(
        name=name.strip(),
        tasks=tasks,
        parameters=_parameters(values, findings),
        description=str(values.get("description") or ""),
        card=values["model_card"] if isinstance(values.get("model_card"), str) else "",
        anonymous=values.get("anonymous") is True or until is not None,
        anonymous_until="" if until is None else str(until),
        findings=findings,
    )


def is_day(text: Any) -> bool:
    """Return whether a value is a date in the form 2027-01-31."""
    try:
        return isinstance(text, str) and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _parameters(values: dict[str, Any], findings: list[Finding]) -> int | None:
    count = values.get("param_count")
    if count is None:
        remedy = 'add "param_count": the number of trained parameters (0 for a system without any)'
        findings.append(Finding("", None, "param_count is missing", remedy, is_error=False))
    elif isinstance(count, bool) or not isinstance(count, int | float) or count < 0 or count != count // 1:
        findings.append(Finding("", None, f"param_count is {count!r:.40}", "write an integer without unit"))
    else:
        return int(count)
    return None


def _task_outputs(key: str, task: Any, findings: list[Finding]) -> TaskOutputs | None:
    values = task.get("values") if isinstance(task, dict) else task
    if not isinstance(values, list):
        findings.append(Finding(key, None, '"values" is not a list', 'write {"values": ["..."], "keys": ["..."]}'))
        return None
    texts, inner = [], []
    for place, value in enumerate(values):
        text = value.get("generated") if isinstance(value, dict) else value
        inner.append(value.get("gem_id") if isinstance(value, dict) else None)
        if not isinstance(text, str):
            remedy = 'write a string, or an object with "generated"'
            findings.append(Finding(key, _name(task, inner, place), f"output is {text!r:.40}, not a string", remedy))
            text = ""
        texts.append(text)
    keys = task.get("keys") if isinstance(task, dict) else None
    if keys is None and inner and all(isinstance(id, str) for id in inner):
        keys = inner
    if keys is not None and (not isinstance(keys, list) or len(keys) != len(texts)):
        count = len(keys) if isinstance(keys, list) else "no list of"
        findings.append(Finding(key, None, f"{len(texts)} values but {count} keys", "write one key per value, or none"))
        return None
    if keys is not None and (bad := next((id for id in keys if not isinstance(id, str)), None)) is not None:
        findings.append(Finding(key, str(bad), "key is not a string", "put ids in quotes"))
        return None
    return TaskOutputs(key, texts, keys)


def _name(task: Any, inner: list[Any], place: int) -> str:
    """Return the id of an output if it has one, else its position."""
    keys = task.get("keys") if isinstance(task, dict) else None
    named = keys[place] if isinstance(keys, list) and place < len(keys) else inner[place]
    return named if isinstance(named, str) else f"value {place + 1}"
