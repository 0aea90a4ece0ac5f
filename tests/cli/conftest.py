"""What the tests of commands share: a synthetic dataset as it would be published, people's scores, judgements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import write_jsonl

MILL = {
    "type": "arson", "completion": "attempted", "date": [], "location": ["mill"], "perpind": [], "perporg": [],
    "target": ["a barn"], "victim": [], "weapon": [],
}  # fmt: skip


@pytest.fixture
def mucsum(tmp_path: Path) -> Path:
    """A folder in MUCSUM's layout with two invented events in test and one in dev."""

    def item(number: int) -> dict[str, Any]:
        return {
            "instance_id": f"DOC.{number}",
            "document": ["a barn burned near the mill.", "nobody was hurt.", "the old barn stood."],
            "template": MILL,
            "summary": ["somebody tried to burn the old barn."],
        }

    folder = tmp_path / "mucsum"
    folder.mkdir()
    (folder / "test.json").write_text(json.dumps({"DOC": [item(1), item(2)]}))
    (folder / "dev.json").write_text(json.dumps({"DOC": [item(3)]}))
    return folder


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Human scores of three systems with an error column, and a good, a flat and a partly missing metric."""
    rng = np.random.default_rng(0)
    human, scores = [], []
    for i in range(40):
        for system, level in (("a", 0.2), ("b", 0.5), ("c", 0.8)):
            wrong = float(rng.random() < 0.15)
            value = float(np.clip(level + rng.normal(0, 0.1), 0, 1 - wrong))
            key = {"id": f"i{i}", "system": system}
            human.append({**key, "Factuality": value, "Bad": min(wrong, 1 - value), "part": "x" if i % 2 else "y"})
            scores.append(
                {
                    **key,
                    "good": value + rng.normal(0, 0.1),
                    "flat": 1.0,
                    "holes": None if i < 4 else float(rng.normal()),
                }
            )
    return write_jsonl(tmp_path / "human.jsonl", human), write_jsonl(tmp_path / "scores.jsonl", scores)


@pytest.fixture
def judgements(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    rows = [
        {
            "id": f"i{i}",
            "system": s,
            "annotator": r,
            "criterion": "q",
            "value": int(np.clip(round(v + rng.normal(0, 0.8)), 1, 5)),
        }
        for i in range(25)
        for s, v in (("a", 4), ("b", 2.5))
        for r in ("r1", "r2", "r3")
    ]
    return write_jsonl(tmp_path / "judgements.jsonl", rows)
