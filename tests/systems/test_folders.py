"""Model folders as they come: half written, damaged, of another kind, or with settings of their own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.inputs import form
from assay.records import Example, write_jsonl
from assay.systems import system
from assay.systems.neural.hugging_face import Model
from assay.systems.neural.recipe import Recipe
from tests.conftest import Call
from tests.support.systems_fixtures import losses

pytest.importorskip("torch")
pytest.importorskip("transformers")

Run = Callable[..., Call]
RECIPE = Recipe(epochs=1, batch=4, vocabulary=350, source_limit=400, target_limit=60, lr=5e-3)


def fit(recipe: Recipe, examples: list[Example], folder: Path, task: str = "seq2seq") -> list[str]:
    from assay.systems.neural.fine_tune import train_examples

    said: list[str] = []
    train_examples(task, recipe, examples, examples[:2], folder, say=said.append)
    return said


def model(path: Path, options: str = "") -> Model:
    made = system(f"hf:{path}{options}")
    assert isinstance(made, Model)
    return made


def copied(folder: Path, to: Path, name: str, **changed: object) -> Path:
    """A copy of a model's folder with other settings in one of its files."""
    shutil.copytree(folder, to)
    settings = json.loads((to / name).read_text("utf-8"))
    (to / name).write_text(json.dumps(settings | changed), "utf-8")
    return to


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model.safetensors", "incomplete: no model.safetensors"),
        ("config.json", "incomplete: no config.json"),
        ("tokenizer.json", "incomplete: no tokenizer.json"),
    ],
)
def test_incomplete_checkpoints_are_named(here: Run, tiny: Path, tmp_path: Path, name: str, message: str) -> None:
    path = tmp_path / "m"
    shutil.copytree(tiny, path)
    (path / name).unlink()
    write_jsonl(tmp_path / "e.jsonl", [Example(id="a", source="b")])
    call = here("system", "generate", tmp_path / "e.jsonl", "--system", f"hf:{path}", "-o", tmp_path / "o.jsonl")
    assert call.code == 1
    assert f"{path}: the model folder is {message}" in call.err
    assert "Copy the whole folder." in call.err


def test_half_a_checkpoint_does_not_answer_by_chance(tiny: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    shutil.copytree(tiny, tmp_path / "m")
    weights = load_file(tmp_path / "m" / "model.safetensors")
    kept = {name: value for name, value in weights.items() if "decoder.block.0.layer.1" not in name}
    save_file(kept, tmp_path / "m" / "model.safetensors", {"format": "pt"})
    with pytest.raises(AssayError, match="checkpoint is incomplete: no weights for decoder"):
        list(model(tmp_path / "m").generate([Example(id="a", source="b")]))


def test_a_tokenizer_without_the_special_tokens(tiny: Path, tmp_path: Path) -> None:
    copied(tiny, tmp_path / "m", "recipe.json", special_tokens=["[ACT_START]"])
    with pytest.raises(AssayError, match=r"/m: the tokenizer lacks the special tokens \[ACT_START\].*Copy the whole"):
        list(model(tmp_path / "m").generate([Example(id="a", source="b")]))


def test_weights_that_are_nowhere() -> None:
    with pytest.raises(AssayError, match=r"weights for \./nowhere not found"):
        list(system("hf:./nowhere").generate([Example(id="a", source="b")]))


@pytest.mark.parametrize("options", ["", ":beams=3", ":sample=true:top_p=0.9"])
def test_a_models_own_decoding_is_not_mixed_in(tiny: Path, events: list[Example], tmp_path: Path, options: str) -> None:
    own = {"no_repeat_ngram_size": 1, "min_length": 12, "repetition_penalty": 5.0, "num_beams": 4,
           "length_penalty": 3.0, "forced_eos_token_id": 2, "do_sample": True, "top_k": 3}  # fmt: skip
    other = copied(tiny, tmp_path / "m", "generation_config.json", **own)
    plain, mixed = (
        [answer.text for answer in model(path, f":max_new=14{options}").generate(events[:3])] for path in (tiny, other)
    )
    assert plain == mixed


def test_a_classifier_is_not_made_to_write(tiny: Path, events: list[Example], tmp_path: Path) -> None:
    made = copied(tiny, tmp_path / "m", "config.json", architectures=["T5ForSequenceClassification"])
    with pytest.raises(AssayError, match=f"a classifier .* Use classifier:{made}"):
        list(model(made).generate(events[:1]))


def test_a_damaged_file_is_named_and_the_others_go_on(
    here: Run, tiny: Path, events: list[Example], tmp_path: Path
) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(tiny, bad)
    weights = bad / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])
    write_jsonl(tmp_path / "e.jsonl", events[:2])
    (tmp_path / "c.toml").write_text(
        'name = "c"\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\nmetrics = ["rouge1"]\n'
        f'[[systems]]\nname = "bad"\nsystem = "hf:{bad}"\n[[systems]]\nname = "lead"\nsystem = "lead"\n'
    )
    call = here("run", tmp_path / "c.toml", "-o", tmp_path / "out")
    assert call.code == 1
    assert f"{bad}: the checkpoint is damaged" in call.err
    assert "1 of 2 runs" in call.out
    entries = json.loads((tmp_path / "out/results.json").read_text("utf-8"))["entries"]
    assert [entry["system"] for entry in entries if not entry.get("why")] == ["lead"]


def test_relative_positions_are_no_limit(tiny: Path, events: list[Example], tmp_path: Path) -> None:
    short = copied(tiny, tmp_path / "m", "config.json", n_positions=20)
    whole = model(tiny, ":limit=400").source_ids(events[0])
    assert len(whole) > 20
    assert model(short, ":limit=400").source_ids(events[0]) == whole
    assert model(short).source_ids(events[0]) == whole  # it was trained with 400
    foreign = copied(tiny, tmp_path / "f", "config.json", n_positions=20)
    (foreign / "recipe.json").unlink()
    made = model(foreign)
    made.form = form("source")
    assert len(made.source_ids(events[0])) == 20


def test_no_room_is_said(causal: Path, events: list[Example]) -> None:
    with pytest.raises(AssayError, match="max_new=100000 leaves no room for the input in 512 tokens"):
        list(model(causal, ":max_new=100000").generate(events[:1]))


def test_training_says_what_it_cut(events: list[Example], tmp_path: Path) -> None:
    said = fit(Recipe(epochs=1, vocabulary=350, source_limit=300, target_limit=5), events, tmp_path / "m")
    total = len(events) + 2
    assert f"! {total} of {total} targets have more than 5 tokens (target_limit) and were cut" in said
    wide = Recipe(epochs=1, vocabulary=350, source_limit=2000, target_limit=200)
    assert not any(line.startswith("! ") for line in fit(wide, events, tmp_path / "whole"))


@pytest.mark.parametrize("task", ["seq2seq", "causal"])
@pytest.mark.parametrize("copying", [0, 1])
def test_killed_while_the_weights_are_written(
    events: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str, copying: int
) -> None:
    """The last thing that can go wrong: settings are there, weights are not. The same call finishes the folder."""
    from transformers import PreTrainedModel

    recipe = Recipe(**{**RECIPE.to_dict(), "copying": copying})
    fit(recipe, events, tmp_path / "whole", task)

    def broken(net: PreTrainedModel, folder: Path, **options: object) -> None:
        net.config.save_pretrained(folder)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(PreTrainedModel, "save_pretrained", broken)
        with pytest.raises(KeyboardInterrupt):
            fit(recipe, events, tmp_path / "m", task)
    half = tmp_path / "m" / ("copying" if copying else "")
    assert (half / "config.json").exists()
    with pytest.raises(AssayError, match="its training has not finished"):
        list(model(half).generate(events[:1]))
    fit(recipe, events, tmp_path / "m", task)
    assert losses(tmp_path / "m") == losses(tmp_path / "whole")
    assert (tmp_path / "m/prompt.toml").exists() == (task == "causal")
    weights = (tmp_path / "m/model.safetensors").read_bytes()
    assert weights == (tmp_path / "whole/model.safetensors").read_bytes()


def test_a_benchmark_trains_on_after_such_a_kill(
    here: Run, events: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import PreTrainedModel

    write_jsonl(tmp_path / "e.jsonl", events)
    (tmp_path / "c.toml").write_text(
        'name = "c"\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\ntrain = "e.jsonl"\nvalid = "e.jsonl"\n'
        'metrics = ["rouge1"]\n[[systems]]\nname = "tiny"\nsystem = "hf:{model}:max_new=4"\n'
        'train = "seq2seq:tiny:epochs=1:vocabulary=350:source_limit=400"\n'
    )

    def broken(net: PreTrainedModel, folder: Path, **options: object) -> None:
        net.config.save_pretrained(folder)
        raise AssayError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(PreTrainedModel, "save_pretrained", broken)
        assert "power cut" in here("run", tmp_path / "c.toml", "-o", tmp_path / "out").err
    assert here("run", tmp_path / "c.toml", "-o", tmp_path / "out").code == 0


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"lr": 1e20, "clip": 0.0}, "the loss is not finite at step \\d+; lower lr"),
        ({"max_steps": -1}, "max_steps=-1 must be at least 0"),
        ({"beams": 0}, "beams=0 must be at least 1"),
    ],
)
def test_recipes_that_lead_nowhere(
    events: list[Example], tmp_path: Path, recipe: dict[str, object], message: str
) -> None:
    with pytest.raises(AssayError, match=message):
        fit(Recipe(**{**RECIPE.to_dict(), **recipe}), events, tmp_path / "m")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("groups=0", "groups=0 must be at least 1"),
        ("max_new=0", "max_new=0 must be at least 1"),
        ("sample=true:top_k=-3", "top_k=-3 must be at least 0"),
        ("no_repeat=-1", "no_repeat=-1 must be at least 0"),
        ("min_new=9:max_new=8", "min_new=9 is above max_new=8"),
    ],
)
def test_decoding_out_of_range(options: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        system(f"hf:m:{options}")
