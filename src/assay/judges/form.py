"""Forms of judges: versioned TOML files with the question, its levels and the shape of the answer.

A form is what a model is asked about a text. Its name, version and content are part of every signature.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from assay.errors import AssayError
from assay.records.documents import read_toml
from assay.records.files import digest_of
from assay.records.key_problems import key_problem
from assay.specs import did_you_mean
from assay.systems.prompts import BRACES, Prompt

Kind = Literal["rating", "checklist", "choice", "pairwise", "ranking", "spans"]
ABOUT: dict[Kind, str] = {
    "rating": "a number on a scale with described levels", "checklist": "yes or no to each question",
    "choice": "one of several labels", "pairwise": "the better of two texts, asked in both orders",
    "ranking": "all texts of an item from best to worst", "spans": "error spans with category and severity",
}  # fmt: skip
COMPARES = ("pairwise", "ranking")
"""Kinds about several texts of the same item."""
PLACES = ("first", "second", "equal")
FIELDS = ("source", "output", "reference", "references", "contexts", "first", "second", "texts", "criteria", "answer")
"""Fields that the text of a form may use; `criteria` and `answer` are written from the form."""


class Criterion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that is judged, with its question and the described levels of its scale."""

    name: str
    question: str = ""
    levels: dict[str, str] = {}
    """Rating: number to description. Choice: label to description."""
    values: dict[str, float] = {}
    """Choice: the number of each label (default: labels stay words)."""
    better: Literal["higher", "lower"] = "higher"

    @property
    def scale(self) -> tuple[float, float]:
        """Lowest and highest rating."""
        numbers = sorted(float(level) for level in self.levels)
        return numbers[0], numbers[-1]


class JudgeForm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """What a model is asked, and what it may answer."""

    name: str
    version: str
    kind: Kind
    about: str
    user: str
    system: str = ""
    criteria: tuple[Criterion, ...] = ()
    ties: bool = True
    """Pairwise and ranking: whether texts may be equal."""
    categories: dict[str, str] = {}
    """Spans: category to description."""
    severities: dict[str, float] = {}
    """Spans: severity to its weight in the penalty."""
    citation: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.criteria)

    def criterion(self, name: str) -> Criterion:
        return next(each for each in self.criteria if each.name == name)

    @property
    def compares(self) -> bool:
        return self.kind in COMPARES

    @cached_property
    def signature(self) -> str:
        """Name, version and digest of everything that the model is asked."""
        return f"{self.name}-{self.version}-{digest_of(msgspec.to_builtins(self), self.prompt(self.names))[:12]}"

    @cached_property
    def shows(self) -> tuple[str, ...]:
        """Fields of an item that the model reads."""
        return tuple(self.prompt(self.names).fields())

    def only(self, names: Sequence[str]) -> JudgeForm:
        """Return the form with some of its criteria.

        Raises:
            AssayError: the form has no such criterion.
        """
        for name in names:
            if name not in self.names:
                raise AssayError(
                    f"form {self.name}: no criterion {name}{did_you_mean(name, self.names)}; "
                    f"it has {', '.join(self.names)}"
                )
        return msgspec.structs.replace(self, criteria=tuple(each for each in self.criteria if each.name in names))

    def prompt(self, names: Sequence[str]) -> Prompt:
        """Return the prompt about some criteria, with `{criteria}` and `{answer}` written out."""
        return Prompt(self.name, self.version, self._written(self.system, names), self._written(self.user, names))

    def _written(self, text: str, names: Sequence[str]) -> str:
        return filled(text, {"criteria": self._criteria(names), "answer": self._answer(names)}).strip()

    def _criteria(self, names: Sequence[str]) -> str:
        lines = []
        for each in self.criteria:
            if each.name in names:
                lines.append(f"{each.name}: {each.question}")
                lines += [f"  {level} = {meaning}" for level, meaning in each.levels.items()]
        lines += [f"  category {name}: {meaning}" for name, meaning in self.categories.items()]
        return "\n".join(lines)

    def _answer(self, names: Sequence[str]) -> str:
        """Return the instruction about the answer; the reason comes first, so that the value follows from it."""
        if self.kind == "spans":
            error = {"text": "exact words of the output", "category": "…", "severity": "|".join(self.severities)}
            shape: dict[str, Any] = {"errors": [error]}
            more = " Use an empty list if there is no error."
        else:
            shape = {"reason": "one sentence", **{name: self._words(name) for name in names}}
            more = ""
        return f"Answer with one JSON object and nothing else: {json.dumps(shape, ensure_ascii=False)}.{more}"

    def _words(self, name: str) -> str:
        """Return the possible values of a criterion, in words."""
        if self.kind == "rating":
            return f"<{'|'.join(self.criterion(name).levels)}>"
        if self.kind == "ranking":
            return "B > A = C" if self.ties else "B > A > C"
        if self.kind == "choice":
            return "|".join(self.criterion(name).levels)
        return "yes|no" if self.kind == "checklist" else "|".join(PLACES if self.ties else PLACES[:2])

    def schema(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the JSON schema of the answer, for servers that enforce one."""
        if self.kind == "spans":
            words = {"category": list(self.categories), "severity": list(self.severities)}
            error = _object({"text": {"type": "string"}, **{key: _enum(values) for key, values in words.items()}})
            return _object({"errors": {"type": "array", "items": error}})
        return _object({"reason": {"type": "string"}, **{name: self._value_schema(name) for name in names}})

    def _value_schema(self, name: str) -> dict[str, Any]:
        criterion = self.criterion(name)
        if self.kind == "rating":
            numbers = [float(level) for level in criterion.levels]
            whole = all(number.is_integer() for number in numbers)
            return {"type": "integer" if whole else "number", "enum": [int(n) if whole else n for n in numbers]}
        if self.kind == "ranking":
            return {"type": "string"}
        places = PLACES if self.ties else PLACES[:2]
        return _enum({"checklist": ["yes", "no"], "pairwise": list(places)}.get(self.kind, list(criterion.levels)))


def _enum(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False
    }  # fmt: skip


def built_in() -> list[str]:
    """Return the names of the shipped forms."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().glob("*.toml"))


def judge_form(name: str) -> JudgeForm:
    """Return a shipped form by name, or a form of a TOML file.

    Raises:
        AssayError: there is no such form, or the file is no form.
    """
    path = Path(name) if name.endswith(".toml") else _folder() / f"{name}.toml"
    if not path.is_file():
        if name.endswith(".toml"):
            raise AssayError(f"{name}: no such file; give a TOML file, or a name of `assay judge list`")
        known = built_in()
        raise AssayError(f"no form {name}{did_you_mean(name, known)}; there is {', '.join(known)}, or give FILE.toml")
    data = read_toml(path)
    if isinstance(data.get("version"), int | float):
        data = {**data, "version": f"{data['version']:g}"}
    try:
        form = msgspec.convert(data, JudgeForm)
    except msgspec.ValidationError as error:
        raise AssayError(
            f"{path}: not a form of a judge ({key_problem(error, JudgeForm)}); see docs/judges.md"
        ) from None
    if why := problem(form):
        raise AssayError(f"{path}: {why}")
    return form


def problem(form: JudgeForm) -> str | None:
    """Return why a form cannot be used, or None."""
    used = form.prompt(form.names).fields()
    if unknown := [name for name in used if name not in FIELDS]:
        return f"no field {{{unknown[0]}}}; there is {', '.join(FIELDS)}. Write a literal brace as {{{{ or }}}}"
    needed = {"pairwise": ("first", "second"), "ranking": ("texts",)}.get(form.kind, ("output",))
    for field in needed:
        if field not in used:
            return f"a {form.kind} form needs {{{field}}} in its text; otherwise every item gets the same question"
    if not form.criteria:
        return "no criteria; add [[criteria]] with a name and a question"
    if len(set(form.names)) < len(form.names) or any(not name or name == "reason" for name in form.names):
        return "names of criteria must be distinct, not empty and not `reason`"
    if len(form.criteria) > 1 and form.kind in ("pairwise", "ranking", "spans"):
        return f"a {form.kind} form has one criterion; write one form for each"
    for each in form.criteria:
        if why := _criterion_problem(form.kind, each):
            return f"criterion {each.name}: {why}"
    if form.kind == "spans" and not (form.categories and form.severities):
        return "a spans form needs [categories] and [severities]"
    return None


def _criterion_problem(kind: Kind, each: Criterion) -> str | None:
    if kind in ("rating", "choice") and len(each.levels) < 2:
        return "needs at least two levels"
    if kind == "rating":
        try:
            numbers = [float(level) for level in each.levels]
        except ValueError:
            return "levels of a rating are numbers"
        if numbers != sorted(set(numbers)) or not all(map(isfinite, numbers)):
            return "levels must be increasing numbers, and finite ones"
    elif kind not in ("choice",) and each.levels:
        return f"a {kind} form has no levels"
    if each.values and (kind != "choice" or set(each.values) != set(each.levels)):
        return "values must name the labels of a choice, all of them"
    return None


def prompt_form(prompt: Prompt, criterion: str, scale: tuple[float, float]) -> JudgeForm:
    """Return the form of a plain prompt, which asks for a rating of one criterion as a single line."""
    low, high = scale
    if not low < high:
        raise AssayError(f"scale {low:g}-{high:g}: write the lower end first, e.g. 1-5")
    fields = {"criterion": criterion, "low": f"{low:g}", "high": f"{high:g}"}
    system, user = (filled(text, fields) for text in (prompt.system, prompt.user))
    levels = {f"{low:g}": "very bad", f"{high:g}": "very good"}
    return JudgeForm(
        name=prompt.name, version=prompt.version, kind="rating", about="a rating by a plain prompt", system=system,
        user=user, criteria=(Criterion(name=criterion, levels=levels),),
    )  # fmt: skip


def filled(text: str, fields: Mapping[str, str]) -> str:
    """Write some fields of a text out, with their braces escaped; other fields and literal braces stay."""

    def fill(match: re.Match[str]) -> str:
        value = None if match[1] is None else fields.get(match[1][:-1])
        return match[0] if value is None else value.replace("{", "{{").replace("}", "}}")

    return BRACES.sub(fill, text)


def _folder() -> Path:
    return Path(str(files("assay.judges.forms")))


KINDS: tuple[Kind, ...] = get_args(Kind)
