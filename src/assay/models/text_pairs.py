"""Pairs of texts in a model that reads both together (cross-encoder), in batches and through the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.models.devices import limited_threads
from assay.models.load import check_finite

if TYPE_CHECKING:
    from assay.models.context import Context

TOKENS = 1024
"""Tokens of a batch on the CPU: the intermediate values of larger ones do not fit its cache."""
Pair = tuple[str, str]
Floats = NDArray[np.float64]


def pair_logits(
    model: Any, tokenizer: Any, pairs: Sequence[tuple[str, str | None]], limit: int, batch: int,
    shortened: Literal["longest_first", "only_first"] = "longest_first",
) -> Floats:  # fmt: skip
    """Return the logits of each pair, or of each text alone where the second is None.

    Args:
        model: A sequence classifier of transformers.
        tokenizer: Its tokenizer.
        pairs: The pairs of texts.
        limit: Maximum number of tokens per pair.
        batch: Maximum number of pairs per batch.
        shortened: Text of a longer pair that is truncated: the longer one, or the first one (the longer one where the
            second leaves no room for the first).
    """
    import torch

    ones = [one.encode("utf-8", "replace").decode() for one, _ in pairs]
    others = [other.encode("utf-8", "replace").decode() for _, other in pairs if other is not None]
    tokenized = _tokenize(tokenizer, ones, others, limit, shortened)
    lengths = [len(ids) for ids in tokenized["input_ids"]]
    order = np.argsort(lengths, kind="stable")
    rows: list[Floats] = [np.zeros(0)] * len(pairs)
    with torch.inference_mode(), limited_threads(model):
        for chosen in _batches(order.tolist(), lengths, batch, TOKENS if model.device.type == "cpu" else None):
            batched = {name: [values[i] for i in chosen] for name, values in tokenized.items()}
            padded = tokenizer.pad(batched, return_tensors="pt").to(model.device)
            for i, row in zip(chosen, model(**padded).logits.double().cpu().numpy(), strict=True):
                rows[i] = row
    return check_finite(np.stack(rows))


def _batches(order: Sequence[int], lengths: Sequence[int], most: int, tokens: int | None) -> Iterator[list[int]]:
    """Yield batches of at most `most` pairs and, padded, of at most `tokens` tokens; a longer pair is alone.

    Args:
        order: Positions of the pairs by length.
        lengths: Number of tokens of each pair.
        most: Maximum number of pairs.
        tokens: Maximum number of tokens; None for any.
    """
    batch: list[int] = []
    for place in order:
        if batch and (len(batch) == most or (tokens is not None and (len(batch) + 1) * lengths[place] > tokens)):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _tokenize(
    tokenizer: Any, ones: list[str], others: list[str], limit: int, shortened: Literal["longest_first", "only_first"]
) -> dict[str, list[list[int]]]:
    """Return the tokenized pairs: token ids, attention masks and segment ids."""
    rules: list[str] = [shortened] * len(ones)
    if shortened == "only_first":
        room = limit - tokenizer.num_special_tokens_to_add(pair=True)
        taken = tokenizer(others, add_special_tokens=False, verbose=False)["input_ids"]
        rules = [shortened if len(ids) < room else "longest_first" for ids in taken]
    columns: dict[str, list[list[int]]] = {}
    for rule in dict.fromkeys(rules):
        places = [i for i, each in enumerate(rules) if each == rule]
        seconds = [others[i] for i in places] if others else None
        tokenized = tokenizer([ones[i] for i in places], seconds, truncation=rule, max_length=limit, verbose=False)
        for name, values in tokenized.items():
            rows = columns.setdefault(name, [[] for _ in ones])
            for i, value in zip(places, values, strict=True):
                rows[i] = value
    return columns


def cached_pair_rows(
    namespace: str, pairs: Sequence[Pair], make: Callable[[list[Pair]], Floats], context: Context
) -> dict[Pair, Floats]:
    """Return one row of numbers per distinct pair, from the cache where possible."""
    different = list(dict.fromkeys(pairs))
    keys = [f"{len(one)} {one}{other}" for one, other in different]
    pair_of = dict(zip(keys, different, strict=True))
    kept = context.cache.through(namespace, keys, lambda new: list(make([pair_of[key] for key in new])))
    return dict(zip(different, (np.asarray(row, dtype=np.float64) for row in kept), strict=True))
