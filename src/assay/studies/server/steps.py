"""The current step of an annotator in a study, and the address of its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

StepName = Literal["intro", "tutorial", "qualification", "reading", "work", "done", "blocked"]


@dataclass(frozen=True)
class CurrentStep:
    """A step of a study: its name, the number of a training item or screen, and the assignment."""

    name: StepName
    number: int = 0
    assignment: str = ""

    def address(self, study: str) -> str:
        """Return the path of the page."""
        base = f"/studies/{study}"
        if self.name in ("tutorial", "qualification"):
            return f"{base}/{self.name}/{self.number}"
        if self.name == "reading":
            return f"{base}/read/{self.assignment}"
        if self.name == "work":
            return f"{base}/work/{self.assignment}/{self.number}"
        return f"{base}/"
