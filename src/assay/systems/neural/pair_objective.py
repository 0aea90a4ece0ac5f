"""Training objective for binary pair classification: ranking candidates, selecting sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import AssayError
from assay.inputs import Form
from assay.records.inputs import Candidates, read_input
from assay.records.types import Example
from assay.stats.retrieval import average_precision, gold_ranks
from assay.systems.neural.encode import encode_pair, form_of, padded
from assay.systems.neural.generation_objective import Judge
from assay.systems.neural.recipe import Recipe


class PairItems:
    """What objectives over pairs of texts share: pairs that were cut are counted, and no files are added."""

    recipe: Recipe
    items: Sequence[Any]
    valid_items: Sequence[Any]
    cut: int

    @property
    def extra_files(self) -> dict[str, str]:
        return {}

    def notes(self) -> list[str]:
        total = len(self.items) + len(self.valid_items)
        limit = f"source_limit={self.recipe.source_limit}"
        return [f"{self.cut} of {total} pairs are longer than {limit} tokens and were cut"] if self.cut else []


class Classifier(PairItems):
    """Pairs of an input and a candidate; all candidates of every example are items."""

    def __init__(
        self, model: Any, tokenizer: Any, recipe: Recipe, train: Sequence[Example], valid: Sequence[Example],
        form: Form | None, judge: Judge | None,
    ) -> None:  # fmt: skip
        self.tokenizer, self.recipe, self.form = tokenizer, recipe, form
        if recipe.select not in ("loss", "map", "f1"):
            raise AssayError(f"recipe: select={recipe.select} does not fit a classifier; use loss, map or f1")
        self.cut = 0
        self.items, _ = self._items(train)
        self.valid_items, self.owners = self._items(valid)

    def _items(self, examples: Sequence[Example]) -> tuple[list[tuple[list[int], int]], list[int]]:
        pairs, owners = [], []
        for number, example in enumerate(examples):
            ranking = read_input(example, Candidates)
            text = form_of(example, self.form, self.tokenizer).render(example)
            for candidate, label in zip(ranking.candidates, ranking.labels, strict=True):
                ids, cut = encode_pair(self.tokenizer, text, candidate, self.recipe.source_limit)
                self.cut += bool(cut)
                pairs.append((ids, int(label)))
                owners.append(number)
        return pairs, owners

    def lengths(self) -> list[int]:
        return [len(ids) for ids, _ in self.items]

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self._batch([self.items[i] for i in indices])

    def _batch(self, items: Sequence[tuple[list[int], int]]) -> dict[str, Any]:
        import torch

        ids = padded([ids for ids, _ in items], self.tokenizer.pad_token_id)
        mask = padded([[1] * len(ids) for ids, _ in items], 0)
        labels = torch.tensor([label for _, label in items])
        return {"input_ids": ids, "attention_mask": mask, "labels": labels, "count": len(items)}

    def _logits(self, model: Any, batch: dict[str, Any]) -> Any:
        return model(**{name: batch[name].to(model.device) for name in ("input_ids", "attention_mask")}).logits

    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]:
        import torch

        summed = torch.nn.functional.cross_entropy(
            self._logits(model, batch).float(), batch["labels"].to(model.device), reduction="sum",
            label_smoothing=smoothing,
        )  # fmt: skip
        return summed, batch["count"]

    def validate(self, model: Any) -> dict[str, float]:
        import torch

        total, scores = 0.0, [0.0] * len(self.valid_items)
        order = sorted(range(len(self.valid_items)), key=lambda i: len(self.valid_items[i][0]))
        for start in range(0, len(order), self.recipe.batch):
            some = order[start : start + self.recipe.batch]
            batch = self._batch([self.valid_items[i] for i in some])
            logits = self._logits(model, batch).float()
            total += float(
                torch.nn.functional.cross_entropy(logits, batch["labels"].to(logits.device), reduction="sum")
            )
            for i, score in zip(some, torch.softmax(logits, dim=-1)[:, 1].tolist(), strict=True):
                scores[i] = score
        labels = [label for _, label in self.valid_items]
        hits = sum(score > 0.5 and label == 1 for score, label in zip(scores, labels, strict=True))
        f1 = 2 * hits / max(1, sum(score > 0.5 for score in scores) + sum(labels))
        return {"loss": total / len(labels), "map": self._map(scores, labels), "f1": f1}

    def _map(self, scores: list[float], labels: list[int]) -> float:
        """Return the mean average precision (MAP) over the examples."""
        lists: dict[int, tuple[list[float], list[int]]] = {}
        for owner, score, label in zip(self.owners, scores, labels, strict=True):
            some, marks = lists.setdefault(owner, ([], []))
            some.append(score)
            marks.append(label)
        pairs = [gold_ranks(*one) for one in lists.values()]
        return sum(average_precision(ranks, len(ranks)) for ranks in pairs) / len(pairs)
