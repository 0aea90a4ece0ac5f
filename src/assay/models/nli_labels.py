"""The three classes of entailment, and where a model has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import AssayError

LABELS = ("entailment", "neutral", "contradiction")
"""In the order in which we give probabilities, whatever the order of a model."""
REMEDY = f"its config.json must name them in id2label: {', '.join(LABELS)}, in the order of its outputs"


def class_names(id2label: Any) -> list[str]:
    """What a config calls its classes, in the order of their numbers; none where that is no such table."""
    try:
        return [str(id2label[key]).strip().lower() for key in sorted(id2label or {}, key=int)]
    except (TypeError, ValueError, AttributeError, LookupError):
        return []


def label_order(model: str, id2label: Mapping[Any, Any] | None) -> list[int]:
    """The places of entailment, neutral and contradiction among a model's outputs, by their names and never by
    habit: published models have them in every order."""
    names = class_names(id2label)
    if len(names) != len(LABELS):
        told = f"{len(names)} classes ({', '.join(names[:6])})" if names else "no names for its classes"
        raise AssayError(f"{model}: has {told}, and entailment takes three; {REMEDY}")
    found = []
    for label in LABELS:
        fits = [i for i, name in enumerate(names) if name.replace("_", "").replace("-", "").startswith(label[:6])]
        if len(fits) != 1:
            many = f"{len(fits)} are" if fits else "none is"
            raise AssayError(f"{model}: its classes are called {', '.join(names)}, and {many} {label}; {REMEDY}")
        found.append(fits[0])
    return found
