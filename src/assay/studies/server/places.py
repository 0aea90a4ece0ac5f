"""Where somebody is in a study, and the address of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Step = Literal["intro", "tutorial", "qualification", "reading", "work", "done", "blocked"]


@dataclass(frozen=True)
class Place:
    step: Step
    number: int = 0
    assignment: str = ""

    def address(self, study: str) -> str:
        base = f"/studies/{study}"
        if self.step in ("tutorial", "qualification"):
            return f"{base}/{self.step}/{self.number}"
        if self.step == "reading":
            return f"{base}/read/{self.assignment}"
        if self.step == "work":
            return f"{base}/work/{self.assignment}/{self.number}"
        return f"{base}/"
