"""Format: whether outputs have the required form."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.errors import AssayError
from assay.metrics.answers.extraction import NO_JSON, is_choice, json_in
from assay.metrics.answers.json_schema import is_valid, read_schema
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.statistics import Dense
from assay.records.items import Items

Form = Literal["json", "fenced-json", "xml", "number", "choice", "list", "line"]
NUMBER = re.compile(r"[-−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?")
BULLET = re.compile(r"\s{0,9}(?:[-*•]|\d{1,3}[.)])\s")


def _is_xml(text: str) -> bool:
    """Return whether a text is well-formed XML; a document type is refused, because entities can fill any memory."""
    from xml.parsers.expat import ExpatError, ParserCreate

    if "<!DOCTYPE" in text[:2000] or "<!ENTITY" in text:
        return False
    try:
        ParserCreate().Parse(text.strip().encode("utf-8", "replace"), True)
    except ExpatError:
        return False
    return True


def _is_list(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return bool(lines) and all(BULLET.match(line) for line in lines)


FORMS: dict[str, Callable[[str], bool]] = {
    "json": lambda text: json_in(text, whole=True) is not NO_JSON,
    "fenced-json": lambda text: json_in(text) is not NO_JSON,
    "xml": _is_xml,
    "number": lambda text: bool(NUMBER.fullmatch(text.strip())),
    "choice": is_choice,
    "list": _is_list,
    "line": lambda text: bool(text.strip()) and "\n" not in text.strip(),
}


@dataclass(frozen=True)
class FormatValid(MeanMetric):
    """Share of outputs with the required form: JSON, JSON that may be in a fence or between other text, XML, a number,
    the letter of a choice, a list with bullets or numbers, or a single line."""

    form: Form = "json"
    """The required form."""
    schema: str = ""
    """JSON Schema file that JSON has to fit (default: any JSON)."""
    max_words: int = 0
    """Largest number of words (default: 0, any number)."""

    name: ClassVar = "format_valid"
    category: ClassVar = "descriptive"
    summary: ClassVar = "share of outputs with the required form"
    needs: ClassVar = ()
    citation: ClassVar = "Zhou et al. (2023), Instruction-Following Evaluation for Large Language Models"

    def __post_init__(self) -> None:
        if self.schema and self.form not in ("json", "fenced-json"):
            raise AssayError(f"format_valid: a schema is of JSON, and form is {self.form}. Leave one out.")
        self.require("max_words", 0)

    def parts(self) -> tuple[Part, ...]:
        return (Part("format_valid", scale=100, digits=1),)

    def options(self) -> dict[str, Any]:
        from assay.records.files import digest_of

        return {**super().options(), "schema": digest_of(read_schema(self.schema))[:8] if self.schema else "none"}

    def statistics(self, items: Items) -> Dense:
        return self.rows({"format_valid": np.array([self.fits(text) for text in items.outputs], dtype=np.float64)})

    def fits(self, text: str) -> bool:
        """Return whether an output has the required form."""
        if self.max_words and len(text.split()) > self.max_words:
            return False
        if not FORMS[self.form](text):
            return False
        return not self.schema or is_valid(json_in(text, whole=self.form == "json"), read_schema(self.schema))
