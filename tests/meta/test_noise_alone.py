"""Judgements that are noise alone: no correlation is divided by next to nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Call, write_jsonl


@pytest.mark.parametrize(("truth", "told"), [(0.0, False), (1.5, True)])
def test_no_correlation_without_noise_where_noise_is_all(
    here: Callable[..., Call], tmp_path: Path, truth: float, told: bool
) -> None:
    rng = np.random.default_rng(3)
    people, scores = [], []
    for i in range(60):
        mean = truth * rng.normal()
        people += [
            {"id": str(i), "system": "a", "annotator": f"p{k}", "criterion": "fluency", "value": mean + rng.normal()}
            for k in range(3)
        ]
        scores.append({"id": str(i), "system": "a", "metric": mean + 0.5 * rng.normal()})
    files = write_jsonl(tmp_path / "human.jsonl", people), write_jsonl(tmp_path / "scores.jsonl", scores)
    asked = ["metric", "correlate", "--human", files[0], "--scores", files[1]]
    found = here(*asked, "--json").json
    entry = found["metrics"]["metric"]["pearson"]
    if told:
        assert found["human_noise"]["reliability"] > 0.5
        assert abs(entry["disattenuated"]) <= 1
        return
    assert entry.get("disattenuated") is None
    assert found["human_noise"]["ceiling"] is None
    said = " ".join(here(*asked).out.split())
    assert f"Human scores: {found['human_noise']['why']}" in said
    assert "without human noise" not in said
