"""Custom subset rule: an expression on tags, or a Python function of an example."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from assay.challenges.contrast.base import Contrast, Tags
from assay.challenges.contrast.expression import ExpressionError, compute, read_expression
from assay.errors import AssayError, blaming, first_line
from assay.records.types import Example

FIELDS = ("id", "language", "split", "source", "parent", "references")


@dataclass(frozen=True)
class Rule(Contrast):
    """The result is the tag's value: true is yes and false is no; None assigns no tag."""

    expression: str = ""
    """Expression on tags and fields of an item: int(size) > 3 and category == "City"."""
    function: str = ""
    """Function of an example: package.module.name, or a name in the file."""
    file: str = ""
    """Python file with the function; it is executed."""
    tag: str = "rule"
    """Name of the tag."""

    name: ClassVar = "rule"
    about: ClassVar = "custom rule: an expression on tags, or a Python function"
    gives: ClassVar = "the named tag (default: rule): yes and no, or the returned value"

    def __post_init__(self) -> None:
        if bool(self.expression) == bool(self.function):
            raise AssayError("contrast rule: pass either expression=… or function=…")
        if self.file and not self.function:
            raise AssayError("contrast rule: file=… requires function=NAME")
        if not self.tag.strip():
            raise AssayError("contrast rule: tag= names the tag")
        if self.expression:
            read_expression(self.expression)

    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        decide = self._function() if self.function else self._expression()
        tagged = []
        for example in examples:
            with blaming(f"id {example.id}: {self.function or 'rule'}", decide):
                value = decide(example)
            tagged.append(self._tag(example, value))
        return tagged

    def _tag(self, example: Example, value: Any) -> Tags:
        if value is None:
            return {}
        if isinstance(value, bool):
            return {self.tag: "yes" if value else "no"}
        if isinstance(value, str | int | float):
            return {self.tag: str(value)}
        raise AssayError(
            f"id {example.id}: the rule returned {type(value).__name__}; a text, a number, true or false is a tag"
        )

    def _expression(self) -> Callable[[Example], Any]:
        tree = read_expression(self.expression)

        def decide(example: Example) -> Any:
            names = {**{field: getattr(example, field) for field in FIELDS}, **example.tags}
            try:
                return compute(tree, names)
            except ExpressionError as error:
                raise AssayError(f"id {example.id}: {error}") from None

        return decide

    def _function(self) -> Callable[[Example], Any]:
        module, _, name = self.function.rpartition(".")
        try:
            home = _from_file(Path(self.file)) if self.file else importlib.import_module(module)
            function = getattr(home, name)
        except AssayError:
            raise
        except Exception as error:  # importing runs the module, which may raise any exception
            raise AssayError(f"contrast rule: {self.file or self.function}: {first_line(error)}") from None
        if not callable(function):
            raise AssayError(f"contrast rule: {self.function} is not a function")
        decide: Callable[[Example], Any] = function
        return decide


def _from_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise AssayError(f"{path}: no such Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
