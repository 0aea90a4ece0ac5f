"""A pair classifier as a system: the probability that a candidate fits an input, or that a sentence is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.models.checkpoints import fingerprint
from assay.models.devices import limited_threads
from assay.models.load import load, window
from assay.records.types import Example
from assay.systems.base import System
from assay.systems.neural.encode import encode_pair, form_of, padded

POSITIVE = ("yes", "aggregation", "keep", "positive", "entailment", "label_1")
"""Names of the positive class; its index is looked up in the config."""


def positive_class(config: Any) -> int:
    """Return the index of the positive class."""
    names = {str(name).lower(): int(place) for name, place in config.label2id.items()}
    index = next((names[name] for name in POSITIVE if name in names), None)
    if index is None:
        raise AssayError(f"the classifier's classes are {', '.join(names)}; name one of them {POSITIVE[0]}")
    return index


@dataclass(eq=False)
class Classifier(System):
    """A Hugging Face classifier of pairs."""

    name: ClassVar = "classifier"
    about: ClassVar = "a Hugging Face classifier for pairs of input and candidate"
    abilities: ClassVar = ("classify",)
    argument: ClassVar = "path"
    extra: ClassVar = "neural"
    citation: ClassVar = "Jumel, Louis, Cheung (2020), TESA, section 5"

    path: str = ""
    """Hub name or folder."""
    limit: int = 0
    """Maximum number of tokens of a pair (default: 0, the limit of the model)."""

    def __post_init__(self) -> None:
        self.require("limit", 0)

    def why_not(self) -> str | None:
        return missing_extra("neural") or (
            None if self.path else "name the model: classifier:NAME or classifier:FOLDER"
        )

    def fingerprint(self) -> list[Any]:
        return [*super().fingerprint(), fingerprint(self.path)]

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        import torch

        model, tokenizer, _ = load(self.path, classifier=True)
        limit = window(model, self.path, self.limit)
        place = positive_class(model.config)
        for example, texts in zip(examples, candidates, strict=True):
            text = form_of(example, self.form, tokenizer).render(example)
            rows = [encode_pair(tokenizer, text, candidate, limit)[0] for candidate in texts]
            ids, mask = padded(rows, tokenizer.pad_token_id), padded([[1] * len(row) for row in rows], 0)
            with torch.no_grad(), limited_threads(model):
                logits = model(input_ids=ids.to(model.device), attention_mask=mask.to(model.device)).logits.double()
            yield torch.softmax(logits, dim=-1)[:, place].tolist()
