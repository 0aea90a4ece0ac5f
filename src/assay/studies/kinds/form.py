"""Forms of questions: what they have sent, and what is missing in it, as a key of the catalogue.

The fields of question number 2 begin with `q2`: the answer itself, `q2_kinds`, `q2_comment`, `q2_best`, `q2_1`, …
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.studies.events import Answer, Task

if TYPE_CHECKING:
    from assay.studies.design import Question

Form = Mapping[str, Sequence[str]]
KEYS = "123456789"


class IncompleteError(Exception):
    """A question without an answer that can be stored; `key` names the message of the catalogue."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def field_value(form: Form, name: str) -> str:
    """Return a field as it was filled in, or an empty string where it is missing."""
    sent = form.get(name) or ("",)
    return sent[-1].replace("\r\n", "\n").strip()


@dataclass(frozen=True)
class Fields:
    """The form fields of one question."""

    name: str
    """Prefix of their names, such as `q2`."""
    form: Form

    def text(self, suffix: str = "") -> str:
        """Return one field as it was filled in."""
        return field_value(self.form, self.name + suffix)

    def texts(self, suffix: str = "") -> Sequence[str]:
        """Return all values of one field, such as checkboxes."""
        return self.form.get(self.name + suffix, ())

    def number(self, suffix: str = "") -> float:
        """Return a number; IncompleteError where there is none."""
        raw = self.text(suffix)
        try:
            return float(raw)
        except ValueError:
            raise IncompleteError("missing.other_value" if raw else "missing.choice") from None

    def choice(self, allowed: Container[str], suffix: str = "") -> str:
        """Return one of the allowed values; IncompleteError where none of them was sent."""
        raw = self.text(suffix)
        if raw not in allowed:
            raise IncompleteError("missing.other_value" if raw else "missing.choice")
        return raw


@dataclass(frozen=True)
class SentQuestion(Fields):
    """The form fields of one question, with the texts they are about."""

    question: Question
    task: Task
    text_number: int | None
    """The text of the task that was judged; None where texts were compared."""
    sentence: int | None
    """The sentence of that text, where sentences are judged."""
    order: Sequence[int]
    """The texts that were compared, in the order of the page."""
    names: Sequence[str]
    """What the page calls each text of the task."""

    def answer(self, value: float | str, unit: str = "summary", text: int | None = None) -> Answer:
        """Return an answer about the judged text, or another text of the task, with the comment of the form."""
        about = self.text_number if text is None else text
        assert about is not None
        return Answer(about, self.question.criterion, value, unit, comment=self.text("_comment"))


def options_for(labels: Mapping[str, str], chosen: Container[str]) -> list[dict[str, Any]]:
    """Return the options of a template: value, label, keyboard shortcut, and whether it is checked."""
    return [
        {"value": code, "label": label or code, "key": key, "checked": code in chosen}
        for (code, label), key in zip(labels.items(), shortcut_keys(len(labels)), strict=True)
    ]


def shortcut_keys(count: int) -> list[str]:
    """Return the digit of each option, and no key for options after the ninth."""
    return [KEYS[place] if place < len(KEYS) else "" for place in range(count)]
