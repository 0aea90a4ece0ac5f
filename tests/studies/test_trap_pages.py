"""Traps are shown like other texts: a classifier over the HTML of their pages stays at chance."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assay.studies.study import Study
from tests.studies.trap_studies import STUDIES, area, assigned, designs, pages_of

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")


def html_rows(study: Study, tmp_path: Path) -> tuple[np.ndarray, np.ndarray]:
    """One row for each shown text: how often each tag with its attributes, and each pair of them, is in its HTML.

    Texts, and the values of attributes, are left out: of an id or a name the form counts.
    """
    from fastapi import Request

    from assay.serving.server import open_server
    from assay.studies.server.rendering import kind_template

    server = open_server(tmp_path / "server", None, "http://127.0.0.1")
    server.pages.add_room("assay.studies.server")
    server.pages.add_templates(kind_template)
    request = Request({"type": "http", "headers": [], "path": "/", "query_string": b"", "method": "GET"})
    rows, labels = [], []
    for is_trap, where, pages, _ in pages_of(study):
        counts: Counter[str] = Counter()
        for page in pages:
            answer = server.pages.answer(
                request, "study/work.html", base="/studies/s", csrf="", design=study.design, study_title="s",
                lang="en", page=page, place=1, of=9, done=0, tasks=9, seconds="0.0", action="/a", assignment="a",
                draft="/d", back="/b", suggested=False,
            )  # fmt: skip
            tags = [structure(tag) for tag in re.findall(r"<[^>]+>", bytes(answer.body).decode())]
            counts.update(tags)
            counts.update(f"{first} {second}" for first, second in pairwise(tags))
        rows.append(dict(counts) | {f"where {i}": value for i, value in enumerate(where)})
        labels.append(is_trap)
    names = sorted({name for row in rows for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    return np.unique(table[:, table.std(0) > 0], axis=1), np.array(labels)  # many pairs of tags go together


def structure(tag: str) -> str:
    """A tag with the names of its attributes and the form of their values, in which digits and letters are alike."""
    return re.sub(r'"[^"]*"', lambda value: re.sub(r"\d", "0", re.sub(r"[a-z]+", "a", value[0].lower())), tag)


@pytest.mark.slow
@pytest.mark.parametrize("texts", STUDIES)
def test_a_classifier_of_html_stays_at_chance(texts: str, tmp_path: Path) -> None:
    """Also where traps are sentences of the source, and outputs are not."""
    rows, labels = html_rows(assigned(designs()["by sentence"], texts=texts), tmp_path)
    assert area(rows, labels) == pytest.approx(0.5, abs=0.06)


def test_the_classifier_of_html_finds_the_highlighting_of_sources(tmp_path: Path) -> None:
    """The check of the check: with their own highlighting, sentences of the source are recognised."""
    study = assigned(designs()["by sentence"], count=150, texts="abstractive, traps of sources")
    for id, task in list(study.tasks.items()):
        (check,) = task.checks
        study.tasks[id] = msgspec.structs.replace(task, checks=(msgspec.structs.replace(check, marked=()),))
    assert area(*html_rows(study, tmp_path)) > 0.7
