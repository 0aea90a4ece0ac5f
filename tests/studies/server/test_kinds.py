"""Every kind of question, from its form to its judgement, and invalid forms."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.studies.judgements import study_judgements
from tests.studies.server.synthetic import KINDS, Site, filled

Kinds = Callable[[str], Site]
EXPECTED = {
    "likert": [4.0], "slider": [73.0], "choice": ["slips"], "pairwise": [0.5, 0.5], "best-worst": [1.0, -1.0, 0.0],
    "ranking": [2.0, 1.0, 3.0], "typology": ["RelE"], "spans": ["major"], "free-text": ["harbour towns"],
    "post-editing": ["Better."], "human-likeness": [2.0],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_of_each_kind_becomes_a_judgement(kinds: Kinds, kind: str) -> None:
    made = kinds(kind)
    person = made.person("anna")
    assert "A study by" in person.page.text
    person.begin()
    assert "/work/a" in person.path
    person.send(seconds="3.5", **filled(kind, person.page.text))
    assert "/work/a" in person.path  # the next task
    judgements = {judgement.system: judgement for judgement in study_judgements(made.now())}
    assert [judgements[name].value for name in sorted(judgements)] == EXPECTED[kind]
    assert all(judgement.seconds is not None and judgement.seconds <= 3.5 for judgement in judgements.values())
    assert all(judgement.annotator.startswith("p-") for judgement in judgements.values())


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        ("likert", {}, "Please select an answer"),
        ("likert", {"q0": "6"}, "not a valid answer"),
        ("likert", {"q0": "nan"}, "not a valid answer"),
        ("slider", {"q0": "101"}, "not a valid answer"),
        ("slider", {"q0": ""}, "Please select an answer"),
        ("choice", {"q0": "other"}, "not a valid answer"),
        ("pairwise", {"q0": "7"}, "not a valid answer"),
        ("best-worst", {"q0_best": "t1", "q0_worst": "t1"}, "must be different texts"),
        ("ranking", {"q0_t0": "1", "q0_t1": "1", "q0_t2": "2"}, "Each text needs a different rank"),
        ("ranking", {"q0_t0": "1", "q0_t1": "2", "q0_t2": "9"}, "not a valid answer"),
        ("typology", {"q0": "no"}, "at least one error"),
        ("typology", {"q0": "no", "q0_kinds": "OtherE"}, "describe the error in the comment"),
        ("spans", {"q0": "nothing"}, "not a valid answer"),
        ("spans", {"q0": '[{"start":0,"end":9999,"label":"major"}]'}, "not a valid answer"),
        ("spans", {"q0": '[{"start":0,"end":3,"label":"huge"}]'}, "not a valid answer"),
        (
            "spans",
            {"q0": '[{"start":0,"end":3,"label":"major"},{"start":0,"end":3,"label":"major"}]'},
            "not a valid answer",
        ),
        ("free-text", {}, "or tick “Not possible”"),
        ("post-editing", {}, "Please enter a text"),
        ("post-editing", {"q0": "x" * 20_001}, "not a valid answer"),
    ],
)
def test_invalid_answers_are_explained_and_kept_as_drafts(
    kinds: Kinds, kind: str, fields: dict[str, str], message: str
) -> None:
    made = kinds(kind)
    name = f"wrong {fields}"[:100]
    person = made.person(name)
    person.begin()
    before = person.path
    answer = person.send(**fields)
    assert answer.status_code == 422
    assert message in answer.text
    assert not any(made.now().assignments[each].done for each in made.now().annotators[name].assignments)
    person.get(f"/studies/{made.study}/")
    assert person.path == before


def test_no_spans_and_not_possible_are_answers(kinds: Kinds) -> None:
    for kind, fields in (("spans", {"q0": "[]"}), ("free-text", {"q0_none": "yes", "q0_0": "left over"})):
        made = kinds(kind)
        person = made.person("nothing")
        person.begin()
        person.send(**fields)
        assignment = made.now().assignments[made.now().annotators["nothing"].assignments[0]]
        assert assignment.done
        assert assignment.answers == ()


def test_no_page_names_systems(kinds: Kinds) -> None:
    for kind in KINDS:
        made = kinds(kind)
        person = made.person("reader")
        person.begin()
        assert "system-" not in person.page.text
        assert "the pier stays" in person.page.text
