"""Rankings of TESA: gold phrases of a group among others of the same type, and the split by instance."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assay.errors import AssayError
from assay.records import Example
from assay.seeds import chance

SIZE = 24
"""Candidates of a ranking."""


def with_candidates(examples: Sequence[Example], *, size: int = SIZE, seed: int = 2345) -> list[Example]:
    """Rankings: the gold phrases and others of the same type of entities, from all examples, in random order."""
    pools: dict[str, set[str]] = {}
    for example in examples:
        pools.setdefault(str((example.input or {}).get("type")), set()).update(example.references)
    made = []
    for example in examples:
        gold = list(dict.fromkeys(example.references))
        if not gold:
            raise AssayError(f"id {example.id}: no gold phrase; a ranking without gold has no score")
        given = example.input or {}
        pool = sorted(pools[str(given.get("type"))] - set(gold))
        if len(gold) > size or len(pool) < size - len(gold):
            raise AssayError(
                f"id {example.id}: {len(pool)} other phrases of type {given.get('type')} cannot fill {size} "
                "candidates; give more examples"
            )
        draw = chance(seed, example.id)
        candidates = sorted([*gold, *draw.sample(pool, size - len(gold))])
        draw.shuffle(candidates)
        labels = [int(candidate in gold) for candidate in candidates]
        tags = {**example.tags, "gold": str(len(gold))}
        ranked = {**given, "candidates": candidates, "labels": labels}
        made.append(msgspec.structs.replace(example, references=tuple(gold), input=ranked, tags=tags))
    return made


def split_examples(examples: Sequence[Example], seed: int = 2345) -> list[Example]:
    """Two to one to one, rounded half to even, by instance."""
    order = list(examples)
    chance(seed, "split").shuffle(order)
    share = round(0.25 * len(order))
    names = ["test"] * share + ["validation"] * share
    names += ["train"] * (len(order) - len(names))
    return [msgspec.structs.replace(one, split=name) for one, name in zip(order, names, strict=True)]
