"""Options of self-training: those of the generator and reconstructor, and of the loop around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.errors import AssayError
from assay.inputs.deletion import MOST
from assay.systems.neural.recipe import Recipe


@dataclass(frozen=True)
class SelfTraining(Recipe):
    """Training options of both models (see `seq2seq`), with those of the loop."""

    rounds: int = 2
    """Rounds of self-training after the training on labelled pairs."""
    unpaired: Literal["both", "deletions", "inputs"] = "both"
    """Inputs without references: `deletions` are parts of training inputs, `inputs` those of pairs that `rows` or
    `share` leave out."""
    deletions: int = MOST
    """Maximum number of reduced inputs per original."""
    pool: int = 0
    """Maximum number of unpaired inputs, drawn with the seed (default: 0, all)."""
    match: Literal["exact", "set"] = "exact"
    """How recovered inputs are compared: as strings, or as parts in any order."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("rounds", "deletions"):
            if getattr(self, name) < 1:
                raise AssayError(f"self-training: {name}={getattr(self, name)} must be at least 1")
        if self.pool < 0:
            raise AssayError(f"self-training: pool={self.pool} must be at least 0")

    def models(self) -> Recipe:
        """Return the recipe of the generator and the reconstructor, on all pairs that they are given."""
        own = {name: value for name, value in self.to_dict().items() if name in Recipe.__dataclass_fields__}
        return Recipe(**own | {"rows": 0, "share": 1.0})
