"""`reproduce few-judgements`: hidden labels are covered, and a good proxy is worth judgements."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assay.meta.reproduce import REPRODUCTIONS
from assay.meta.reproduce.few_judgements import Labelled, hidden_and_seen, summeval


def labelled(noise: float) -> Labelled:
    draw = np.random.default_rng(0)
    quality = draw.normal(size=800)
    return Labelled(
        "x", quality, np.tile(np.arange(4), 200), np.repeat(np.arange(200), 4),
        {"judge": quality + noise * draw.normal(size=800)}, scale=(-6.0, 6.0),
    )  # fmt: skip


def test_coverage_and_gain_of_a_good_and_a_useless_proxy() -> None:
    seen = hidden_and_seen(labelled(0.5), "judge", 0.1, 60)
    assert 0.9 < seen.coverage <= 1
    assert 2 < seen.worth < 5
    assert seen.length < 0.75
    useless = hidden_and_seen(labelled(50), "judge", 0.1, 60)
    assert (useless.worth, useless.length) == pytest.approx((1, 1), abs=0.05)


def test_reader_uses_items_that_every_model_judged(tmp_path: Path) -> None:
    folder = tmp_path / "alttest" / "summeval"
    folder.mkdir(parents=True)
    items = [f"d{i}__s{k}__relevance" for i in range(5) for k in range(2)]
    people = {"e1": dict.fromkeys(items, 3), "e2": dict.fromkeys(items, 4)}
    models = {name: dict.fromkeys(items[:8], 2) for name in ("gpt-4o", "llama-31", "mistral-v03")}
    (folder / "human_annotations.json").write_text(json.dumps(people))
    (folder / "llm_annotations.json").write_text(json.dumps(models))
    (data,) = summeval(tmp_path)
    assert (data.name, len(data.truth), set(data.truth)) == ("SummEval relevance", 8, {3.5})
    assert list(data.proxies) == ["gpt-4o", "llama-31", "mistral-v03", "mean of 3 models"]
    assert REPRODUCTIONS["few-judgements"].long
