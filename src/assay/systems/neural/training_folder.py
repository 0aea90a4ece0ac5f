"""Files of a training folder: checkpoints, losses and the best model.

DIR/losses.jsonl             one line per step, one line per epoch
DIR/losses.svg               loss curve, if matplotlib is installed
DIR/checkpoint.safetensors   during training: weights, optimiser, step; best.safetensors: weights of the best epoch
DIR/...                      after training: the best epoch as a Hugging Face folder, with recipe.json
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
"""Name pattern of unfinished files of safetensors."""


def save(folder: Path, model: Any, optimiser: Any, scaler: Any, state: dict[str, Any]) -> None:
    """Save the full training state atomically."""
    import torch

    optimiser_state = optimiser.state_dict()
    tensors = {f"model/{name}": tensor for name, tensor in model.state_dict().items()}
    for place, slots in optimiser_state["state"].items():
        tensors |= {f"optimiser/{place}/{slot}": torch.as_tensor(value) for slot, value in slots.items()}
    texts = {"state": state, "groups": optimiser_state["param_groups"], "scaler": scaler.state_dict()}
    write_tensors(folder / CHECKPOINT, tensors, {name: json.dumps(value) for name, value in texts.items()})


def resume(folder: Path, model: Any, optimiser: Any, scaler: Any, by: str) -> dict[str, Any]:
    """Return the state of the last checkpoint and truncate the log to it; `by` identifies recipe and data."""
    fresh = {"step": 0, "best": None, "best_epoch": 0, "waited": 0, "stopped": False, "by": by}
    file = folder / CHECKPOINT
    if not file.exists():
        if (folder / "config.json").exists():
            raise AssayError(f"{folder}: contains a finished model; give another folder")
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
    except Exception as error:  # a damaged file may raise any error
        raise AssayError(f"{file}: cannot be resumed ({first_line(error)}); delete the folder to begin again") from None
    lines = [line for line in (folder / LOSSES).read_text("utf-8").splitlines() if line.endswith("}")]
    kept = [line for line in lines if json.loads(line)["step"] <= state["step"]]
    write_text(folder / LOSSES, "".join(line + "\n" for line in kept))
    return state


def _below(kind: str, tensors: Mapping[str, Any]) -> dict[str, Any]:
    head = f"{kind}/"
    return {name.removeprefix(head): tensor for name, tensor in tensors.items() if name.startswith(head)}


def finish(folder: Path, model: Any, tokenizer: Any, recipe: Recipe, extra_files: Mapping[str, str], by: str) -> None:
    """Reload the best epoch and write it as a folder for `hf:FOLDER`."""
    model.load_state_dict(read_tensors(folder / BEST)[0])
    model.eval()
    _write_by(tokenizer, folder)
    written = recipe.to_dict() | {"special_tokens": special_tokens(recipe), "learned_from": by}
    for name, text in {**extra_files, RECIPE: to_json(written) + "\n"}.items():
        write_text(folder / name, text)
    with quiet_transformers():
        _write_by(model, folder)
    for name in (CHECKPOINT, BEST):
        (folder / name).unlink(missing_ok=True)


def _write_by(made: Any, folder: Path) -> None:
    """Save a model or tokenizer with its library; translate its errors and remove its temporary files."""
    try:
        made.save_pretrained(folder)
    except (AssayError, OSError):
        raise
    except Exception as error:
        again = "run the same command again to resume"
        raise AssayError(f"{folder}: the model cannot be written ({first_line(error)}); {again}") from error
    finally:
        for litter in folder.glob(UNDER_WAY):
            litter.unlink(missing_ok=True)


def draw_losses(rows: Sequence[dict[str, Any]], folder: Path, say: Callable[[str], None]) -> None:
    """Plot the training loss per step as a line and the validation loss per epoch as points; a failure is only a
    warning."""
    steps = [row for row in rows if "epoch" not in row]
    epochs = [row for row in rows if "epoch" in row and "loss" in row]
    lines = {
        name: ([row["step"] for row in points], [row["loss"] for row in points])
        for name, points in (("training", steps), ("validation", epochs))
    }
    try:
        save_figure(curves(lines, points={"validation": lines["validation"]}, x="step", y="loss"), folder / CURVE)
    except AssayError as why:
        say(f"! no {CURVE}: {why}")
