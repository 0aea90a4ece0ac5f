"""Suggestions on the pages of a study and on its dashboard."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from assay.studies.events import Suggestion, Task
from assay.studies.judgements import study_judgements
from tests.studies.server.synthetic import design_of, make_site, tasks_of

SUGGESTED = {
    "likert": (Suggestion(2.0),), "choice": (Suggestion("slips"),),
    "typology": (Suggestion("RelE", "sentence:0"),), "spans": (Suggestion("major", "span:0-7"),),
}  # fmt: skip
PREFILLED = {
    "likert": r'value="2"[^>]*checked', "choice": r'value="slips"[^>]*checked', "typology": r'value="RelE"[^>]*checked',
    "spans": "&#34;end&#34;:7,&#34;label&#34;:&#34;major&#34;",
}  # fmt: skip


def suggested(kind: str, hold_out: float) -> list[Task]:
    return [
        msgspec.structs.replace(
            task, hold_out=hold_out,
            texts=tuple(msgspec.structs.replace(t, suggested={"quality": SUGGESTED[kind]}) for t in task.texts),
        )
        for task in tasks_of(kind)
    ]  # fmt: skip


@pytest.mark.parametrize("kind", SUGGESTED)
def test_a_suggestion_is_filled_in_and_marked_as_one(tmp_path: Path, kind: str) -> None:
    made = make_site(tmp_path, None, design_of(kind), suggested(kind, 0.0))
    person = made.person("anna")
    person.begin()
    assert "suggested by a model" in person.page.text
    assert re.search(PREFILLED[kind], person.page.text)


def test_a_held_out_suggestion_leaves_no_trace_on_the_page(tmp_path: Path) -> None:
    made = make_site(tmp_path, None, design_of("choice"), suggested("choice", 1.0))
    person = made.person("anna")
    person.begin()
    assert "suggested by a model" not in person.page.text
    assert "checked" not in person.page.text.split("data-shortcuts")[0]
    person.send(seconds="3", q0="hard")
    assert [each.suggested for each in study_judgements(made.now())] == [False]
    board = made.researcher().get(f"/running/{made.study}")
    assert "Largest disagreements" in board.text
    assert "hard" in board.text
