"""Training loop, resumable at any step with identical losses.

Randomness at a step depends only on the seed and the step, and the order of an epoch only on the seed and the epoch, so
a killed run resumes from its last checkpoint with the same result.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from assay.errors import AssayError
from assay.models.checkpoints import LOSSES
from assay.models.devices import limited_threads, torch_device
from assay.models.tensors import write_tensors
from assay.progress import track
from assay.records.files import digest_of, to_json
from assay.systems.neural.build_model import parameter_groups
from assay.systems.neural.recipe import Recipe
from assay.systems.neural.training_folder import BEST, draw_losses, finish, resume, save


class Objective(Protocol):
    """A training objective: batches, loss and validation."""

    @property
    def items(self) -> Sequence[Any]: ...  # training items, as tokens
    @property
    def extra_files(self) -> Mapping[str, str]: ...  # files stored with the weights, by name
    def notes(self) -> list[str]: ...  # warnings about the items
    def lengths(self) -> list[int]: ...
    def batch(self, indices: Sequence[int]) -> dict[str, Any]: ...
    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]: ...
    def validate(self, model: Any) -> dict[str, float]: ...


class Trained(NamedTuple):
    """The result of a training run."""

    folder: Path
    epochs: int
    steps: int
    best_epoch: int
    selected: float
    resumed: int
    """Step from which the run resumed; 0 for a new run."""
    seconds: float


def epoch_batches(lengths: Sequence[int], size: int, seed: int, epoch: int) -> list[list[int]]:
    """Return batches of similar length in random order; mixed lengths would be mostly padding."""
    rng = np.random.default_rng([seed, epoch])
    order = rng.permutation(len(lengths))
    pool = 32 * size
    batches = []
    for start in range(0, len(order), pool):
        near = sorted(order[start : start + pool].tolist(), key=lambda i: (lengths[i], i))
        batches += [near[i : i + size] for i in range(0, len(near), size)]
    return [batches[i] for i in rng.permutation(len(batches))]


def train(
    model: Any, tokenizer: Any, objective: Objective, recipe: Recipe, folder: Path, *,
    say: Callable[[str], None] = lambda line: None, stop_after: int = 0,
) -> Trained:  # fmt: skip
    """Train a model and save the best epoch in the folder; `stop_after` interrupts after N steps."""
    import torch

    began = time.monotonic()
    if recipe.precision == "fp16" and not torch.cuda.is_available():
        raise AssayError("recipe: precision=fp16 needs a GPU; use bf16 or fp32 here")
    model.to(torch_device())
    if recipe.checkpointing:
        model.gradient_checkpointing_enable()
    lengths = objective.lengths()
    a_step = recipe.batch * recipe.accumulate
    steps_an_epoch = -(-len(lengths) // a_step)
    total = min(recipe.epochs * steps_an_epoch, recipe.max_steps or recipe.epochs * steps_an_epoch)
    optimiser = torch.optim.AdamW(
        parameter_groups(model, recipe), betas=(0.9, recipe.beta2), weight_decay=recipe.weight_decay
    )
    scaler = torch.amp.GradScaler(enabled=recipe.precision == "fp16")
    state = resume(folder, model, optimiser, scaler, learned_from(recipe, objective))
    resumed = state["step"]
    folder.mkdir(parents=True, exist_ok=True)
    with limited_threads(model), (folder / LOSSES).open("a", encoding="utf-8") as log:
        while state["step"] < total and not state["stopped"]:
            epoch = state["step"] // steps_an_epoch
            batches = epoch_batches(lengths, recipe.batch, recipe.seed, epoch)
            groups = [batches[i : i + recipe.accumulate] for i in range(0, len(batches), recipe.accumulate)]
            model.train()
            place = state["step"] - epoch * steps_an_epoch
            for group in track(groups[place:], f"epoch {epoch + 1}", len(groups) - place):
                loss = _step(
                    model,
                    optimiser,
                    scaler,
                    objective,
                    [objective.batch(b) for b in group],
                    recipe,
                    state["step"],
                    total,
                )
                state["step"] += 1
                log.write(to_json({"step": state["step"], "loss": loss}, indent=None) + "\n")
                log.flush()
                if recipe.save_every and state["step"] % recipe.save_every == 0:
                    save(folder, model, optimiser, scaler, state)
                if stop_after and state["step"] - resumed >= stop_after:
                    raise KeyboardInterrupt
                if state["step"] >= total:
                    break
            _end_of_epoch(model, objective, recipe, state, epoch, folder, log, say)
            save(folder, model, optimiser, scaler, state)
    draw_losses([json.loads(line) for line in (folder / LOSSES).read_text("utf-8").splitlines()], folder, say)
    finish(folder, model, tokenizer, recipe, objective.extra_files, state["by"])
    epochs = -(-state["step"] // steps_an_epoch)
    return Trained(folder, epochs, state["step"], state["best_epoch"], state["best"], resumed, time.monotonic() - began)


def learned_from(recipe: Recipe, objective: Objective) -> str:
    """Return the digest that identifies a training: recipe and data, as tokens."""
    return digest_of(recipe.to_dict(), list(objective.items))


def _step(
    model: Any,
    optimiser: Any,
    scaler: Any,
    objective: Objective,
    batches: list[dict[str, Any]],
    recipe: Recipe,
    step: int,
    total: int,
) -> float:
    """Run one update; the loss is the mean over all target tokens of the step, independent of its batches."""
    import torch

    torch.manual_seed(recipe.seed * 1_000_003 + step)
    for group in optimiser.param_groups:
        group["lr"] = group["highest"] * recipe.factor(step, total)
    counts = [int(batch["count"]) for batch in batches]
    value = 0.0
    kind = torch.bfloat16 if recipe.precision == "bf16" else torch.float16
    for batch in batches:
        with torch.autocast(model.device.type, dtype=kind, enabled=recipe.precision != "fp32"):
            loss, _ = objective.loss(model, batch, recipe.label_smoothing)
            part = loss / sum(counts)
        scaler.scale(part).backward()
        value += float(part.detach())
    if not math.isfinite(value):
        raise AssayError(f"the loss is not finite at step {step + 1}; lower lr, or set clip=1")
    scaler.unscale_(optimiser)
    if recipe.clip:
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
    scaler.step(optimiser)
    scaler.update()
    optimiser.zero_grad(set_to_none=True)
    return value


def _end_of_epoch(
    model: Any, objective: Objective, recipe: Recipe, state: dict[str, Any], epoch: int, folder: Path, log: Any,
    say: Callable[[str], None],
) -> None:  # fmt: skip
    import torch

    model.eval()
    with torch.no_grad():
        scores = objective.validate(model)
    value = scores[recipe.select]
    lower = getattr(objective, "lower", recipe.select == "loss")
    better = state["best"] is None or (value < state["best"] if lower else value > state["best"])
    log.write(to_json({"epoch": epoch + 1, "step": state["step"], **scores}, indent=None) + "\n")
    log.flush()
    if better:
        state.update(best=value, best_epoch=epoch + 1, waited=0)
        write_tensors(folder / BEST, model.state_dict())
    else:
        state["waited"] += 1
        state["stopped"] = bool(recipe.patience) and state["waited"] >= recipe.patience
    shown = " · ".join(f"{name} {number:.4f}" for name, number in scores.items())
    say(f"epoch {epoch + 1:>3}   {shown}{'   best so far' if better else ''}")
