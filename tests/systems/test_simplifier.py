"""Simplification from training to restored outputs: the length that is requested is the length that is written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assay.errors import AssayError
from assay.execution.training.kinds import read_recipe, train_model
from assay.records import Example
from assay.systems import system

pytest.importorskip("torch")

PEOPLE = ("Ada", "Bo", "Cy", "Dee", "Eve", "Fay")


def sentences() -> list[Example]:
    """Texts of two lengths for each sentence, so that only the control token says which one is wanted."""
    return [
        Example(
            id=f"{a} {year}", source=f"in those days {a} went home early in {year} .",
            references=(f"{a} went home early in {year} .", f"{a} went home ."),
        )
        for a in PEOPLE
        for year in range(1960, 1966)
    ]  # fmt: skip


@pytest.mark.slow
def test_requested_lengths_are_achieved_and_entities_restored(tmp_path: Path, one_thread: None) -> None:
    kind, recipe = read_recipe(
        "simplification:lstm:epochs=20:batch=8:lr=0.01:vocabulary=300:entities=rules:levsim=off:wordrank=off:nbchars=0.7"
        ":validation=oracle:select=loss:max_new=20"
    )
    said: list[str] = []
    rows = sentences()
    held = [msgspec.structs.replace(row, references=row.references[i % 2 :][:1]) for i, row in enumerate(rows[30:])]
    train_model(kind, recipe, rows[:30], held, tmp_path / "m", None, said.append)
    assert said[0] == "60 pairs, 120 entities as placeholders; dropped none"
    unseen = [Example(id="x", source="in those days Zoe went home early in 1971 .")]
    texts = {}
    for value in ("0.7", "0.35"):
        (answer,) = system(f"simplifier:{tmp_path}/m:nbchars={value}:max_new=20").generate(unseen)
        texts[value] = answer.text
        assert answer.details["controls"] == {"nbchars": float(value)}
        assert answer.details["controls_from"] == "fixed"
    assert "Zoe" in texts["0.35"]
    assert len(texts["0.35"]) < len(texts["0.7"])
    with pytest.raises(AssayError, match=r"nbchars=0.10 was not in the training data, which has 0.35, 0.65, 0.70"):
        list(system(f"simplifier:{tmp_path}/m:nbchars=0.1").generate(unseen))
    oracle = system(f"simplifier:{tmp_path}/m:nbchars=oracle:max_new=20")
    (answer,) = oracle.generate([msgspec.structs.replace(unseen[0], references=("Zoe left .",))])
    assert answer.details["controls"] == {"nbchars": 0.35}
    assert answer.details["controls_from"] == "oracle"
    assert any("moved to the nearest" in note for note in oracle.usage()["warnings"])
    with pytest.raises(AssayError, match=r"levsim=0.5: the model was trained without this control; it has nbchars"):
        list(system(f"simplifier:{tmp_path}/m:levsim=0.5").generate(unseen))
    with pytest.raises(AssayError, match=r"no simplification\.json; train with"):
        list(system(f"simplifier:{tmp_path}").generate(unseen))
