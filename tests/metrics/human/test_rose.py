"""ROSE: the eight published verdicts, several annotators, and warnings about what they said."""

from __future__ import annotations

import json
from pathlib import Path

import assay
from assay.metrics.human.rose import CRITERIA
from assay.records import Example, Items
from tests.support import score

VERDICTS = ["001", "011", "010", "010", "001", "111", "111", "111"]
"""Semantics, grammaticality and phenomenon of the outputs a to h of the published table."""


def said(tmp_path: Path, verdicts: dict[str, list[str]], system: str = "drs") -> str:
    rows = [
        {"id": str(i), "system": system, "annotator": annotator, "criterion": criterion, "value": int(value)}
        for annotator, each in verdicts.items()
        for i, verdict in enumerate(each)
        for criterion, value in zip(CRITERIA, verdict, strict=True)
    ]
    path = tmp_path / "said.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def outputs(n: int) -> Items:
    return Items(("x",) * n, tuple(Example(id=str(i)) for i in range(n)), "drs")


def test_published_verdicts(tmp_path: Path) -> None:
    found = score(f"rose:judgements={said(tmp_path, {'a': VERDICTS})}", outputs(8))
    assert found == {
        "rose": 0.375, "rose.semantics": 0.375, "rose.grammaticality": 0.75, "rose.phenomenon": 0.75,
    }  # fmt: skip
    assert found["rose"] <= min(found[f"rose.{criterion}"] for criterion in CRITERIA)


def test_annotators_are_averaged_by_their_own_answers(tmp_path: Path) -> None:
    # each finds another fault: neither verdict is whole, though every criterion has a yes
    found = score(f"rose:judgements={said(tmp_path, {'a': ['011'], 'b': ['110']})}", outputs(1))
    assert found["rose"] == 0
    assert found["rose.grammaticality"] == 1
    assert found["rose.semantics"] == 0.5


def test_intervals_tests_and_warnings(tmp_path: Path) -> None:
    path = said(tmp_path, {"a": [*VERDICTS * 8, "110"]})
    examples = [Example(id=str(i)) for i in range(66)]
    result = assay.score(["x"] * 66, examples=examples, metrics=[f"rose:judgements={path}"], ci=200, system="drs")
    made = result.scores["rose"]
    assert made.low is not None
    assert made.low < made.value < made.high  # type: ignore[operator]
    notes = " ".join(result.warnings)
    assert "rose: 1 output is correct in meaning without the phenomenon, which is rare: check 64" in notes
    assert "one annotator" in notes
    assert "1 of 66 outputs have no judgement" in notes


def test_what_cannot_be_meant_is_named(tmp_path: Path) -> None:
    examples = [Example(id="0")]
    bare = assay.score(["x"], examples=examples, metrics=["rose"])
    assert "judgements=FILE" in bare.skipped[0].why
    other = assay.score(["x"], examples=examples, metrics=[f"rose:judgements={said(tmp_path, {'a': ['111']}, 'else')}"])
    assert "no judgements of outputs, only of else" in other.skipped[0].why
    path = Path(said(tmp_path, {"a": ["111"]}))
    path.write_text(path.read_text().replace('"value": 1', '"value": 3', 1))
    assert "0 or 1" in assay.score(["x"], examples=examples, metrics=[f"rose:judgements={path}"]).skipped[0].why
    path.write_text(path.read_text().splitlines()[1])
    assert (
        "no judgement of" in assay.score(["x"], examples=examples, metrics=[f"rose:judgements={path}"]).skipped[0].why
    )
