"""Traps are shown like other texts: a classifier over what reaches a browser or a sheet stays at chance."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from assay.records import Example
from assay.studies.events import Answer, Check
from assay.studies.presets import preset, preset_names
from assay.studies.quality import check_results
from assay.studies.sheets import assign_all
from assay.studies.study import Study
from assay.studies.tasks import plan_tasks
from tests.studies.trap_studies import ARTICLES, area, articles, assigned, designs, outputs, pages_of


def shape(value: Any) -> list[float]:
    """Numbers that describe a payload without its words: keys, lengths of lists, lengths and kinds of texts."""
    text = json.dumps(value, default=str)
    words = re.findall(r"[^\W\d_]+", text)
    return [
        float(each)
        for each in (
            len(text), len(words), text.count("{"), text.count("["), text.count("true"), text.count("null"),
            text.count('""'), text.count("."), text.count("{entities}"), len(re.findall(r"\d+", text)),
        )
    ]  # fmt: skip


def rows_of(study: Study) -> tuple[np.ndarray, np.ndarray]:
    """One row for each shown text: the shape of its screens, its place and its part of the sheet."""
    rows, labels = [], []
    for is_trap, where, pages, at in pages_of(study):
        rows.append([*where, *np.mean([shape(page) for page in pages], axis=0), *shape(at)])
        labels.append(is_trap)
    return np.array(rows), np.array(labels)


@pytest.mark.parametrize("texts", ["extractive", "abstractive"])
@pytest.mark.parametrize("name", ["by sentence", "by text"])
def test_a_classifier_of_pages_and_sheets_stays_at_chance(name: str, texts: str) -> None:
    rows, labels = rows_of(assigned(designs()[name], texts=texts))
    assert int(labels.sum()) == ARTICLES
    assert area(rows, labels) == pytest.approx(0.5, abs=0.06)


def test_the_classifier_finds_traps_of_one_sentence() -> None:
    """The check of the check: traps as they are in their file are recognised."""
    study = assigned(designs()["by sentence"], count=120)
    for id, task in list(study.tasks.items()):
        (check,) = task.checks
        bare = Check("trap", check.sentences[check.sentence], check.expected)
        study.tasks[id] = msgspec.structs.replace(task, checks=(bare,))
    assert area(*rows_of(study)) > 0.7


def test_the_answer_to_the_altered_sentence_decides() -> None:
    study = assigned(designs()["by sentence"], count=30)
    (assignment, *_) = assign_all(study, ["ann"], 0.0)["ann"]
    task = study.tasks[assignment.task]
    (check,) = task.checks
    for wrong, expected in ((check.sentence, 1), (check.sentence + 1, 0)):
        answers = tuple(
            Answer(number, study.design.questions[0].criterion, "EntE" if here else "", f"sentence:{each}")
            for number in range(len(task.texts) + 1)
            for each in range(len(task.shown_at(number).sentences))
            for here in [number == len(task.texts) and each == wrong]
        )
        assert check_results(study, replace(assignment, answers=answers))["trap"] == (expected, 1)


@pytest.mark.parametrize("systems", [3, 4, 5, 7])
@pytest.mark.parametrize("name", sorted(name for name in preset_names() if preset(name).sample.groups))
def test_groups_follow_the_article(name: str, systems: int) -> None:
    design = preset(name)
    if not design.sample.by_source or design.sample.lengths:
        pytest.skip("its tasks are sampled from all texts")
    news = articles(6)
    sample = msgspec.structs.replace(design.sample, items=6)
    examples = [Example(id=f"n{i}", source=" ".join(own)) for i, own in enumerate(news)]
    plan = plan_tasks(msgspec.structs.replace(design, sample=sample), outputs(news, systems), examples)
    sizes = [len(task.texts) for task in plan.tasks]
    assert sum(sizes) == 6 * systems
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= (design.sample.groups or 0)
    for task in plan.tasks:
        assert len({text.id for text in task.texts}) == 1
        assert task.source == " ".join(news[int(task.texts[0].id[1:])])
