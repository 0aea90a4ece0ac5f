"""Options of training controllable simplification, and the file that tells a trained model how sources are written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import AssayError
from assay.records.documents import read_json
from assay.records.files import to_json, write_text
from assay.systems.neural.recipe import Recipe

if TYPE_CHECKING:
    from assay.inputs.simplification import Preparation

OFF = "off"
CHAIN = "simplification.json"
"""File in a model's folder: controls, tagger, cleaning, and the ranks of words."""


@dataclass(frozen=True)
class SimplificationRecipe(Recipe):
    """Training options (see `seq2seq`), with those of the chain around the model."""

    select: str = "sari"
    """Validation metric that selects the best epoch: sari on restored texts, any metric of texts, or loss."""
    nbchars: str = "0.95"
    """Character ratio requested at validation, and later by default; `off`: no such token."""
    levsim: str = "0.75"
    """Similarity to the source, as above."""
    wordrank: str = "0.75"
    """Ratio of the frequency ranks of words, as above."""
    ranks: str = "train"
    """Ranks for wordrank: a file of words by frequency, or `train`: the frequencies of the training texts."""
    step: float = 0.05
    """Values of the tokens are multiples of it."""
    validation: Literal["fixed", "oracle"] = "fixed"
    """Controls at validation: the requested ones, or those of the first reference, whose scores no test can reach."""
    entities: str = ""
    """Tagger of entities that become placeholders: rules, a JSON file from entity to type, an extractor,
    spacy:MODEL (default: none)."""
    clean: bool = True
    """Drop training pairs with a source of fewer than three words or a length ratio outside 0.2 to 1.5."""
    lower: bool = True
    """Write sources and targets in lower case; entities keep theirs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.step <= 1:
            raise AssayError(f"simplification: step={self.step} must be above 0 and at most 1")
        from assay.inputs.simplification import Preparation

        Preparation(self.requested())

    def requested(self) -> dict[str, str]:
        """Return the constants by control."""
        return {"nbchars": self.nbchars, "levsim": self.levsim, "wordrank": self.wordrank}


def write_chain(folder: Path, recipe: SimplificationRecipe, how: Preparation) -> None:
    chain = {
        "controls": recipe.requested(), "entities": recipe.entities, "lower": recipe.lower, "step": recipe.step,
        "validation": recipe.validation, "ranks": list(how.ranks),
    }  # fmt: skip
    write_text(folder / CHAIN, to_json(chain, indent=None) + "\n")


def read_chain(folder: str) -> dict[str, Any]:
    """Return how a model was trained.

    Raises:
        AssayError: The folder has no such file, so that it is no simplification model.
    """
    file = Path(folder) / CHAIN
    if not file.is_file():
        raise AssayError(f"{folder}: no {CHAIN}; train with `assay system train simplification`, or use hf:{folder}")
    return dict(read_json(file))


def preparation(chain: dict[str, Any], **requested: str) -> Preparation:
    """Return how sources are written, with other constants where they are given.

    Raises:
        AssayError: A control that the model was not trained with is requested.
    """
    from assay.inputs.simplification import Preparation

    controls = dict(chain["controls"])
    for name, value in requested.items():
        if not value:
            continue
        if value != OFF and controls.get(name, OFF) == OFF:
            known = ", ".join(one for one, usual in controls.items() if usual != OFF) or "none"
            raise AssayError(f"{name}={value}: the model was trained without this control; it has {known}")
        controls[name] = value
    ranks = {word: rank for rank, word in enumerate(chain["ranks"])}
    return Preparation(controls, chain["lower"], chain["step"], ranks)
