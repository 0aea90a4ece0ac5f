"""What kinds share that compare the texts of a task: all texts on one screen, a number for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from assay.studies.kinds.base import QuestionKind
from assay.studies.kinds.form import Fields, shortcut_keys


class Comparison(QuestionKind):
    """A relative judgement. A text by itself has no value that could agree across tasks."""

    compares: ClassVar[bool] = True

    def size_problem(self, texts: int) -> str | None:
        return f"a comparison needs at least two texts, and the task has {texts}" if texts < 2 else None

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        keys = shortcut_keys(len(texts))
        return {
            "texts": [
                {"name": text["name"], "letter": text["letter"], "key": key} | self.text_values(fields, text["name"])
                for text, key in zip(texts, keys, strict=True)
            ]
        }

    def text_values(self, fields: Fields, name: str) -> dict[str, Any]:
        """Return what the template reads of each text, besides its name, letter and key."""
        return {}
