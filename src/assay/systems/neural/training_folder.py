"""What a training leaves in its folder: checkpoints to go on from, the losses, and in the end the best model.

DIR/losses.jsonl             one line a step, one line an epoch
DIR/losses.svg               the same as a curve, where matplotlib is installed
DIR/checkpoint.safetensors   while it runs: weights, optimiser, place; best.safetensors the best epoch's weights
DIR/...                      at the end: the best epoch as a Hugging Face folder, with recipe.json
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import AssayError, first_line
from assay.models.checkpoints import CHECKPOINT, LOSSES, RECIPE
from assay.models.devices import quiet_transformers
from assay.models.tensors import read_tensors, write_tensors
from assay.records.files import to_json, write_text
from assay.show.canvas import save as save_figure
from assay.show.figures import curves
from assay.systems.neural.build_model import special_tokens
from assay.systems.neural.recipe import Recipe

BEST, CURVE = "best.safetensors", "losses.svg"
UNDER_WAY = ".tmp??????"
"""How safetensors calls what it writes, until it is whole."""


def save(folder: Path, model: Any, optimiser: Any, scaler: Any, state: dict[str, Any]) -> None:
    """All that the next step depends on, put in its place at once."""
    import torch

    held = optimiser.state_dict()
    tensors = {f"model/{name}": tensor for name, tensor in model.state_dict().items()}
    for place, slots in held["state"].items():
        tensors |= {f"optimiser/{place}/{slot}": torch.as_tensor(value) for slot, value in slots.items()}
    texts = {"state": state, "groups": held["param_groups"], "scaler": scaler.state_dict()}
    write_tensors(folder / CHECKPOINT, tensors, {name: json.dumps(value) for name, value in texts.items()})


def resume(folder: Path, model: Any, optimiser: Any, scaler: Any, by: str) -> dict[str, Any]:
    """Where the last checkpoint was; the log is cut back to it. `by` tells recipe and data from others."""
    fresh = {"step": 0, "best": None, "best_epoch": 0, "waited": 0, "stopped": False, "by": by}
    file = folder / CHECKPOINT
    if not file.exists():
        if (folder / "config.json").exists():
            raise AssayError(f"{folder}: holds a finished model; give another folder")
        (folder / LOSSES).unlink(missing_ok=True)
        return fresh
    try:
        tensors, texts = read_tensors(file)
        state: dict[str, Any] = json.loads(texts["state"])
        if state["by"] != fresh["by"]:
            raise AssayError(f"{folder}: an unfinished run with another recipe or other data; give another folder")
        model.load_state_dict(_below("model", tensors))
        slots: dict[int, dict[str, Any]] = {}
        for name, tensor in _below("optimiser", tensors).items():
            place, _, slot = name.partition("/")
            slots.setdefault(int(place), {})[slot] = tensor
        optimiser.load_state_dict({"state": slots, "param_groups": json.loads(texts["groups"])})
        scaler.load_state_dict(json.loads(texts["scaler"]))
    except AssayError:
        raise
    except Exception as error:  # damage shows itself in every way there is
        raise AssayError(f"{file}: cannot be resumed ({first_line(error)}); delete the folder to begin again") from None
    lines = [line for line in (folder / LOSSES).read_text("utf-8").splitlines() if line.endswith("}")]
    kept = [line for line in lines if json.loads(line)["step"] <= state["step"]]
    write_text(folder / LOSSES, "".join(line + "\n" for line in kept))
    return state


def _below(kind: str, tensors: Mapping[str, Any]) -> dict[str, Any]:
    head = f"{kind}/"
    return {name.removeprefix(head): tensor for name, tensor in tensors.items() if name.startswith(head)}


def finish(folder: Path, model: Any, tokenizer: Any, recipe: Recipe, beside: Mapping[str, str], by: str) -> None:
    """The best epoch, really loaded again, as a folder that `hf:FOLDER` takes."""
    model.load_state_dict(read_tensors(folder / BEST)[0])
    model.eval()
    _write_by(tokenizer, folder)
    written = recipe.to_dict() | {"special_tokens": special_tokens(recipe), "learned_from": by}
    for name, text in {**beside, RECIPE: to_json(written) + "\n"}.items():
        write_text(folder / name, text)
    with quiet_transformers():
        _write_by(model, folder)
    for name in (CHECKPOINT, BEST):
        (folder / name).unlink(missing_ok=True)


def _write_by(made: Any, folder: Path) -> None:
    """A model or tokenizer as its library writes it: with errors of its own, and files on the way that stay behind when
    it is stopped."""
    try:
        made.save_pretrained(folder)
    except (AssayError, OSError):
        raise
    except Exception as error:
        again = "run the same command again, which goes on from here"
        raise AssayError(f"{folder}: the model cannot be written ({first_line(error)}); {again}") from error
    finally:
        for litter in folder.glob(UNDER_WAY):
            litter.unlink(missing_ok=True)


def draw_losses(rows: Sequence[dict[str, Any]], folder: Path, say: Callable[[str], None]) -> None:
    """The loss of every step as a line, the validation loss of every epoch as points; a training needs no picture,
    so where nothing can be drawn this is only said."""
    steps = [row for row in rows if "epoch" not in row]
    epochs = [row for row in rows if "epoch" in row and "loss" in row]
    lines = {
        name: ([row["step"] for row in found], [row["loss"] for row in found])
        for name, found in (("training", steps), ("validation", epochs))
    }
    try:
        save_figure(curves(lines, points={"validation": lines["validation"]}, x="step", y="loss"), folder / CURVE)
    except AssayError as why:
        say(f"! no {CURVE}: {why}")
