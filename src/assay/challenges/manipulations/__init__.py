"""Rule-based changes that never improve a text: tests of metrics, judges and annotators."""

from __future__ import annotations

from assay.challenges.manipulations.base import Manipulated, Manipulation, Passage, manipulate
from assay.challenges.manipulations.gaming import GAMING
from assay.challenges.manipulations.meaning import MEANING
from assay.challenges.manipulations.wholes import WHOLES
from assay.errors import AssayError
from assay.specs import did_you_mean

MANIPULATIONS = {each.name: each for each in (*GAMING, *WHOLES, *MEANING)}


def manipulation(name: str) -> Manipulation:
    """Return the manipulation of a name."""
    if name not in MANIPULATIONS:
        listed = ", ".join(MANIPULATIONS)
        raise AssayError(f"no manipulation called {name}{did_you_mean(name, MANIPULATIONS)}; there are {listed}")
    return MANIPULATIONS[name]


__all__ = ["MANIPULATIONS", "Manipulated", "Manipulation", "Passage", "manipulate", "manipulation"]
