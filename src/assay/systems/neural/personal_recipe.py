"""Options of training personalised responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.errors import AssayError
from assay.systems.neural.recipe import Recipe


@dataclass(frozen=True)
class PersonalRecipe(Recipe):
    """Training options (see `seq2seq:lstm` and `seq2seq:tiny`), with those of the person."""

    person: Literal["tucker", "speaker", "both", "none"] = "tucker"
    """What the decoder knows of the person: Tucker factors of question and user in its first state, a speaker vector
    at each step, both or none (the baseline). A Transformer adds either to each token of the response."""
    mix: float = 0.2
    """For `lstm`: share of the Tucker vector in the first state."""
    tucker_rank: int = 16
    """Rank of each mode of the core tensor (the paper has 50)."""
    memory: int = 0
    """Number of past responses of the user that are read with the input, those to the most similar inputs (default: 0;
    the paper has 10)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.mix <= 1 or self.tucker_rank < 1:
            raise AssayError("personal: mix must be from 0 to 1, tucker_rank at least 1")
        if self.memory < 0:
            raise AssayError(f"personal: memory={self.memory} must be at least 0")
        if self.copying:
            raise AssayError("personal: copying does not apply; set copying=0")
