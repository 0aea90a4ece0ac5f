"""Units of an input that a tokenizer must not split: concepts, roles and variables of a meaning representation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from assay.inputs import Form
from assay.records.types import Example
from assay.systems.neural.encode import form_of

FEWEST = 2
"""Times that a unit must occur in the training data to be one token. A rarer one is spelt out, like an unknown one, so
that the model learns to copy its letters."""


def unit_tokens(examples: Sequence[Example], form: Form | None) -> list[str]:
    """Return the units of the training inputs with the space before them, in the order of their first occurrence."""
    counts: Counter[str] = Counter()
    for example in examples:
        chosen = form_of(example, form)
        text = chosen.render(example) if _has_units(chosen) else ""
        units = set(chosen.units(text)) if text else set()
        for place, word in enumerate(text.split(" ") if units else ()):
            if word in units:
                counts[f" {word}" if place else word] += 1
    return [unit for unit, count in counts.items() if count >= FEWEST]


def split_units(tokenizer: Any, examples: Sequence[Example], form: Form | None) -> tuple[int, int]:
    """Return how many different units of the inputs a tokenizer splits, and how many there are."""
    units: dict[str, None] = {}
    for example in examples:
        chosen = form_of(example, form)
        if _has_units(chosen):
            units.update(dict.fromkeys(chosen.units(chosen.render(example))))
    ids = (tokenizer(f"x {unit}", add_special_tokens=False, verbose=False).input_ids for unit in units)
    before = len(tokenizer("x", add_special_tokens=False, verbose=False).input_ids)
    return sum(len(each) - before > 1 for each in ids), len(units)


def _has_units(form: Form) -> bool:
    return type(form).units is not Form.units
