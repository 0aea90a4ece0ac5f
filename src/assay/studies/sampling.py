"""Random samples of inputs, simple or stratified."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from assay.errors import AssayError
from assay.seeds import rng_for

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def largest_remainder(sizes: Mapping[K, int], n: int) -> dict[K, int]:
    """Return the sample size of each stratum: its share rounded down, then one more by the largest remainder.

    Equal remainders go to the larger stratum, then to the first one.
    """
    total = sum(sizes.values())
    if n > total:
        raise AssayError(f"sample of {n} items from {total}: too few items")
    if total == 0:
        return dict.fromkeys(sizes, 0)
    shares = {name: size * n / total for name, size in sizes.items()}
    counts = {name: min(sizes[name], int(share)) for name, share in shares.items()}
    order = sorted(sizes, key=lambda name: (-(shares[name] - int(shares[name])), -sizes[name]))
    for name in order[: n - sum(counts.values())]:
        counts[name] += 1  # a remainder is below one and a share is at most the size, so the stratum is large enough
    return counts


def sample(items: Sequence[T], n: int, seed: int, stratum: Callable[[T], Hashable] | None = None) -> list[T]:
    """Return a random sample of n items in their original order, proportional to the strata if there are any."""
    if stratum is None:
        if n > len(items):
            raise AssayError(f"sample of {n} items from {len(items)}: too few items")
        chosen = rng_for(seed, "sample", len(items), n).sample(range(len(items)), n)
        return [items[index] for index in sorted(chosen)]
    strata: dict[Hashable, list[int]] = {}
    for index, item in enumerate(items):
        strata.setdefault(stratum(item), []).append(index)
    counts = largest_remainder({name: len(own) for name, own in strata.items()}, n)
    chosen = [
        index for name, own in strata.items() for index in rng_for(seed, "sample", name).sample(own, counts[name])
    ]
    return [items[index] for index in sorted(chosen)]


def first_of_lengths(items: Sequence[T], lengths: Sequence[int], each: int, length: Callable[[T], int]) -> list[T]:
    """Return the first `each` items of exactly each length, as perception studies do."""
    chosen: list[T] = []
    for wanted in lengths:
        hits = [item for item in items if length(item) == wanted][:each]
        if len(hits) < each:
            raise AssayError(
                f"{len(hits)} items have a length of {wanted}, {each} are required;"
                " change sample.lengths or sample.items"
            )
        chosen += hits
    return chosen
