"""Training objective for entailment: entailment, neutral or contradiction."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.inputs import Form
from assay.models.nli_labels import LABELS
from assay.records.types import Example
from assay.systems.neural.encode import padded
from assay.systems.neural.generation_objective import Judge
from assay.systems.neural.pair_objective import PairItems
from assay.systems.neural.recipe import Recipe

OTHERWISE = len(LABELS)
"""Class of pairs labelled only as not entailed."""
NAMES = {**{name: i for i, name in enumerate(LABELS)}, "not_entailment": OTHERWISE}


class Item(NamedTuple):
    ids: list[int]
    types: list[int]
    label: int


class Entailment(PairItems):
    """Entailment pairs: source = premise, reference = hypothesis, tag `label` = the human label."""

    def __init__(
        self, model: Any, tokenizer: Any, recipe: Recipe, train: Sequence[Example], valid: Sequence[Example],
        form: Form | None, judge: Judge | None,
    ) -> None:  # fmt: skip
        self.tokenizer, self.recipe = tokenizer, recipe
        if recipe.select not in ("loss", "accuracy"):
            raise AssayError(f"recipe: select={recipe.select} does not fit entailment; use loss or accuracy")
        self.cut = 0
        self.items, self.valid_items = self._items(train), self._items(valid)

    def _items(self, examples: Sequence[Example]) -> list[Item]:
        labels = [label_of(example) for example in examples]
        premises, hypotheses = [str(e.source) for e in examples], [e.references[0] for e in examples]
        whole = self.tokenizer(premises, hypotheses, return_token_type_ids=True, verbose=False)
        limit = self.recipe.source_limit
        self.cut += sum(len(ids) > limit for ids in whole["input_ids"])
        short = self.tokenizer(
            premises, hypotheses, return_token_type_ids=True, truncation="longest_first", max_length=limit
        )
        return [Item(*item) for item in zip(short["input_ids"], short["token_type_ids"], labels, strict=True)]

    def lengths(self) -> list[int]:
        return [len(item.ids) for item in self.items]

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self._batch([self.items[i] for i in indices])

    def _batch(self, items: Sequence[Item]) -> dict[str, Any]:
        import torch

        return {
            "input_ids": padded([item.ids for item in items], self.tokenizer.pad_token_id),
            "attention_mask": padded([[1] * len(item.ids) for item in items], 0),
            "token_type_ids": padded([item.types for item in items], 0),
            "labels": torch.tensor([item.label for item in items]),
            "count": len(items),
        }

    def _chances(self, model: Any, batch: dict[str, Any]) -> Any:
        """Return the log-probabilities of the classes, and of not_entailment as a fourth."""
        import torch

        wanted = taken(model)
        logits = model(**{name: batch[name].to(model.device) for name in wanted}).logits.float()
        known = torch.log_softmax(logits, dim=-1)
        return torch.cat([known, known[:, 1:].logsumexp(dim=-1, keepdim=True)], dim=-1)

    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]:
        chances = self._chances(model, batch)
        labels = batch["labels"].to(chances.device)
        right = chances.gather(1, labels.unsqueeze(1)).squeeze(1)
        even = chances[:, : len(LABELS)].mean(dim=-1)
        share = smoothing * (labels != OTHERWISE)
        return -((1 - share) * right + share * even).sum(), batch["count"]

    def validate(self, model: Any) -> dict[str, float]:
        loss, right = 0.0, 0
        order = sorted(self.valid_items, key=lambda item: len(item.ids))
        for start in range(0, len(order), self.recipe.batch):
            batch = self._batch(order[start : start + self.recipe.batch])
            summed, _ = self.loss(model, batch, 0.0)
            chosen = self._chances(model, batch)[:, : len(LABELS)].argmax(dim=-1).cpu()
            labels = batch["labels"]
            right += int(((chosen == labels) | ((labels == OTHERWISE) & (chosen != 0))).sum())
            loss += float(summed)
        return {"loss": loss / len(order), "accuracy": right / len(order)}


def taken(model: Any) -> list[str]:
    """Return the names of the inputs that a model accepts: not every model uses token types."""
    accepted = inspect.signature(model.forward).parameters
    return [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in accepted]


def label_of(example: Example) -> int:
    """Return the human label of a pair as class index."""
    if not (example.source or "").strip() or not example.references:
        raise AssayError(f"id {example.id}: entailment is learned from a source (premise) and a reference (hypothesis)")
    name = example.tags.get("label", "")
    if name not in NAMES:
        raise AssayError(f"id {example.id}: the tag label is {name!r}; it must be one of {', '.join(NAMES)}")
    return NAMES[name]
