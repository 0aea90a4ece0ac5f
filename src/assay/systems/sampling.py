"""Candidate set sizes in sampling: number of tokens available at each step, as statistics and curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.show.figures import curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KEY = "set_sizes"
"""Key of the set sizes in the row of an answer."""
MARKS = (1, 10, 100, 1_000, 10_000)


def set_sizes(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the set sizes of all answers, reused ones included."""
    return [size for row in rows for size in row.get(KEY, ())]


def set_statistics(sizes: Sequence[int]) -> dict[str, Any]:
    """Return quantiles over all steps and the share of steps with at most N tokens; `single` is the share with one."""
    ordered = sorted(sizes)

    def quantile(share: float) -> float:
        return float(ordered[min(len(ordered) - 1, int(share * len(ordered)))])

    return {
        "steps": len(ordered),
        "mean": sum(ordered) / len(ordered),
        "median": quantile(0.5),
        "p90": quantile(0.9),
        "max": float(ordered[-1]),
        "single": sum(size == 1 for size in ordered) / len(ordered),
        "at_most": {str(mark): sum(size <= mark for size in ordered) / len(ordered) for mark in MARKS},
    }


def describe_sets(statistics: Mapping[str, Any]) -> list[str]:
    """Return the statistics as short phrases."""
    sizes = [f"{name} {statistics[name]:,.1f}".removesuffix(".0") for name in ("mean", "median", "p90", "max")]
    shares = [f"at most {int(mark):,}: {100 * share:.0f} %" for mark, share in statistics["at_most"].items()]
    return [f"{statistics['steps']:,} steps", *sizes, *shares]


def set_curves(settings: Mapping[str, Sequence[int]]) -> Figure:
    """Plot the share of steps with at most N tokens for every setting, N on a logarithmic scale."""
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for name, sizes in settings.items():
        ordered = sorted(sizes)
        shares = {
            size: (place + 1) / len(ordered) for place, size in enumerate(ordered)
        }  # the highest share of equal sizes
        lines[name] = ([ordered[0], *shares], [0.0, *shares.values()])
    return curves(lines, x="tokens to sample from (N)", y="share of steps with at most N tokens", log=True, steps=True)
