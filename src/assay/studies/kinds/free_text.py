"""Free text: phrases that the annotator writes about a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from assay.studies.events import Answer
from assay.studies.kinds.base import QuestionKind, written_problem
from assay.studies.kinds.form import Fields, IncompleteError, SentQuestion


class FreeText(QuestionKind):
    """From `least` to `most` phrases; none where `least` is 0 and none is possible."""

    name: ClassVar[str] = "free-text"
    elicitation: ClassVar[str] = "free text"
    required: ClassVar[bool] = False
    sheet_help: ClassVar[str] = "for each text a list of texts; [] if none is possible"
    template: ClassVar[str] = """
{% for each in q.fields %}
<label class="line">{{ t('ask.phrase', number=loop.index) }}
  <input type="text" name="{{ each.name }}" value="{{ each.value }}" maxlength="2000" autocomplete="off"
    lang="{{ lang }}">
</label>
{% endfor %}
{% if q.may_be_none %}
{{ inputs.option('checkbox', q.name ~ '_none', 'yes', t('ask.not_possible'), '', q.none) }}
{% endif %}
"""

    def value_problem(self, answer: Answer) -> str | None:
        return written_problem(answer.value)

    def text_problem(self, answers: Sequence[Answer], sentences: Sequence[str]) -> str | None:
        least, most = self.question.least, self.question.most
        return None if least <= len(answers) <= most else f"{len(answers)} texts, and {least} to {most} are required"

    def read(self, sent: SentQuestion) -> list[Answer]:
        least = self.question.least
        phrases = [text for place in range(self.question.most) if (text := sent.text(f"_{place}"))]
        if sent.text("_none") and not least:
            phrases = []
        elif len(phrases) < max(1, least):
            raise IncompleteError("missing.text" if least else "missing.text_or_none")
        return [sent.answer(text, f"answer:{place}") for place, text in enumerate(phrases)]

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        places = range(self.question.most)
        return {
            "fields": [{"name": f"{fields.name}_{place}", "value": fields.text(f"_{place}")} for place in places],
            "may_be_none": not self.question.least,
            "none": bool(fields.text("_none")),
        }
