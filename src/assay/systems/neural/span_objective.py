"""Learning to find labelled spans in texts, and what a text says as a whole: the training of an extractor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.inputs import Form
from assay.inputs.labelled import Labelled, labelled
from assay.models.tagging import LEANS, OUTSIDE, WHOLE, apply_lean, cut_windows, decode_tags, document_logits, tags_of
from assay.records.types import Example
from assay.systems.neural.encode import padded
from assay.systems.neural.frozen import Frozen, can_split
from assay.systems.neural.generation_objective import Judge
from assay.systems.neural.recipe import Recipe

IGNORED = -100
"""The target of tokens that are no part of the text."""
SEEN = 2
"""How often a label of a whole text must stand in the training data to be learned."""


class Window(NamedTuple):
    """A stretch of a text that is read at once."""

    ids: list[int]
    targets: list[int]
    said: list[int]
    owner: int


def labels_of(examples: Sequence[Example]) -> list[str]:
    """Every label of a model for these examples: of tokens outside, at the begin of and inside a span, and of texts."""
    texts = [one for example in examples for one in labelled(example)]
    spans = sorted({span.category for one in texts for span in one.spans})
    counts = Counter(label for one in texts for label in one.said)
    whole = sorted(label for label, count in counts.items() if count >= SEEN)
    if not spans and not whole:
        raise AssayError("train extractor: no training example has a span or label; is it the right file?")
    return [OUTSIDE, *(f"{tag}-{role}" for role in spans for tag in "BI"), *(f"{WHOLE}{label}" for label in whole)]


class Extractor:
    """Texts with labelled spans, cut into windows that the model can read."""

    def __init__(
        self, model: Any, tokenizer: Any, recipe: Recipe, train: Sequence[Example], valid: Sequence[Example],
        form: Form | None, judge: Judge | None,
    ) -> None:  # fmt: skip
        if recipe.select not in ("loss", "f1"):
            raise AssayError(f"recipe: select={recipe.select} does not fit an extractor; use loss or f1")
        self.tokenizer, self.recipe = tokenizer, recipe
        self.places = {label: place for place, label in sorted(model.config.id2label.items())}
        self.tags = sum(not label.startswith(WHOLE) for label in self.places)
        self.frozen = Frozen(model, recipe.frozen) if recipe.frozen and can_split(model) else None
        self.items = self._drawn(self._windows([one for example in train for one in labelled(example)]))
        self.valid_texts = [one for example in valid for one in labelled(example)]
        self.valid_items = self._windows(self.valid_texts)

    @property
    def beside(self) -> dict[str, str]:
        return {}

    def notes(self) -> list[str]:
        spans = sum(target % 2 for window in self.items for target in window.targets if target > 0)
        return [] if spans else ["no span of the training texts has a label: only whole texts are learned from"]

    def _windows(self, texts: Sequence[Labelled]) -> list[Window]:
        found = []
        for owner, one in enumerate(texts):
            said = [self.places[f"{WHOLE}{label}"] for label in one.said if f"{WHOLE}{label}" in self.places]
            for cut in cut_windows(self.tokenizer, one.text, self.recipe.source_limit):
                known = [span for span in one.spans if f"B-{span.category}" in self.places]
                tags = iter(tags_of(cut.places, known))
                targets = [self.places[next(tags)] if inner else IGNORED for inner in cut.inner]
                found.append(Window(cut.ids, targets, said, owner))
        return found

    def _drawn(self, windows: list[Window]) -> list[Window]:
        """All windows with a span or label, and as many of the others as the recipe says."""
        told = [any(target > 0 for target in window.targets) or bool(window.said) for window in windows]
        chance = np.random.default_rng([self.recipe.seed, len(windows)]).random(len(windows))
        pairs = zip(windows, told, chance, strict=True)
        return [window for window, some, drawn in pairs if some or drawn < self.recipe.empty]

    def lengths(self) -> list[int]:
        return [len(window.ids) for window in self.items]

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self._batch([self.items[i] for i in indices])

    def _batch(self, windows: Sequence[Window]) -> dict[str, Any]:
        import torch

        said = torch.zeros(len(windows), len(self.places) - self.tags)
        for row, window in enumerate(windows):
            said[row, [place - self.tags for place in window.said]] = 1.0
        rows = [window.ids for window in windows]
        states = {"states": self.frozen.states(rows, self.tokenizer.pad_token_id)} if self.frozen else {}
        return states | {
            "input_ids": padded(rows, self.tokenizer.pad_token_id),
            "attention_mask": padded([[1] * len(row) for row in rows], 0),
            "targets": padded([window.targets for window in windows], IGNORED),
            "said": said,
            "count": sum(target != IGNORED for window in windows for target in window.targets),
        }

    def _logits(self, model: Any, batch: dict[str, Any]) -> tuple[Any, Any]:
        """Of each token for the tags, and of each text for what it says: the mean over its tokens."""
        mask = batch["attention_mask"].to(model.device)
        if self.frozen:
            made = self.frozen.upper(inputs_embeds=batch["states"].to(model.device), attention_mask=mask)
        else:
            made = model(input_ids=batch["input_ids"].to(model.device), attention_mask=mask)
        logits = made.logits.float()
        return logits[..., : self.tags], document_logits(logits, mask, self.tags)

    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]:
        import torch

        tags, said = self._logits(model, batch)
        targets = batch["targets"].to(model.device)
        summed = torch.nn.functional.cross_entropy(
            tags.transpose(1, 2), targets, reduction="sum", ignore_index=IGNORED, label_smoothing=smoothing
        )
        if said.shape[1]:
            summed = summed + torch.nn.functional.binary_cross_entropy_with_logits(
                said, batch["said"].to(model.device), reduction="sum"
            )
        return summed, batch["count"]

    def validate(self, model: Any) -> dict[str, float]:
        """The loss, and F1 over exact spans with their roles and over labels of whole texts, with the lean that is best
        for it: spans are rare, so that a model which is only sure of what lies outside finds too few."""
        total, count, gold = 0.0, 0, 0
        right = dict.fromkeys(LEANS, 0)
        guessed = dict.fromkeys(LEANS, 0)
        names = list(self.places)
        order = sorted(range(len(self.valid_items)), key=lambda i: len(self.valid_items[i].ids))
        for start in range(0, len(order), self.recipe.batch):
            windows = [self.valid_items[i] for i in order[start : start + self.recipe.batch]]
            batch = self._batch(windows)
            total += float(self.loss(model, batch, 0.0)[0])
            count += batch["count"]
            tags, said = self._logits(model, batch)
            for row, window in enumerate(windows):
                inner = [i for i, target in enumerate(window.targets) if target != IGNORED]
                true = {*decode_tags([names[window.targets[i]] for i in inner])}
                flags = {i + self.tags for i, value in enumerate(said[row].tolist()) if value > 0}
                gold += len(true) + len({*window.said})
                for lean in LEANS:
                    best = apply_lean(tags[row], lean).argmax(dim=-1).tolist()
                    found = {*decode_tags([names[best[i]] for i in inner])}
                    right[lean] += len(true & found) + len(flags & {*window.said})
                    guessed[lean] += len(found) + len(flags)
        scores = {lean: 2 * right[lean] / max(1, guessed[lean] + gold) for lean in LEANS}
        lean = max(LEANS, key=lambda one: (scores[one], -one))
        return {"loss": total / max(1, count), "f1": scores[lean], "lean": lean}
