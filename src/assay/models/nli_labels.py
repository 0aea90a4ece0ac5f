"""The three classes of NLI, and their order among the outputs of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import AssayError

LABELS = ("entailment", "neutral", "contradiction")
"""Classes in the order of the probabilities that assay returns."""
REMEDY = f"Name them in id2label of config.json: {', '.join(LABELS)}, in the order of the outputs."


def class_names(id2label: Any) -> list[str]:
    """Return the class names of a configuration in the order of the outputs; empty if they are not stated."""
    try:
        return [str(id2label[key]).strip().lower() for key in sorted(id2label or {}, key=int)]
    except (TypeError, ValueError, AttributeError, LookupError):
        return []


def label_order(model: str, id2label: Mapping[Any, Any] | None) -> list[int]:
    """Return the indices of entailment, neutral and contradiction among the outputs of a model.

    Classes are found by name, because published models differ in their order.

    Raises:
        AssayError: If the model has no three classes with these names.
    """
    names = class_names(id2label)
    if len(names) != len(LABELS):
        classes = f"{len(names)} classes ({', '.join(names[:6])})" if names else "no names for its classes"
        raise AssayError(f"{model}: has {classes}; NLI needs three. {REMEDY}")
    indices = []
    for label in LABELS:
        matches = [i for i, name in enumerate(names) if name.replace("_", "").replace("-", "").startswith(label[:6])]
        if len(matches) != 1:
            many = f"{len(matches)} are named" if matches else "none is named"
            raise AssayError(f"{model}: {many} {label} among its classes {', '.join(names)}. {REMEDY}")
        indices.append(matches[0])
    return indices
