"""What besides scoring takes an engine: asking, training, resampling. The same bytes as without one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.cluster_simulation import Shard, simulated
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
PARALLEL = ("--engine", "processes", "--workers", "2")


def examples(tmp_path: Path, count: int = 24) -> Path:
    rows = [{"id": f"{i}", "source": f"One {i}. Two y. Three z.", "references": [f"One {i}."]} for i in range(count)]
    return write_jsonl(tmp_path / "e.jsonl", rows)


def test_answers_are_the_same_by_whomever_they_are_asked(here: Run, tmp_path: Path) -> None:
    """Chance is drawn for each item from its id, so that neither batches nor workers change a text."""
    given = examples(tmp_path)
    command = ("system", "generate", given, "--system", "random-sentence", "--seed", "3")
    assert here(*command, "-o", tmp_path / "a.jsonl").code == 0
    call = here(*command, "-o", tmp_path / "b.jsonl", *PARALLEL)
    assert call.code == 0, call.err
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_a_system_that_breaks_elsewhere_is_named_with_the_item(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("def answer(request):\n    return 'x' if request['id'] != '7' else 1 / 0\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.syspath_prepend(tmp_path)
    given = examples(tmp_path)
    command = ("system", "generate", given, "--system", "call:mine.answer", "-o", tmp_path / "o.jsonl")
    alone = here(*command)
    assert alone.code == 1
    elsewhere = here(*command, *PARALLEL)
    assert elsewhere.code == 1
    assert "id 7" in elsewhere.err
    assert len(elsewhere.err.strip().splitlines()) == 1


def test_a_system_that_kills_its_worker_is_named_with_the_item(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deadly.py").write_text(
        "import os\ndef answer(request):\n    return 'x' if request['id'] != '7' else os._exit(3)\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.syspath_prepend(tmp_path)
    call = here(
        "system",
        "generate",
        examples(tmp_path),
        "--system",
        "call:deadly.answer",
        "-o",
        tmp_path / "o.jsonl",
        *PARALLEL,
    )
    assert call.code == 1
    assert re.search(r"a worker died during (\d+ items from )?id \w+", call.err)
    assert len(call.err.strip().splitlines()) == 1


def test_intervals_of_correlations_are_the_same(here: Run, tmp_path: Path) -> None:
    rows = [{"id": f"{i}", "system": s, "q": (i * 7 + n) % 5, "m": (i + n) % 4, "k": i % 3}
            for i in range(12) for n, s in enumerate("abc")]  # fmt: skip
    human = write_jsonl(tmp_path / "h.jsonl", [{k: row[k] for k in ("id", "system", "q")} for row in rows])
    scores = write_jsonl(tmp_path / "s.jsonl", [{k: row[k] for k in ("id", "system", "m", "k")} for row in rows])
    command = ("metric", "correlate", "--human", human, "--scores", scores, "--ci", "50", "--json")
    alone, elsewhere = here(*command), here(*command, *PARALLEL)
    assert alone.code == 0, alone.err
    assert elsewhere.out == alone.out
    assert alone.json["metrics"]["m"]["pearson"]["low"] is not None


@pytest.mark.slow
def test_models_of_a_sweep_are_trained_side_by_side(here: Run, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    given = examples(tmp_path, 6)
    recipe = "seq2seq:tiny:epochs=1:batch=2"
    command = ("system", "train", recipe, "--train", given, "--valid", given, "--sweep", "seed=1,2", "--json")
    alone = here(*command, "-o", tmp_path / "alone")
    assert alone.code == 0, alone.err
    elsewhere = here(*command, "-o", tmp_path / "beside", *PARALLEL)
    assert elsewhere.code == 0, elsewhere.err
    for seed in (1, 2):
        weights = [tmp_path / f"{name}-seed-{seed}" / "model.safetensors" for name in ("alone", "beside")]
        assert weights[0].read_bytes() == weights[1].read_bytes()
    assert [run["folder"] for run in elsewhere.json["runs"]] == [str(tmp_path / f"beside-seed-{s}") for s in (1, 2)]


@pytest.mark.slow
def test_a_matrix_trains_one_model_for_all_ways_to_decode(here: Run, tmp_path: Path) -> None:
    """Models are known by what they were trained on and how: two seeds and two beams are two models and four runs."""
    pytest.importorskip("torch")
    examples(tmp_path, 6)
    config = tmp_path / "c.toml"
    config.write_text(
        'name = "m"\nci = 0\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\ntrain = "e.jsonl"\nvalid = "e.jsonl"\n'
        'metrics = ["rouge1"]\n[[systems]]\nname = "t"\nsystem = "hf:{model}:beams={beams}:max_new=4"\n'
        'train = "seq2seq:tiny:epochs=1:batch=2:seed={s}"\n[systems.matrix]\ns = [1, 2]\nbeams = [1, 2]\n'
    )
    planned = here("run", config, "-o", tmp_path / "out", "--plan", "--json").json["total"]
    assert (planned["train"], planned["ask"], planned["not_possible"]) == (2, 24, 0)
    call = here("run", config, "-o", tmp_path / "out", *PARALLEL)
    assert call.code == 0, call.out + call.err
    assert "training 2 models in parallel" in call.out
    planned = here("run", config, "-o", tmp_path / "out", "--plan", "--json").json["total"]
    assert (planned["train"], planned["ask"], planned["reuse"]) == (0, 0, 4)
    assert len(list((tmp_path / "out" / "models").iterdir())) == 2
    assert len(json.loads((tmp_path / "out" / "results.json").read_text())["entries"]) == 4


@pytest.mark.parametrize(
    ("processors", "hand_over", "wanted"), [(1, 0.0, 8.0), (4, 0.0, 2.0), (8, 0.0, 1.0), (100, 2.0, 17.0)]
)
def test_the_simulation_of_a_cluster(processors: int, hand_over: float, wanted: float) -> None:
    """Eight shards of a second: divided among processors; and never quicker than the commanding process hands over."""
    shards = [Shard(1.0, 0, 0, hand_over)] * 8
    assert simulated(shards, processors) == pytest.approx(wanted, abs=1.01 if hand_over else 1e-9)
