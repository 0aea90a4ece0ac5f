"""`assay data perceived`: which texts are taken for human-written, and the training examples made of them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.records import Example, Items
from tests.conftest import Call, write_jsonl
from tests.support.tiny_models import save_tiny

TEXTS = {"a": ("Some old boat sails.", 2.9), "b": ("A big red house.", 3.0), "c": ("One cat ran home.", 4.2)}


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    rows = [
        {"id": id, "input": {"kind": "judged", "output": text, "human": {"machine-likeness": value}},
         "tags": {"system": "gpt"}}
        for id, (text, value) in TEXTS.items()
    ]  # fmt: skip
    return write_jsonl(tmp_path / "rated.jsonl", rows)


@pytest.mark.parametrize(("options", "kept"), [(("--better", "lower"), ["a"]), (("--better", "higher"), ["c"]),
                                               (("--better", "lower", "--threshold", "4"), ["a", "b"])])  # fmt: skip
def test_the_threshold_itself_is_not_human(
    here: Callable[..., Call], rated: Path, tmp_path: Path, options: tuple[str, ...], kept: list[str]
) -> None:
    out = tmp_path / "human.jsonl"
    call = here("data", "perceived", rated, *options, "--words", "2", "-o", out, "--json")
    assert call.json == {"texts": 3, "human": len(kept), "written": len(kept)}
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in rows] == kept
    for row in rows:
        assert row["references"] == [TEXTS[row["id"]][0]]
        assert row["source"] == " ".join(TEXTS[row["id"]][0].split()[:2])
        assert row["tags"] == {"system": "gpt"}


def test_what_is_missing_is_named(here: Callable[..., Call], rated: Path, tmp_path: Path) -> None:
    out = ("-o", tmp_path / "x.jsonl")
    assert here("data", "perceived", rated, *out).code == 2
    assert "none of 3 texts" in here("data", "perceived", rated, "--better", "lower", "--threshold", "1", *out).err
    other = here("data", "perceived", rated, "--better", "lower", "--criterion", "fluency", *out)
    assert "available: machine-likeness" in other.err


def test_a_classifier_replaces_ratings(here: Callable[..., Call], rated: Path, tmp_path: Path, own_cache: None) -> None:
    pytest.importorskip("torch")
    model = save_tiny(tmp_path / "m", "perception")
    out = tmp_path / "silver.jsonl"
    assert "predicts ratings, not classes" in here("data", "perceived", rated, "--model", model, "-o", out).err
    about = json.loads((model / "perception.json").read_text())
    from assay.metrics.human.perception import Perception
    from assay.models.context import Context

    texts = tuple(text for text, _ in TEXTS.values())
    items = Items(texts, tuple(Example(id=id) for id in TEXTS))

    def chances(intercept: float) -> list[float]:
        changed = about | {"link": "logistic", "intercept": intercept, "low": 0.0, "high": 1.0}
        (model / "perception.json").write_text(json.dumps(changed))
        metric = Perception(model=str(model))
        return [float(one) for one in metric.per_example(metric.compute(items, Context()))["perception"]]

    middle = sorted(math.log(one / (1 - one)) for one in chances(0.0))[1]
    wanted = [id for id, chance in zip(TEXTS, chances(1e-6 - middle), strict=True) if chance >= 0.5]
    assert len(wanted) == 2
    here("data", "perceived", rated, "--model", model, "-o", out)
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == wanted
