"""`assay analyze null-test`: the level of the test on a person's own outputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.results.null_test import exchange_outputs, resample_items
from tests.conftest import Call

Run = Callable[..., Call]
SAMPLE = Path(assay.__file__).parent / "sample"
SYSTEMS = [SAMPLE / f"outputs/{name}/places.jsonl" for name in ("lead", "copy", "template")]
ASKED = ("-e", SAMPLE / "places.jsonl", "-m", "chrf,rouge1,vocab-1")


def test_what_a_person_sees(here: Run) -> None:
    call = here("analyze", "null-test", *SYSTEMS, *ASKED, "--draws", "40", "--samples", "99")
    assert call.code == 0
    assert "rejected at .05" in call.out
    assert "False-positive rate on your data: " in call.out
    assert "any, after correction" in call.out
    assert "(paired permutation test, 99 random permutations)." in " ".join(call.out.split())


def test_as_json(here: Run) -> None:
    found = here("analyze", "null-test", *SYSTEMS, *ASKED, "--draws", "30", "--samples", "99", "--json").json
    assert set(found["metrics"]) == {"chrf", "rouge1", "vocab-1"}
    assert found["systems"] == ["lead", "copy", "template"]
    for row in [*found["metrics"].values(), found["any_after_correction"]]:
        assert row["draws"] == 30
        assert 0 <= row["low"] <= row["rejected"] <= row["high"] <= 1
    again = here("analyze", "null-test", *SYSTEMS, *ASKED, "--draws", "30", "--samples", "99", "--json").json
    assert again == found


def test_one_system_is_not_enough(here: Run) -> None:
    call = here("analyze", "null-test", SYSTEMS[0], *ASKED)
    assert call.code == 1
    assert "two or more systems" in call.err


def test_a_test_that_rejects_too_much_is_seen() -> None:
    """Copies of the same items are taken for independent ones: with their cluster named the level is kept."""
    rng = np.random.default_rng(0)
    words = np.array("the a cat dog sat ran on mat".split())
    texts = [[" ".join(rng.choice(words, 6)) for _ in range(25)] for _ in range(3)]
    examples = [
        {"id": f"{i}-{k}", "references": [texts[2][i]], "tags": {"document": str(i)}}
        for i in range(25)
        for k in range(8)
    ]
    systems = [{f"{i}-{k}": side[i] for i in range(25) for k in range(8)} for side in texts[:2]]
    a, b = (assay.score(system, examples=examples, metrics="rouge1") for system in systems)
    kept = assay.null_test([a, b], draws=100, samples=199, cluster="document").by_name["rouge1"]
    assert kept.kept
    assert kept.share <= 0.12


def test_exchanged_systems_have_each_output_once() -> None:
    a, b = (assay.score(path, examples=SAMPLE / "places.jsonl", metrics="rouge1") for path in SYSTEMS[:2])
    first, second = exchange_outputs(a, b, np.random.default_rng(1))
    together = np.sort(np.concatenate([x.per_example["rouge1"].to_numpy() for x in (first, second)]))
    before = np.sort(np.concatenate([x.per_example["rouge1"].to_numpy() for x in (a, b)]))
    assert together == pytest.approx(before)
    assert first.per_example["rouge1"].to_list() != a.per_example["rouge1"].to_list()
    again = resample_items(a, b, np.random.default_rng(1))
    assert again[0].index["id"].to_list() == again[1].index["id"].to_list() == [str(i) for i in range(a.n)]


@pytest.mark.slow
def test_on_real_outputs_the_level_is_kept(shared_data: Callable[[str], Path], here: Run, tmp_path: Path) -> None:
    """Three systems of WebNLG 2020, as a person would check them."""
    outputs = shared_data("webnlg/outputs-2020/en")
    here("data", "read", "web_nlg_en", shared_data("webnlg/en"), "--split", "test", "-o", tmp_path / "examples.jsonl")
    files = [outputs / f"{name}.txt" for name in ("bt5", "TGen", "FBConvAI")]
    found = here(
        "analyze", "null-test", *files, "-e", tmp_path / "examples.jsonl", "-m", "bleu,chrf,distinct-2", "--json",
        "--cluster", "none",
    ).json  # fmt: skip
    assert found["assumes_independent_items"]
    for name, row in found["metrics"].items():
        assert row["rejected"] <= 0.1, name
    assert found["any_after_correction"]["rejected"] <= 0.1
