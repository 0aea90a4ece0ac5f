"""What a task shows besides the texts to judge: the source, the event or entities that a question refers to.

A question must not name something that annotators do not see: the linter refuses it by the design, and assignment
warns by the data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from assay.inputs.entity_types import TESA
from assay.inputs.ontology import ontology_for
from assay.records import Example, kind_of, kinds, read_input
from assay.studies.design import Design, Question
from assay.studies.lint_report import Finding

REFERS = {
    "source": re.compile(r"\b(?:article|source|document|report|passage)s?\b", re.IGNORECASE),
    "event": re.compile(r"\b(?:the|this|that|each|an?) (?:\w{1,30} ){0,2}events?\b", re.IGNORECASE),
    "entities": re.compile(r"\{(?:entities|number|type)\}"),
}
"""Words by which a question refers to a part."""
NUMBERS = {
    "en": "no one two three four five six seven eight nine".split(),
    "de": "keine ein zwei drei vier fünf sechs sieben acht neun".split(),
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve".split(),
    "fr": "zéro un deux trois quatre cinq six sept huit neuf".split(),
    "tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz".split(),
}
"""Words for numbers of entities; in other languages they are digits."""
AND = {"en": " and ", "de": " und ", "es": " y ", "fr": " et ", "tr": " ve "}
"""What joins the last of several names; in other languages a comma."""


def referred(question: Question) -> list[str]:
    """Return the parts that the wording of a question refers to."""
    return [part for part, words in REFERS.items() if words.search(question.text)]


def parts_of(example: Example | None) -> list[str]:
    """Return the parts that an example can show."""
    if example is None:
        return []
    kind = kind_of(example)
    source = bool(example.source) or bool(
        example.input and (example.input.get("document") or example.input.get("context"))
    )
    own = {"event": ["event"], "entities": ["entities"]}.get(kind, [])
    return [*(["source"] if source else []), *own]


def shown_source(design: Design, example: Example | None) -> str:
    """Return what is shown next to the texts of an input: its source, after the event that it is about."""
    if example is None:
        return ""
    wanted = design.presentation.shows
    source = (example.source or "") if not wanted or "source" in wanted else ""
    if kind_of(example) != "event" or (wanted and "event" not in wanted):
        return source
    return "\n\n".join(part for part in (event_text(example), source) if part)


def event_text(example: Example) -> str:
    """Return the filled roles of an event, one per line, by their descriptions."""
    event = read_input(example, kinds.Event)
    known = ontology_for(event, where=f"id {example.id}: ")
    lines = [f"{known.about(key)}: {'; '.join(event.fillers(key))}" for key in known.roles if event.fillers(key)]
    return "\n".join(lines)


def placeholders(example: Example | None, language: str | None = None) -> dict[str, str]:
    """Return the placeholders of a question that an example fills: names, number and type of its entities.

    Args:
        example: A group of entities; others fill none.
        language: Language of the question (default: English).
    """
    if example is None or kind_of(example) != "entities":
        return {}
    group = read_input(example, kinds.Entities)
    *first, last = group.entities
    code = (language or "en").split("-")[0].lower()
    size, words = len(group.entities), NUMBERS.get(code, [])
    number = words[size] if size < len(words) else str(size)
    names = f"{', '.join(first)}{AND.get(code, ', ')}{last}" if first else last
    kind = group.type or ""
    plural = group.plural or (TESA.plural(kind) if kind in TESA.types else kind or "entities")
    return {"entities": names, "number": number, "type": plural}


def prompt(question: Question, placeholders: Mapping[str, str]) -> str:
    """Return the wording of a question with placeholders such as `{entities}` filled in."""
    text = question.text or question.criterion
    for name, value in placeholders.items():
        text = text.replace("{" + name + "}", value)
    return text


def missing_parts(design: Design, examples: Sequence[Example | None]) -> list[str]:
    """Return what questions refer to and inputs do not show, one sentence for each question and part."""
    sentences = []
    for question in design.questions:
        for part in referred(question):
            lacking = [one for one in examples if part not in parts_of(one)]
            if lacking:
                first = next((f", first id {one.id}" for one in lacking if one is not None), "")
                sentences.append(
                    f"question '{question.criterion}' refers to the {part}, which {len(lacking)} of {len(examples)} "
                    f"inputs do not have{first}"
                )
    return sentences


def not_shown(design: Design) -> Iterator[Finding]:
    """Yield a finding for each question that refers to a part that the design does not show."""
    for question in design.questions:
        for part in referred(question):
            if design.presentation.shows and part not in design.presentation.shows:
                yield Finding(
                    "not-shown", question.criterion, f"the question refers to the {part}, which is not shown",
                    f'add "{part}" to presentation.shows, or change the question',
                )  # fmt: skip
