"""Texts with labelled spans: what an extractor learns from each kind of input."""

from __future__ import annotations

import pytest

from assay.errors import AssayError
from assay.inputs.labelled import labelled
from assay.records import Example


def spans(example: Example) -> list[tuple[str, str]]:
    (one,) = labelled(example)
    return [(span.category, one.text[span.start : span.end]) for span in one.spans]


def test_every_occurrence_of_a_mention() -> None:
    text = "The mayor spoke. Guards saw the mayor of Lund; a guardsman did not."
    mentions = [
        [{"text": "the mayor of lund", "start": 0}, {"text": "mayor", "start": 0}],
        [{"text": "guards", "start": 0}],
    ]
    structure = {"kind": "events", "templates": [{"type": "attack", "Victim": mentions}]}
    example = Example(id="1", source=text, input=structure)
    assert spans(example) == [("victim", "mayor"), ("victim", "Guards"), ("victim", "the mayor of Lund")]


def test_fillers_of_a_summary() -> None:
    structure = {
        "kind": "event",
        "template": {"type": "arson", "target": ["a bridge"], "weapon": ["petrol"], "date": ["May"]},
    }
    example = Example(id="1", references=("In May a  bridge burnt.",), input=structure)
    assert spans(example) == [("target", "a  bridge")]


def test_values_of_acts_and_what_has_none() -> None:
    acts = [
        {"act": "OFFER", "slot": "town", "values": ["Lund"]},
        {"act": "INFORM", "slot": "wifi", "values": ["True"]},
        {"act": "REQ_MORE", "slot": None, "values": []},
    ]
    structure = {"kind": "acts", "service": "Buses", "acts": acts, "context": []}
    example = Example(id="1", references=("To Lund , with wifi . More ?",), input=structure)
    assert spans(example) == [("OFFER town", "Lund")]
    (one,) = labelled(example)
    assert one.labels == ["service Buses", "INFORM wifi True", "REQ_MORE"]


def test_marked_texts_and_others() -> None:
    structure = {"kind": "annotated", "text": "one two", "spans": [{"category": "x", "start": 4, "end": 7}]}
    assert spans(Example(id="1", input=structure)) == [("x", "two")]
    with pytest.raises(AssayError, match="id 7: an input of kind concepts has no labelled spans"):
        labelled(Example(id="7", input={"kind": "concepts", "concepts": ["a"]}))
