"""Which inputs are judged: drawn at random, the same for all systems, in strata by length or by a tag."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from assay.errors import AssayError
from assay.seeds import rng_for

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def largest_remainder(sizes: Mapping[K, int], n: int) -> dict[K, int]:
    """How many of n each stratum gets: its share rounded down, then one more by the largest remainder.

    No stratum gets more than it has; equal remainders go to the larger stratum, then to the one named first.
    """
    total = sum(sizes.values())
    if n > total:
        raise AssayError(f"{n} items are wanted and there are {total}")
    if total == 0:
        return dict.fromkeys(sizes, 0)
    shares = {name: size * n / total for name, size in sizes.items()}
    given = {name: min(sizes[name], int(share)) for name, share in shares.items()}
    order = sorted(sizes, key=lambda name: (-(shares[name] - int(shares[name])), -sizes[name]))
    for name in order[: n - sum(given.values())]:
        given[name] += 1  # a remainder is below one and share is at most size, so there is room
    return given


def sample(items: Sequence[T], n: int, seed: int, stratum: Callable[[T], Hashable] | None = None) -> list[T]:
    """n of the items in their own order; with strata, so many of each as its share."""
    if stratum is None:
        if n > len(items):
            raise AssayError(f"{n} items are wanted and there are {len(items)}")
        places = sorted(rng_for(seed, "sample", len(items), n).sample(range(len(items)), n))
        return [items[place] for place in places]
    strata: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        strata.setdefault(stratum(item), []).append(place)
    wanted = largest_remainder({name: len(places) for name, places in strata.items()}, n)
    chosen = [
        place for name, places in strata.items() for place in rng_for(seed, "sample", name).sample(places, wanted[name])
    ]
    return [items[place] for place in sorted(chosen)]


def first_of_lengths(items: Sequence[T], lengths: Sequence[int], each: int, length: Callable[[T], int]) -> list[T]:
    """The first so many of exactly each length, as perception studies draw them; too few of a length are an error."""
    found: list[T] = []
    for wanted in lengths:
        hits = [item for item in items if length(item) == wanted][:each]
        if len(hits) < each:
            raise AssayError(
                f"only {len(hits)} items have a length of {wanted}; {each} are wanted:"
                " change sample.lengths or sample.items"
            )
        found += hits
    return found
