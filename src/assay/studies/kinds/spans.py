"""Spans: labelled parts of a text, each with a comment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from assay.studies.events import Answer, Suggestion
from assay.studies.kinds.base import QuestionKind, Shortcut, codes_problem, label_problem
from assay.studies.kinds.form import Fields, IncompleteError, SentQuestion, options_for
from assay.text.integers import is_integer

MOST_SPANS = 500


def place_of(unit: str) -> tuple[int, int]:
    """Return start and end of the unit `span:START-END`."""
    start, _, end = unit.removeprefix("span:").partition("-")
    return int(start), int(end)


class Span(msgspec.Struct, forbid_unknown_fields=True):
    """A labelled span of a text: characters from `start` to before `end`."""

    start: int
    end: int
    label: str
    comment: str = ""


class Spans(QuestionKind):
    """Labelled spans; a text may have none."""

    name: ClassVar[str] = "spans"
    elicitation: ClassVar[str] = "span annotation"
    required: ClassVar[bool] = False
    by_value: ClassVar[bool] = True
    suggestible: ClassVar[bool] = True
    sheet_help: ClassVar[str] = 'for each text a list of {"start", "end", "label", "comment"}; [] for no spans'
    script: ClassVar[str] = "spans.js"
    shows_text: ClassVar[bool] = True
    own_comments: ClassVar[bool] = True
    shortcuts: ClassVar[tuple[Shortcut, ...]] = (
        Shortcut(("←", "→"), "keys.words"),
        Shortcut(("keys.shift", "+", "←", "→"), "keys.extend"),
    )
    template: ClassVar[str] = """
<div class="spans" data-spans data-name="{{ q.name }}" data-comments="{{ 'yes' if q.comments else '' }}"
  data-say-marked="{{ t('spans.marked', label='{label}', text='{text}') }}"
  data-say-removed="{{ t('spans.removed', label='{label}', text='{text}') }}"
  data-say-first="{{ t('spans.first', text='{text}') }}" data-say-remove="{{ t('spans.remove') }}"
  data-say-comment="{{ t('spans.comment') }}" data-say-none="{{ t('spans.none') }}">
  <p class="hint" id="{{ q.name }}-how">{{ t('spans.how') }}</p>
  <div class="words" tabindex="0" role="textbox" aria-readonly="true" aria-multiline="true"
    aria-label="{{ t('spans.text') }}" aria-describedby="{{ q.name }}-how" lang="{{ lang }}"
    data-words>{{ page.words }}</div>
  <div class="labels" role="group" aria-label="{{ t('spans.labels') }}">
    {% for each in q.labels %}
    <button type="button" data-label="{{ each.value }}"{% if each.key %} data-key="{{ each.key }}"{% endif %}
      class="label-{{ loop.index0 % 8 }}">{{ each.value }}{% if each.label != each.value %}
      <small>{{ each.label }}</small>{% endif %}{{ inputs.key(each.key) }}</button>
    {% endfor %}
  </div>
  <p class="visually-hidden" role="status" data-said></p>
  <p class="hint">{{ t('spans.list') }}</p>
  <ul data-marks></ul>
  <input type="hidden" name="{{ q.name }}" value="{{ q.chosen or '[]' }}">
  <noscript><p class="missing">{{ t('spans.noscript') }}</p></noscript>
</div>
"""

    def value_problem(self, answer: Answer) -> str | None:
        if not isinstance(answer.value, str):
            return label_problem(answer.value, self.question.labels)
        start, _, end = answer.unit.removeprefix("span:").partition("-")
        if not (answer.unit.startswith("span:") and is_integer(start) and is_integer(end) and int(start) < int(end)):
            return f"unit '{answer.unit[:40]}' is not span:START-END"
        return label_problem(answer.value, self.question.labels)

    def expected_problem(self, expected: str) -> str | None:
        return codes_problem(expected, self.question.labels)

    def read(self, sent: SentQuestion) -> list[Answer]:
        try:
            spans = msgspec.json.decode(sent.text() or "[]", type=list[Span])
        except (msgspec.DecodeError, UnicodeError):
            raise IncompleteError("missing.other_value") from None
        assert sent.text_number is not None
        end = len(sent.task.shown_at(sent.text_number).text)
        places = {(span.start, span.end, span.label) for span in spans}
        if len(places) < len(spans) or len(spans) > MOST_SPANS or any(not 0 <= a < b <= end for a, b, _ in places):
            raise IncompleteError("missing.other_value")
        answers = [
            msgspec.structs.replace(
                sent.answer(span.label, f"span:{span.start}-{span.end}"), comment=span.comment.strip()
            )
            for span in spans
        ]
        if self.text_problem(answers, ()):
            raise IncompleteError("missing.label")
        return answers

    def prefilled(self, name: str, suggested: Sequence[Suggestion], sentence: int | None) -> dict[str, list[str]]:
        spans = [{**dict(zip(("start", "end"), place_of(each.unit), strict=True)), "label": each.value}
                 for each in suggested]  # fmt: skip
        return {name: [msgspec.json.encode(spans).decode()]}

    def text_problem(self, answers: Sequence[Answer], sentences: Sequence[str]) -> str | None:
        """Return which mandatory label or comment is missing; a text without spans has no statement."""
        if not answers:
            return None
        lacking = [label for label in self.question.required if label not in {answer.value for answer in answers}]
        if lacking:
            return f"no span of the mandatory label {lacking[0]}"
        bare = next((a for a in answers if a.value in self.question.commented and not a.comment.strip()), None)
        return f"{bare.unit} ({bare.value}): a comment is required" if bare else None

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        return {"labels": options_for(self.question.labels, ())}
