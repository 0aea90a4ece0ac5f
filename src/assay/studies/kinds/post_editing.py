"""Post-editing: the text, corrected by the annotator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from assay.studies.events import Answer
from assay.studies.kinds.base import QuestionKind, written_problem
from assay.studies.kinds.form import Fields, IncompleteError, SentQuestion


class PostEditing(QuestionKind):
    """The corrected text; it may be empty."""

    name: ClassVar[str] = "post-editing"
    elicitation: ClassVar[str] = "post-editing"
    sheet_help: ClassVar[str] = "the corrected text for each text"
    template: ClassVar[str] = """
<label class="line">{{ t('ask.your_version') }}
  <textarea name="{{ q.name }}" rows="6" maxlength="20000" lang="{{ lang }}">
{{- '\\n' if q.chosen.startswith('\\n') else '' }}{{ q.chosen }}</textarea>
</label>
"""

    def value_problem(self, answer: Answer) -> str | None:
        return written_problem(answer.value, may_be_empty=True)

    def read(self, sent: SentQuestion) -> list[Answer]:
        if sent.name not in sent.form:
            raise IncompleteError("missing.text")
        return [sent.answer(sent.text())]

    def chosen(self, fields: Fields, texts: Sequence[Mapping[str, Any]]) -> str:
        return fields.text() if fields.name in fields.form else texts[0]["text"]
