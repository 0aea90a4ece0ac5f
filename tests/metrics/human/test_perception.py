"""Perception: a regression that ratings train, judged on items it has not seen, beside what needs none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.execution.training.perception import PENALTIES, folds_of, held_out
from assay.models.text_features import SURFACE
from tests.conftest import Call, write_jsonl
from tests.support import each
from tests.support.tiny_models import save_tiny

pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

NOUNS = "cat dog king boat law stone tax rain hill road".split()


def rated(path: Path, noise: float = 0.3) -> Path:
    """Texts that say a word again and again are rated low, three outputs an item."""
    rng = np.random.default_rng(2)
    rows = []
    for i in range(40):
        for repeats in range(3):
            noun = NOUNS[i % 10]
            text = f"The {noun} sat by the {NOUNS[(i + 3) % 10]}" + f" the {noun}" * (2 * repeats) + "."
            human = {"fluency": 4 - repeats + rng.normal(0, noise), "style": 1.0}
            source = f"item {i}"
            rows.append({"id": f"{i}/{repeats}", "source": source, "language": "en",
                         "input": {"kind": "judged", "output": text, "human": human}})  # fmt: skip
    return write_jsonl(path, rows)


def test_what_ratings_teach(tmp_path: Path, here: Callable[..., Call]) -> None:
    encoder, folder = save_tiny(tmp_path / "encoder", "encoder"), tmp_path / "model"
    spec = f"perception:criterion=fluency:encoder={encoder}:folds=5"
    done = here("system", "train", spec, "--train", rated(tmp_path / "rated.jsonl"), "-o", folder, "--json")
    assert done.code == 0, done.err
    rows = {row["set"]: row for row in done.json["test"]}
    assert rows["regression"]["pearson_low"] > 0.8
    assert rows["regression"]["rmse"] < rows["mean"]["rmse"] / 2
    assert rows["mean"]["pearson"] is None
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "120 rated texts of 40 items" in card
    assert f"| regression | {rows['regression']['pearson']:.3f} (" in card
    found = each(f"perception:model={folder}", ["The cat sat by the law.", "The cat the cat the cat the cat sat."])
    assert found["perception"][0] > found["perception"][1]
    result = assay.score(["The cat sat.", ""], metrics=f"perception:model={folder}")
    assert any("1 empty output is left out" in note for note in result.notes)
    assert any("not valid for systems that were tuned on the same ratings" in note for note in result.notes)
    held = json.loads((folder / "perception.json").read_text())
    (skipped,) = assay.score(
        {"1": "Le chat."}, examples=[assay.Example(id="1", language="fr")], metrics=f"ttr,perception:model={folder}"
    ).skipped
    assert "model supports en, but 1 of 1 items are fr" in skipped.why
    for wrong in ({"means": held["means"][1:]}, {"intercept": float("nan")}, {"spreads": [0.0] * len(held["means"])}):
        (folder / "perception.json").write_text(json.dumps(held | wrong))
        (skipped,) = assay.score(["x"], metrics=f"ttr,perception:model={folder}").skipped
        assert "perception.json: damaged (" in skipped.why
    (folder / "perception.json").write_text(json.dumps(held | {"encoder_weights": "0" * 12}))
    (skipped,) = assay.score(["x"], metrics=f"ttr,perception:model={folder}").skipped
    assert "trained on other weights of" in skipped.why


def test_labels_from_chance_teach_nothing() -> None:
    """Held out by item, noise is not learned: the correlation is around nothing, whatever the number of features."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(20):
        x, y = rng.normal(size=(60, len(SURFACE) + 40)), rng.normal(size=60)
        groups = [str(i // 2) for i in range(60)]
        x[1::2] = x[::2]  # outputs of an item are alike: on both sides of a fold they would give the rating away
        y[1::2] = y[::2]
        said = held_out(x, y, folds_of(groups, 5, 0), PENALTIES)
        found.append(np.corrcoef(said, y)[0, 1])
    assert np.mean(found) < 0.1


def test_all_texts_of_an_item_are_in_one_part() -> None:
    groups = [f"g{i % 23}" for i in range(200)]
    parts = folds_of(groups, 7, 3)
    assert all(
        len({part for part, one in zip(parts, groups, strict=True) if one == group}) == 1 for group in set(groups)
    )
    assert len(set(parts.tolist())) == 7


def test_ratings_that_cannot_be_learned_are_said(tmp_path: Path, here: Callable[..., Call]) -> None:
    encoder, file = save_tiny(tmp_path / "encoder", "encoder"), rated(tmp_path / "rated.jsonl")

    def error(spec: str) -> str:
        done = here("system", "train", spec, "--train", file, "-o", tmp_path / "out")
        assert done.code == 1
        return done.err

    assert "available: fluency, style" in error(f"perception:encoder={encoder}")
    assert "all 120 ratings of style are 1, so nothing can be learned" in error(
        f"perception:criterion=style:encoder={encoder}"
    )
    assert "folds=1 must be at least 2" in error("perception:folds=1")
    write_jsonl(file, [json.loads(line) for line in file.read_text().splitlines()[:9]])
    assert "fewer than 20 items" in error(f"perception:criterion=fluency:encoder={encoder}")
    assert "needs a trained regression: `assay system train perception" in str(
        assay.score(["x"], metrics="ttr,perception").skipped[0].why
    )
    assert here("system", "train", "seq2seq:tiny", "--train", file, "-o", tmp_path / "out").code == 2
