"""Error typology: whether each sentence is correct, and if not, which kinds of error it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from assay.inputs.typology import NO_ERROR
from assay.stats.votes import errors_of
from assay.studies.events import Answer, Suggestion
from assay.studies.kinds.base import QuestionKind, Shortcut, codes_problem, label_problem
from assay.studies.kinds.form import Fields, IncompleteError, SentQuestion, options_for


class Typology(QuestionKind):
    """NoE, or codes of errors joined by +, for each sentence."""

    name: ClassVar[str] = "typology"
    elicitation: ClassVar[str] = "classification of errors"
    by_sentence: ClassVar[bool] = True
    has_right_answer: ClassVar[bool] = True
    suggestible: ClassVar[bool] = True
    sheet_help: ClassVar[str] = "for each text a list with one entry per sentence: NoE, or error codes joined by +"
    list_unit: ClassVar[str] = "sentence"
    shortcuts: ClassVar[tuple[Shortcut, ...]] = (Shortcut(("keys.yes", "keys.no"), "keys.yes_no"),)
    template: ClassVar[str] = """
<div class="options">
  {{ inputs.option('radio', q.name, 'yes', t('ask.yes'), t('keys.yes'), q.chosen == 'yes') }}
  {{ inputs.option('radio', q.name, 'no', t('ask.no'), t('keys.no'), q.chosen == 'no') }}
</div>
<fieldset class="inner" data-when="{{ q.name }}" data-is="no">
  <legend>{{ t('ask.kinds') if q.several else t('ask.kind') }}</legend>
  <div class="options">
    {% for each in q.labels %}
    {{ inputs.option('checkbox' if q.several else 'radio', q.name ~ '_kinds', each.value,
                     each.value ~ ' · ' ~ each.label if each.label != each.value else each.value, each.key,
                     each.checked) }}
    {% endfor %}
  </div>
</fieldset>
"""

    def value_problem(self, answer: Answer) -> str | None:
        if not isinstance(answer.value, str):
            return label_problem(answer.value, self.question.labels)
        named = errors_of(answer.value)
        for code in named:
            if why := label_problem(code, self.question.labels):
                return why
        return "several error codes, and only one is allowed" if len(named) > 1 and not self.question.several else None

    def text_problem(self, answers: Sequence[Answer], sentences: Sequence[str]) -> str | None:
        wanted = {f"sentence:{number}" for number in range(len(sentences))}
        judged = {answer.unit for answer in answers}
        if not sentences or judged == wanted:
            return None
        odd = min(wanted ^ judged)
        return f"no answer to {odd}" if odd in wanted else f"{odd} does not exist"

    def expected_problem(self, expected: str) -> str | None:
        return codes_problem(expected, self.question.labels)

    def read(self, sent: SentQuestion) -> list[Answer]:
        unit = "summary" if sent.sentence is None else f"sentence:{sent.sentence}"
        if sent.choice(("yes", "no")) == "yes":
            return [sent.answer(NO_ERROR, unit)]
        codes = [code for code in self.question.labels if code in sent.texts("_kinds")]
        if not codes:
            raise IncompleteError("missing.kind")
        other = any(code.startswith("Other") for code in codes)
        if other and self.question.comments and not sent.text("_comment"):
            raise IncompleteError("missing.other")
        return [sent.answer("+".join(codes if self.question.several else codes[:1]), unit)]

    def prefilled(self, name: str, suggested: Sequence[Suggestion], sentence: int | None) -> dict[str, list[str]]:
        answer = super().prefilled(name, suggested, sentence)
        if not answer:
            return {}
        codes = errors_of(answer[name][0])
        return {name: ["no"], f"{name}_kinds": list(codes)} if codes else {name: ["yes"]}

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        codes = options_for(self.question.labels, fields.texts("_kinds"))
        return {"labels": codes, "several": self.question.several}
