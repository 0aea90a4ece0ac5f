"""Pairs of texts through a model that reads both at once: the long with the long, each different pair once ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.models.devices import fitting_threads
from assay.models.load import finite

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
    cut = _tokens(tokenizer, ones, others, limit, shortened)
    order = np.argsort([len(ids) for ids in cut["input_ids"]], kind="stable")
    found: list[Floats] = [np.zeros(0)] * len(pairs)
    with torch.inference_mode(), fitting_threads(model):
        for start in range(0, len(pairs), batch):
            some = order[start : start + batch].tolist()
            given = {name: [values[i] for i in some] for name, values in cut.items()}
            padded = tokenizer.pad(given, return_tensors="pt").to(model.device)
            for i, row in zip(some, model(**padded).logits.double().cpu().numpy(), strict=True):
                found[i] = row
    return finite(np.stack(found))


def _tokens(tokenizer: Any, ones: list[str], others: list[str], limit: int, shortened: str) -> Any:
    if shortened == "longest_first":
        return tokenizer(ones, others or None, truncation=shortened, max_length=limit, verbose=False)
    room = limit - tokenizer.num_special_tokens_to_add(pair=True)
    sizes = map(len, tokenizer(others, add_special_tokens=False, verbose=False)["input_ids"])
    rules = [shortened if size < room else "longest_first" for size in sizes]
    pairs = zip(ones, others, rules, strict=True)
    rows = [tokenizer(one, other, truncation=rule, max_length=limit, verbose=False) for one, other, rule in pairs]
    return {name: [row[name] for row in rows] for name in rows[0].keys()}  # noqa: SIM118 -- no dictionary


def kept_pairs(
    namespace: str, pairs: Sequence[Pair], make: Callable[[list[Pair]], Floats], context: Context
) -> dict[Pair, Floats]:
    """A row of numbers for each different pair, from the cache where it has been made before."""
    different = list(dict.fromkeys(pairs))
    keys = [f"{len(one)} {one}{other}" for one, other in different]
    pair_of = dict(zip(keys, different, strict=True))
    kept = context.cache.through(namespace, keys, lambda new: list(make([pair_of[key] for key in new])))
    return dict(zip(different, (np.asarray(row, dtype=np.float64) for row in kept), strict=True))
