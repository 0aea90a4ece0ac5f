"""`assay system train`: a model from examples, and what it is told to do next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.records import Example, write_jsonl
from tests.conftest import Call

Run = Callable[..., Call]


def test_train_command(here: Run, events: list[Example], tmp_path: Path, one_thread: None) -> None:
    write_jsonl(tmp_path / "train.jsonl", events)
    spec = "causal:tiny:epochs=1:vocabulary=350:source_limit=400:target_limit=80:select=rouge1:max_new=5:valid_items=2"
    call = here("system", "train", spec, "--train", tmp_path / "train.jsonl", "--valid", tmp_path / "train.jsonl",
                "-o", tmp_path / "m")  # fmt: skip
    assert call.code == 0, call.err
    assert f"--system hf:{tmp_path / 'm'}" in call.out
    made = here("system", "generate", tmp_path / "train.jsonl", "--system", f"hf:{tmp_path / 'm'}:max_new=5",
                "--limit", 2,
                "-o", tmp_path / "o.jsonl", "--json")  # fmt: skip
    assert made.json["n"] == 2


def test_what_cannot_be_trained_is_said_before_anything_is_written(here: Run, tmp_path: Path) -> None:
    data = write_jsonl(tmp_path / "train.jsonl", [Example(id="a", source="One.", references=("One.",))])
    for arguments, code, why in (
        (("causl", "--train", data, "--valid", data), 1, "causl"),
        (("causal:epoch=1", "--train", data, "--valid", data), 1, "did you mean epochs"),
        (("causal", "--train", tmp_path / "none.jsonl", "--valid", data), 1, "none.jsonl"),
        (("causal",), 2, "--train"),
        (("causal", "--train", data), 2, "--valid"),
        (("perceptoin", "--train", data), 1, "did you mean perception"),  # before --valid, which it may not need
        (("perception:criterion=c", "--train", data, "--valid", data), 2, "--valid does not apply to perception"),
    ):
        call = here("system", "train", *arguments, "-o", tmp_path / "m")
        assert (call.code, call.out) == (code, ""), call.err
        assert why in call.err
    assert not (tmp_path / "m").exists()
