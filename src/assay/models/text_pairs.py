"""Pairs of texts through a model that reads both at once: the long with the long, each different pair once ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.models.devices import limited_threads
from assay.models.load import check_finite

if TYPE_CHECKING:
    from assay.models.context import Context

Pair = tuple[str, str]
Floats = NDArray[np.float64]


def pair_logits(
    model: Any, tokenizer: Any, pairs: Sequence[tuple[str, str | None]], limit: int, batch: int,
    shortened: Literal["longest_first", "only_first"] = "longest_first",
) -> Floats:  # fmt: skip
    """What the model puts out for each pair, or for each text alone where the second is None. What is longer than
    `limit` tokens loses the end of its longer text, or of the first (which leaves a second that has no room beside it
    to lose its own)."""
    import torch

    ones = [one.encode("utf-8", "replace").decode() for one, _ in pairs]
    others = [other.encode("utf-8", "replace").decode() for _, other in pairs if other is not None]
    cut = _cut(tokenizer, ones, others, limit, shortened)
    order = np.argsort([len(ids) for ids in cut["input_ids"]], kind="stable")
    found: list[Floats] = [np.zeros(0)] * len(pairs)
    with torch.inference_mode(), limited_threads(model):
        for start in range(0, len(pairs), batch):
            some = order[start : start + batch].tolist()
            given = {name: [values[i] for i in some] for name, values in cut.items()}
            padded = tokenizer.pad(given, return_tensors="pt").to(model.device)
            for i, row in zip(some, model(**padded).logits.double().cpu().numpy(), strict=True):
                found[i] = row
    return check_finite(np.stack(found))


def _cut(
    tokenizer: Any, ones: list[str], others: list[str], limit: int, shortened: Literal["longest_first", "only_first"]
) -> dict[str, list[list[int]]]:
    """The tokens of each pair, and what else the model is told of them."""
    rules: list[str] = [shortened] * len(ones)
    if shortened == "only_first":
        room = limit - tokenizer.num_special_tokens_to_add(pair=True)
        taken = tokenizer(others, add_special_tokens=False, verbose=False)["input_ids"]
        rules = [shortened if len(ids) < room else "longest_first" for ids in taken]
    found: dict[str, list[list[int]]] = {}
    for rule in dict.fromkeys(rules):
        places = [i for i, each in enumerate(rules) if each == rule]
        seconds = [others[i] for i in places] if others else None
        made = tokenizer([ones[i] for i in places], seconds, truncation=rule, max_length=limit, verbose=False)
        for name, values in made.items():
            rows = found.setdefault(name, [[] for _ in ones])
            for i, value in zip(places, values, strict=True):
                rows[i] = value
    return found


def cached_pair_rows(
    namespace: str, pairs: Sequence[Pair], make: Callable[[list[Pair]], Floats], context: Context
) -> dict[Pair, Floats]:
    """A row of numbers for each different pair, from the cache where it has been made before."""
    different = list(dict.fromkeys(pairs))
    keys = [f"{len(one)} {one}{other}" for one, other in different]
    pair_of = dict(zip(keys, different, strict=True))
    kept = context.cache.through(namespace, keys, lambda new: list(make([pair_of[key] for key in new])))
    return dict(zip(different, (np.asarray(row, dtype=np.float64) for row in kept), strict=True))
