"""Texts changed by rule in ways that never make them better: what a metric, a judge or an annotator has to notice."""

from __future__ import annotations

from assay.challenges.manipulations.base import Given, Manipulated, Manipulation, manipulate
from assay.challenges.manipulations.gaming import GAMING
from assay.challenges.manipulations.meaning import MEANING
from assay.challenges.manipulations.wholes import WHOLES
from assay.errors import AssayError
from assay.specs import did_you_mean

MANIPULATIONS = {each.name: each for each in (*GAMING, *WHOLES, *MEANING)}


def manipulation(name: str) -> Manipulation:
    """A manipulation by its name."""
    if name not in MANIPULATIONS:
        listed = ", ".join(MANIPULATIONS)
        raise AssayError(f"no manipulation called {name}{did_you_mean(name, MANIPULATIONS)}; there are {listed}")
    return MANIPULATIONS[name]


__all__ = ["MANIPULATIONS", "Given", "Manipulated", "Manipulation", "manipulate", "manipulation"]
