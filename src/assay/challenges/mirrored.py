"""Keep the source and the structured input of a perturbed item consistent.

If only one of them was altered and the other repeats it, the other is updated: the last turn of a dialog, the
sentences of a document, a source that is the input in its usual form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from assay.errors import AssayError
from assay.inputs import form, form_for
from assay.records.inputs import kind_of, known_input, with_input
from assay.records.types import Example


def mirrored(altered: Example, parent: Example) -> Example:
    """Return the altered item with every copy of the altered part updated."""
    if parent.source is None or parent.input is None or altered.source is None or altered.input is None:
        return altered
    new_source, new_input = altered.source != parent.source, altered.input != parent.input
    if new_input and not new_source and _written(parent) == parent.source:
        return msgspec.structs.replace(altered, source=_written(altered))
    if new_source and kind_of(altered) in REPEATS and known_input(altered) is not None:
        fields = REPEATS[kind_of(altered)](altered.input, parent.source, altered.source)
        return with_input(altered, **fields) if fields else altered
    return altered


def _written(example: Example) -> str | None:
    """Return the input in the default form of its kind."""
    try:
        return form(form_for(example)).render(example)
    except AssayError:  # no form writes this kind
        return None


Fields = dict[str, Any]


def _last_turn(content: Mapping[str, Any], old: str, new: str) -> Fields:
    turns = list(cast("Sequence[Any]", content.get("context", ())))
    if not turns or turns[-1]["text"] != old:
        return {}
    return {"context": [*turns[:-1], {**turns[-1], "text": new}]}


def _passage(content: Mapping[str, Any], old: str, new: str) -> Fields:
    return {"context": new} if content["context"] == old else {}


def _document(content: Mapping[str, Any], old: str, new: str) -> Fields:
    """Keep sentence boundaries if the length is the same; otherwise the text after the first change is one sentence."""
    sentences = list(cast("Sequence[str]", content.get("document") or ()))
    if not sentences or " ".join(sentences) != old:
        return {}
    changed: list[str] = []
    place = 0
    for sentence in sentences:
        end = place + len(sentence)
        if len(new) != len(old) and (new[place:end] != sentence or end == len(old)):
            return {"document": [*changed, new[place:]]}
        changed.append(new[place:end])
        place = end + 1
    return {"document": changed}


def _annotated(content: Mapping[str, Any], old: str, new: str) -> Fields:
    """Return the new text if its spans still cover the same characters."""
    ends = [span["end"] for span in cast("Sequence[Any]", content.get("spans", ()))]
    fits = len(new) == len(old) or (old.startswith(new) and max(ends, default=0) <= len(new))
    return {"text": new} if content["text"] == old and fits else {}


REPEATS = {"acts": _last_turn, "entities": _passage, "event": _document, "annotated": _annotated}
"""Input kind to the fields that repeat its source, from input and source before and after."""
