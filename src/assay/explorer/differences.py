"""Histograms of per-item differences: how many items two systems differ on, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from assay.explorer.payloads import DifferencePage, ExampleQuery

if TYPE_CHECKING:
    from assay.explorer.texts import Texts

BINS = 31
"""Odd, so that zero is the middle of a bin: identical outputs are neither a gain nor a loss."""


def differences(texts: Texts, metric: str, a: str, b: str) -> DifferencePage:
    """Return the histogram of one metric.

    Raises:
        AssayError: One of the systems has no item-level scores of the metric.
    """
    texts.prepare()
    name = texts.results.name
    measured = texts.measure(ExampleQuery(dataset=name, metric=metric, system=a, against=b))
    gaps = np.empty(0) if measured is None else measured[np.isfinite(measured)]
    largest = float(np.abs(gaps).max(initial=0.0))
    width = 2 * largest / BINS
    # Round half away from zero on both sides: the counts of b - a are those of a - b in reverse.
    places = np.sign(gaps) * np.floor(np.abs(gaps) / width + 0.5) if width else np.zeros(len(gaps))
    middle = BINS // 2
    bins = np.clip(places, -middle, middle).astype(np.intp) + middle
    return DifferencePage(
        dataset=name,
        metric=metric,
        a=a,
        b=b,
        n=len(gaps),
        a_higher=int((gaps > 0).sum()),
        b_higher=int((gaps < 0).sum()),
        width=width,
        counts=np.bincount(bins, minlength=BINS).tolist(),
    )


def every_difference(texts: Texts) -> Iterator[DifferencePage]:
    """Return the histograms of every pair of systems and metric, for the one-file report."""
    texts.prepare()
    for metric in texts.metrics:
        systems = [system for system in texts.systems if (system, metric) in texts.scores]
        for a, b in combinations(systems, 2):
            yield differences(texts, metric, a, b)
