"""Training objective for semantic similarity from rated pairs: bi-encoder or cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.inputs import Form
from assay.records.types import Example
from assay.stats.correlation import pearson, spearman
from assay.stats.validation import UndefinedStatistic
from assay.systems.neural.encode import padded
from assay.systems.neural.entailment_objective import taken
from assay.systems.neural.generation_objective import Judge
from assay.systems.neural.recipe import Recipe

HIGHEST = 5.0
"""Maximum rating in the STS benchmark."""


class Item(NamedTuple):
    texts: tuple[list[int], ...]
    """Tokens of each text, or of both as one sequence."""
    types: list[int]
    score: float
    """Human rating, scaled to 0 to 1."""


class Similarity:
    """Rated pairs: source = first text, reference = second text, tag `score` = human rating from 0 to 5."""

    def __init__(
        self, model: Any, tokenizer: Any, recipe: Recipe, train: Sequence[Example], valid: Sequence[Example],
        form: Form | None, judge: Judge | None,
    ) -> None:  # fmt: skip
        self.tokenizer, self.recipe = tokenizer, recipe
        if recipe.select not in ("loss", "pearson", "spearman"):
            raise AssayError(f"recipe: select={recipe.select} does not fit similarity; use loss, pearson or spearman")
        if recipe.reads == "apart" and model.config.is_encoder_decoder:
            raise AssayError(f"recipe: reads=apart needs an encoder, which {recipe.model} is not; use model=minilm")
        self.cut = 0
        self.items, self.valid_items = self._items(train), self._items(valid)

    @property
    def extra_files(self) -> dict[str, str]:
        return {}

    def notes(self) -> list[str]:
        limit = f"source_limit={self.recipe.source_limit}"
        many = "1 text is longer" if self.cut == 1 else f"{self.cut} texts are longer"
        return [f"{many} than {limit} tokens and {'was' if self.cut == 1 else 'were'} cut"] if self.cut else []

    def _items(self, examples: Sequence[Example]) -> list[Item]:
        scores = [score_of(example) for example in examples]
        ones, others = [str(e.source) for e in examples], [e.references[0] for e in examples]
        inputs = [(ones,), (others,)] if self.recipe.reads == "apart" else [(ones, others)]
        limit = self.recipe.source_limit
        rows = []
        for texts in inputs:
            whole = self.tokenizer(*texts, return_token_type_ids=True, verbose=False)
            self.cut += sum(len(ids) > limit for ids in whole["input_ids"])
            rows.append(self.tokenizer(*texts, return_token_type_ids=True, truncation=True, max_length=limit))
        tokens = zip(*(row["input_ids"] for row in rows), strict=True)
        return [Item(*item) for item in zip(tokens, rows[0]["token_type_ids"], scores, strict=True)]

    def lengths(self) -> list[int]:
        return [sum(map(len, item.texts)) for item in self.items]

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self._batch([self.items[i] for i in indices])

    def _batch(self, items: Sequence[Item]) -> dict[str, Any]:
        import torch

        sides = []
        for side in zip(*(item.texts for item in items), strict=True):
            inputs = {
                "input_ids": padded(list(side), self.tokenizer.pad_token_id),
                "attention_mask": padded([[1] * len(ids) for ids in side], 0),
            }
            if self.recipe.reads == "together":
                inputs["token_type_ids"] = padded([item.types for item in items], 0)
            sides.append(inputs)
        return {"sides": sides, "scores": torch.tensor([item.score for item in items]), "count": len(items)}

    def _alike(self, model: Any, batch: dict[str, Any]) -> Any:
        """Return the similarity: 0 to 1 for a cross-encoder, -1 to 1 (cosine) for a bi-encoder."""
        import torch

        wanted = set(taken(model))
        sides = [{k: v.to(model.device) for k, v in side.items() if k in wanted} for side in batch["sides"]]
        if self.recipe.reads == "together":
            return torch.sigmoid(model(**sides[0]).logits[:, 0].float())
        vectors = []
        for side in sides:
            mask = side["attention_mask"].unsqueeze(-1)
            vectors.append((model(**side).last_hidden_state.float() * mask).sum(dim=1) / mask.sum(dim=1))
        return torch.nn.functional.cosine_similarity(*vectors)

    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]:
        import torch

        alike, scores = self._alike(model, batch), batch["scores"].to(model.device)
        if self.recipe.reads == "together":
            return torch.nn.functional.binary_cross_entropy(alike, scores, reduction="sum"), batch["count"]
        return torch.square(alike - scores).sum(), batch["count"]

    def validate(self, model: Any) -> dict[str, float]:
        loss = 0.0
        predicted: list[float] = []
        order = sorted(self.valid_items, key=lambda item: sum(map(len, item.texts)))
        for start in range(0, len(order), self.recipe.batch):
            batch = self._batch(order[start : start + self.recipe.batch])
            loss += float(self.loss(model, batch, 0.0)[0])
            predicted += self._alike(model, batch).tolist()
        ratings = [item.score for item in order]
        try:
            correlations = {"pearson": pearson(predicted, ratings).r, "spearman": spearman(predicted, ratings).r}
        except UndefinedStatistic:  # too few pairs, or identical values
            correlations = {"pearson": 0.0, "spearman": 0.0}
        return {"loss": loss / len(order), **correlations}


def score_of(example: Example) -> float:
    """Return the human rating of a pair, scaled to 0 to 1."""
    if example.source is None or not example.references:
        raise AssayError(f"id {example.id}: similarity is learned from a source and a reference")
    try:
        score = float(example.tags.get("score", ""))
    except ValueError:
        score = -1.0
    if not 0 <= score <= HIGHEST:
        raise AssayError(f"id {example.id}: the tag score must be a number from 0 to {HIGHEST:g}")
    return score / HIGHEST
