"""Human-likeness: a rating of whether a human or a machine seems to have written a text."""

from __future__ import annotations

from typing import ClassVar

from assay.studies.kinds.likert import Likert


class HumanLikeness(Likert):
    """A point of a scale from human to machine; an item counts as human below a threshold of its mean."""

    name: ClassVar[str] = "human-likeness"
    elicitation: ClassVar[str] = "direct rating of human-likeness, with time"
    lower_is_better: ClassVar[bool] = True
    human_below: ClassVar[float | None] = 3.0
    simulated: ClassVar[bool] = False
