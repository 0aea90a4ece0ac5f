"""`assay system train extractor`: by default over MiniLM, resumable, with the lean that its validation found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.execution.training.kinds import read_recipe
from assay.models.extractor import Extractor
from assay.records import Example
from assay.systems.neural.span_objective import labels_of
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import losses

pytest.importorskip("torch")
pytest.importorskip("transformers")
Run = Callable[..., Call]


def rows(n: int) -> list[dict[str, object]]:
    names = ["ann", "bob", "cleo", "dan"]
    return [
        {
            "id": str(i),
            "input": {
                "kind": "annotated", "text": f"today {names[i % 4]} left town",
                "spans": [{"category": "who", "start": 6, "end": 6 + len(names[i % 4])}],
            },
        }
        for i in range(n)
    ]  # fmt: skip


def test_the_command_and_what_it_leaves(here: Run, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "e.jsonl", rows(8))
    spec = "extractor:tiny:epochs=2:batch=4:vocabulary=300:select=f1"
    call = here("system", "train", spec, "--train", file, "--valid", file, "-o", tmp_path / "m")
    assert call.code == 0
    assert "ceaf_ree:extractor=" in call.out
    epochs = [json.loads(line) for line in (tmp_path / "m/losses.jsonl").read_text().splitlines() if "epoch" in line]
    best = max(epochs, key=lambda row: row["f1"])
    assert Extractor(str(tmp_path / "m")).chosen_lean == best["lean"]
    assert Extractor(str(tmp_path / "m"), 1.5).chosen_lean == 1.5
    assert json.loads((tmp_path / "m/config.json").read_text())["id2label"] == {"0": "O", "1": "B-who", "2": "I-who"}
    used = here("system", "generate", file, "--system", f"hf:{tmp_path / 'm'}", "-o", tmp_path / "o.jsonl")
    assert used.code == 1
    assert "an extractor" in used.err


def test_broken_off_and_resumed_gives_the_same_losses(tmp_path: Path, one_thread: None) -> None:
    from assay.systems.neural.fine_tune import train_examples

    _, recipe = read_recipe("extractor:tiny:epochs=2:batch=4:vocabulary=300:save_every=1")
    examples = [Example(id=str(row["id"]), input=row["input"]) for row in rows(8)]  # type: ignore[arg-type]
    train_examples("extractor", recipe, examples, examples, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train_examples("extractor", recipe, examples, examples, tmp_path / "m", stop_after=3)
    train_examples("extractor", recipe, examples, examples, tmp_path / "m")
    assert losses(tmp_path / "m") == losses(tmp_path / "whole")


def test_recipes() -> None:
    assert read_recipe("extractor")[1].model == "minilm"
    assert read_recipe("extractor:epochs=2")[1].frozen == 3
    assert read_recipe("extractor:model=tiny")[1].frozen == 0
    with pytest.raises(AssayError, match="empty=2"):
        read_recipe("extractor:empty=2")
    with pytest.raises(AssayError, match="no training example has a span"):
        labels_of([Example(id="1", input={"kind": "annotated", "text": "x", "spans": []})])


def test_what_does_not_fit_is_refused(here: Run, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "e.jsonl", rows(4))
    for spec, why in (("extractor:tiny:select=map", "use loss or f1"), ("extractor:tiny:copying=1", "set copying=0")):
        call = here("system", "train", spec, "--train", file, "--valid", file, "-o", tmp_path / "m")
        assert call.code == 1
        assert why in call.err
    too_many = here("system", "train", "extractor:frozen=9", "--train", file, "--valid", file, "-o", tmp_path / "m")
    assert "at most 6" in too_many.err
