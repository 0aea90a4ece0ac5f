"""What can be learned: texts from inputs (seq2seq), and yes or no for a pair of texts (classifier)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.inputs import Form
from assay.records import Example
from assay.systems.base import candidates_of
from assay.systems.neural.begin import begin
from assay.systems.neural.load import Loaded
from assay.systems.neural.recipe import Recipe
from assay.systems.neural.texts import Pieces, encode, form_of, source_tokens
from assay.systems.neural.train import Trained, train

Judge = Callable[[list[str], list[Example]], float]
"""A text metric over outputs and their examples; higher is better."""
IGNORED = -100


class Item(NamedTuple):
    source: list[int]
    target: list[int]


def _padded(rows: Sequence[list[int]], pad: int) -> Any:
    import torch

    longest = max(map(len, rows))
    return torch.tensor([row + [pad] * (longest - len(row)) for row in rows])


class Seq2Seq:
    """Every reference is a target of its own."""

    lower_is_better = True

    def __init__(
        self, model: Any, tokenizer: Any, recipe: Recipe, train: Sequence[Example], valid: Sequence[Example],
        form: Form | None, judge: Judge | None,
    ) -> None:  # fmt: skip
        self.tokenizer, self.recipe, self.form = tokenizer, recipe, form
        self.items = self._items(train)
        self.valid_items = self._items(valid)
        self.valid = list(valid)[: recipe.valid_items or None]
        self.judge = judge
        if recipe.select not in ("loss", "rouge1", "rouge2"):
            raise AssayError(f"recipe: select={recipe.select} does not fit a text generator; use loss or rouge1")
        if recipe.select != "loss" and judge is None:
            raise AssayError(f"recipe: select={recipe.select} needs the metric; use select=loss here")

    def _items(self, examples: Sequence[Example]) -> list[Item]:
        found = []
        for example in examples:
            if not example.references:
                raise AssayError(f"id {example.id}: no reference to learn from; leave the item out")
            source, _ = source_tokens(self.tokenizer, example, self.form, self.recipe.source_limit)
            for reference in example.references:
                target = self.tokenizer(text_target=reference, verbose=False).input_ids
                limit = self.recipe.target_limit
                found.append(Item(source, target if len(target) <= limit else [*target[: limit - 1], target[-1]]))
        return found

    def lengths(self) -> list[int]:
        return [len(item.source) + len(item.target) for item in self.items]

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self._batch([self.items[i] for i in indices])

    def _batch(self, items: Sequence[Item]) -> dict[str, Any]:
        sources = _padded([item.source for item in items], self.tokenizer.pad_token_id)
        mask = _padded([[1] * len(item.source) for item in items], 0)
        labels = _padded([item.target for item in items], IGNORED)
        count = sum(len(item.target) for item in items)
        return {"input_ids": sources, "attention_mask": mask, "labels": labels, "count": count}

    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]:
        """The summed cross-entropy over target tokens, and how many they are."""
        import torch

        given = {name: batch[name].to(model.device) for name in ("input_ids", "attention_mask", "labels")}
        logits = model(**given).logits
        summed = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), given["labels"].flatten(), ignore_index=IGNORED, reduction="sum",
            label_smoothing=smoothing,
        )  # fmt: skip
        return summed, batch["count"]

    def validate(self, model: Any) -> dict[str, float]:
        total, count = 0.0, 0
        ordered = sorted(self.valid_items, key=lambda item: len(item.source))
        for start in range(0, len(ordered), self.recipe.batch):
            loss, n = self.loss(model, self._batch(ordered[start : start + self.recipe.batch]), 0.0)
            total, count = total + float(loss), count + n
        found = {"loss": total / count}
        if self.recipe.select != "loss" and self.judge:
            found[self.recipe.select] = self.judge(self._texts(model), self.valid)
        return found

    def _texts(self, model: Any) -> list[str]:
        """What the model at this epoch writes for the validation items."""
        from assay.systems.neural.models import Model

        recipe = self.recipe

        class Now(Model):
            @property
            def loaded(inner) -> Loaded:  # noqa: N805
                return Loaded(model, self.tokenizer, "seq2seq")

        now = Now(beams=recipe.beams, min_new=recipe.min_new, max_new=recipe.max_new, limit=recipe.source_limit)
        now.form = self.form
        size = max(1, recipe.batch)
        batches = [self.valid[i : i + size] for i in range(0, len(self.valid), size)]
        return [answer.text for batch in batches for answer in now.generate(batch)]


class Classifier:
    """Pairs of an input and a candidate; all candidates of every example are items."""

    lower_is_better = True

    def __init__(
        self, model: Any, tokenizer: Any, recipe: Recipe, train: Sequence[Example], valid: Sequence[Example],
        form: Form | None, judge: Judge | None,
    ) -> None:  # fmt: skip
        self.tokenizer, self.recipe, self.form = tokenizer, recipe, form
        if recipe.select not in ("loss", "map", "f1"):
            raise AssayError(f"recipe: select={recipe.select} does not fit a classifier; use loss, map or f1")
        self.items, _ = self._items(train)
        self.valid_items, self.owners = self._items(valid)

    def _items(self, examples: Sequence[Example]) -> tuple[list[tuple[list[int], int]], list[int]]:
        found, owners = [], []
        for number, example in enumerate(examples):
            candidates, labels = candidates_of(example)
            text = form_of(example, self.form, self.tokenizer).render(example)
            for candidate, label in zip(candidates, labels, strict=True):
                ids, _ = encode(self.tokenizer, Pieces(text, candidate), self.recipe.source_limit)
                found.append((ids, int(label)))
                owners.append(number)
        return found, owners

    def lengths(self) -> list[int]:
        return [len(ids) for ids, _ in self.items]

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self._batch([self.items[i] for i in indices])

    def _batch(self, items: Sequence[tuple[list[int], int]]) -> dict[str, Any]:
        import torch

        ids = _padded([ids for ids, _ in items], self.tokenizer.pad_token_id)
        mask = _padded([[1] * len(ids) for ids, _ in items], 0)
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
        """Mean over the examples of the mean precision at the gold candidates' ranks."""
        by_owner: dict[int, list[tuple[float, int]]] = {}
        for owner, score, label in zip(self.owners, scores, labels, strict=True):
            by_owner.setdefault(owner, []).append((score, label))
        values = []
        for pairs in by_owner.values():
            ranked = [label for _, label in sorted(pairs, key=lambda pair: -pair[0])]
            gold = [rank for rank, label in enumerate(ranked, 1) if label]
            values.append(sum(i / rank for i, rank in enumerate(gold, 1)) / len(gold))
        return sum(values) / len(values)


TASKS: dict[str, type[Seq2Seq] | type[Classifier]] = {"seq2seq": Seq2Seq, "classifier": Classifier}


def train_examples(
    task: str, recipe: Recipe, train_on: Sequence[Example], valid_on: Sequence[Example], folder: Path, *,
    form: Form | None = None, judge: Judge | None = None, say: Callable[[str], None] = lambda line: None,
    stop_after: int = 0,
) -> Trained:  # fmt: skip
    """Train a model of a kind (`seq2seq` or `classifier`) on examples and leave it in the folder."""
    if not train_on or not valid_on:
        raise AssayError(f"train {task}: needs training and validation examples; one of the files is empty")
    texts = [text for example in train_on for text in _texts_of(example, form)]
    model, tokenizer = begin(recipe, texts, classifier=task == "classifier")
    made = TASKS[task](model, tokenizer, recipe, train_on, valid_on, form, judge)
    return train(model, tokenizer, made, recipe, folder, say=say, stop_after=stop_after)


def _texts_of(example: Example, form: Form | None) -> list[str]:
    """What the vocabulary is made of."""
    candidates = (example.input or {}).get("candidates", [])
    return [form_of(example, form).render(example), *example.references, *candidates]
