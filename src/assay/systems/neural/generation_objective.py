"""Training objectives for text generation with sequence-to-sequence and causal models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.inputs import Form
from assay.models.checkpoints import PROMPT
from assay.models.load import Loaded, max_positions
from assay.records.types import Example
from assay.systems.neural.encode import context, edges, first_token, form_of, padded, source_tokens, target
from assay.systems.neural.recipe import Recipe
from assay.systems.prompts import prompt

OF_PAIRS = ("map", "f1", "accuracy", "pearson", "spearman")
"""Values of `select` that need no texts."""


class Judge(NamedTuple):
    """A text metric over outputs and their examples."""

    score: Callable[[list[str], list[Example]], float]
    lower: bool = False
    """Whether lower is better."""


IGNORED = -100


class Item(NamedTuple):
    source: list[int]
    target: list[int]


class Seq2Seq:
    """Generation with an encoder and a decoder. Every reference is a separate target."""

    kind = "seq2seq"

    def __init__(
        self, model: Any, tokenizer: Any, recipe: Recipe, train: Sequence[Example], valid: Sequence[Example],
        form: Form | None, judge: Judge | None,
    ) -> None:  # fmt: skip
        self.tokenizer, self.recipe, self.form = tokenizer, recipe, form
        self.cut: Counter[str] = Counter()
        self._check_room(max_positions(model))
        self._noted = train
        self.items = self._items(train)
        self.valid_items = self._items(valid)
        self.valid = list(valid)[: recipe.valid_items or None]
        self.judge = judge
        if recipe.select in OF_PAIRS:
            raise AssayError(f"recipe: select={recipe.select} does not fit a text generator; use loss, bleu or rouge1")
        if recipe.select != "loss" and judge is None:
            raise AssayError(f"recipe: select={recipe.select} needs the metric; use select=loss here")

    @property
    def extra_files(self) -> dict[str, str]:
        return {}

    @property
    def lower(self) -> bool:
        """Whether a lower value of `select` is better."""
        return self.recipe.select == "loss" or (self.judge is not None and self.judge.lower)

    def _check_room(self, room: int) -> None:
        if self.recipe.source_limit > room:
            raise AssayError(
                f"recipe: source_limit={self.recipe.source_limit}, but the model reads {room} tokens; lower it"
            )

    def notes(self) -> list[str]:
        total = len(self.items) + len(self.valid_items)
        unclear = Counter(note for example in self._noted for note in set(form_of(example, self.form).notes(example)))
        limits = {"source": self.recipe.source_limit, "target": self.recipe.target_limit}
        return [
            f"{self.cut[what]} of {total} {what}s have more than {limit} tokens ({what}_limit) and were cut"
            for what, limit in limits.items()
            if self.cut[what]
        ] + [f"{count} of {len(self._noted)} training inputs: {note}" for note, count in unclear.items()]

    def _items(self, examples: Sequence[Example]) -> list[Item]:
        results = []
        for example in examples:
            if not example.references:
                raise AssayError(f"id {example.id}: no reference to learn from; leave the item out")
            results += self._items_of(example)
        return results

    def _items_of(self, example: Example) -> list[Item]:
        source, cut = source_tokens(self.tokenizer, example, self.form, self.recipe.source_limit)
        targets = [self.tokenizer(text_target=text, verbose=False).input_ids for text in example.references]
        self.cut["source"] += bool(cut) * len(targets)
        return [Item(source, self._cut(target)) for target in targets]

    def _cut(self, target: list[int]) -> list[int]:
        """Truncate a target before its end token."""
        limit = self.recipe.target_limit
        self.cut["target"] += len(target) > limit
        return target if len(target) <= limit else [*target[: limit - 1], target[-1]]

    def lengths(self) -> list[int]:
        return [len(item.source) + len(item.target) for item in self.items]

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self._batch([self.items[i] for i in indices])

    def _batch(self, items: Sequence[Item]) -> dict[str, Any]:
        sources = padded([item.source for item in items], self.tokenizer.pad_token_id)
        mask = padded([[1] * len(item.source) for item in items], 0)
        labels = padded([item.target for item in items], IGNORED)
        count = sum(len(item.target) for item in items)
        return {"input_ids": sources, "attention_mask": mask, "labels": labels, "count": count}

    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]:
        """Return the summed cross-entropy over target tokens and their number."""
        import torch

        inputs = {name: batch[name].to(model.device) for name in ("input_ids", "attention_mask", "labels")}
        logits, labels = self._predicted(model, inputs)
        summed = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), labels.flatten(), ignore_index=IGNORED, reduction="sum",
            label_smoothing=smoothing,
        )  # fmt: skip
        return summed, batch["count"]

    def _predicted(self, model: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
        """Return the logits and the target at every position."""
        return model(**inputs).logits, inputs["labels"]

    def validate(self, model: Any) -> dict[str, float]:
        total, count = 0.0, 0
        ordered = sorted(self.valid_items, key=lambda item: len(item.source))
        for start in range(0, len(ordered), self.recipe.batch):
            loss, n = self.loss(model, self._batch(ordered[start : start + self.recipe.batch]), 0.0)
            total, count = total + float(loss), count + n
        results = {"loss": total / count}
        if self.recipe.select != "loss" and self.judge:
            results[self.recipe.select] = self.judge.score(self._texts(model), self.valid)
        return results

    def _texts(self, model: Any) -> list[str]:
        """Generate texts for the validation items with the current model."""
        from assay.systems.neural.hugging_face import Model

        recipe = self.recipe

        class Now(Model):
            @property
            def loaded(inner) -> Loaded:  # noqa: N805
                return Loaded(model, self.tokenizer, self.kind)

        now = Now(beams=recipe.beams, min_new=recipe.min_new, max_new=recipe.max_new, limit=recipe.source_limit,
                  prompt=recipe.prompt)  # fmt: skip
        now.form = self.form
        size = max(1, recipe.batch)
        batches = [self.valid[i : i + size] for i in range(0, len(self.valid), size)]
        return [answer.text for batch in batches for answer in now.generate(batch)]


class Causal(Seq2Seq):
    """Generation with a causal model. The loss counts only the target, not the tokens of the input.

    The start of the target is found as in likelihood scoring, so training and scoring agree.
    """

    kind = "causal"

    @property
    def extra_files(self) -> dict[str, str]:
        """The training prompt, stored in the model folder for use at inference."""
        return {PROMPT: prompt(self.recipe.prompt).to_toml()}

    def _check_room(self, room: int) -> None:
        recipe = self.recipe
        if recipe.source_limit + recipe.target_limit > room:
            raise AssayError(
                f"recipe: source_limit={recipe.source_limit} and target_limit={recipe.target_limit} do not fit into "
                f"the model's {room} tokens; lower one of them"
            )

    def _items_of(self, example: Example) -> list[Item]:
        chosen = prompt(self.recipe.prompt)
        lead = edges(self.tokenizer)

        def messages(shown: Example) -> list[dict[str, str]]:
            return chosen.messages(text=form_of(shown, self.form).render(shown))

        text, cut = context(self.tokenizer, example, messages, self.recipe.source_limit - len(lead))
        self.cut["source"] += bool(cut) * len(example.references)
        results = []
        for reference in example.references:
            before, after, _ = target(self.tokenizer, text, reference)
            start = [*lead, *before] or [first_token(self.tokenizer)]
            results.append(Item(start, self._cut([*after, self.tokenizer.eos_token_id])))
        return results

    def _batch(self, items: Sequence[Item]) -> dict[str, Any]:
        whole = [item.source + item.target for item in items]
        labels = [[IGNORED] * len(item.source) + item.target for item in items]
        return {
            "input_ids": padded(whole, self.tokenizer.pad_token_id),
            "attention_mask": padded([[1] * len(row) for row in whole], 0),
            "labels": padded(labels, IGNORED),
            "count": sum(len(item.target) for item in items),
        }

    def _predicted(self, model: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
        logits = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]).logits
        return logits[:, :-1], inputs["labels"][:, 1:]
