"""Training objective of an extractor: labelled spans, and labels of whole texts."""

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
"""Target of tokens outside the text."""
SEEN = 2
"""Minimum number of occurrences of a text label in the training data."""


class Window(NamedTuple):
    """A part of a text that is read in one pass."""

    ids: list[int]
    targets: list[int]
    text_labels: list[int]
    owner: int


def labels_of(examples: Sequence[Example]) -> list[str]:
    """Return all labels for these examples: token tags (outside, begin, inside) and text labels."""
    texts = [one for example in examples for one in labelled(example)]
    spans = sorted({span.category for one in texts for span in one.spans})
    counts = Counter(label for one in texts for label in one.labels)
    whole = sorted(label for label, count in counts.items() if count >= SEEN)
    if not spans and not whole:
        raise AssayError("train extractor: no training example has a span or label; is it the right file?")
    return [OUTSIDE, *(f"{tag}-{role}" for role in spans for tag in "BI"), *(f"{WHOLE}{label}" for label in whole)]


class Extractor:
    """Texts with labelled spans, split into windows within the limit of the model."""

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
    def extra_files(self) -> dict[str, str]:
        return {}

    def notes(self) -> list[str]:
        spans = sum(target % 2 for window in self.items for target in window.targets if target > 0)
        return [] if spans else ["no span of the training texts has a label: only whole texts are learned from"]

    def _windows(self, texts: Sequence[Labelled]) -> list[Window]:
        collected = []
        for owner, one in enumerate(texts):
            flagged = [self.places[f"{WHOLE}{label}"] for label in one.labels if f"{WHOLE}{label}" in self.places]
            for cut in cut_windows(self.tokenizer, one.text, self.recipe.source_limit):
                known = [span for span in one.spans if f"B-{span.category}" in self.places]
                tags = iter(tags_of(cut.places, known))
                targets = [self.places[next(tags)] if inner else IGNORED for inner in cut.inner]
                collected.append(Window(cut.ids, targets, flagged, owner))
        return collected

    def _drawn(self, windows: list[Window]) -> list[Window]:
        """Return all windows with a span or label, and a random share of the others (`recipe.empty`)."""
        labelled_windows = [
            any(target > 0 for target in window.targets) or bool(window.text_labels) for window in windows
        ]
        chance = np.random.default_rng([self.recipe.seed, len(windows)]).random(len(windows))
        pairs = zip(windows, labelled_windows, chance, strict=True)
        return [window for window, some, drawn in pairs if some or drawn < self.recipe.empty]

    def lengths(self) -> list[int]:
        return [len(window.ids) for window in self.items]

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self._batch([self.items[i] for i in indices])

    def _batch(self, windows: Sequence[Window]) -> dict[str, Any]:
        import torch

        flagged = torch.zeros(len(windows), len(self.places) - self.tags)
        for row, window in enumerate(windows):
            flagged[row, [place - self.tags for place in window.text_labels]] = 1.0
        rows = [window.ids for window in windows]
        states = {"states": self.frozen.states(rows, self.tokenizer.pad_token_id)} if self.frozen else {}
        return states | {
            "input_ids": padded(rows, self.tokenizer.pad_token_id),
            "attention_mask": padded([[1] * len(row) for row in rows], 0),
            "targets": padded([window.targets for window in windows], IGNORED),
            "text_labels": flagged,
            "count": sum(target != IGNORED for window in windows for target in window.targets),
        }

    def _logits(self, model: Any, batch: dict[str, Any]) -> tuple[Any, Any]:
        """Return the tag logits of each token and the label logits of each text (mean over its tokens)."""
        mask = batch["attention_mask"].to(model.device)
        if self.frozen:
            made = self.frozen.upper(inputs_embeds=batch["states"].to(model.device), attention_mask=mask)
        else:
            made = model(input_ids=batch["input_ids"].to(model.device), attention_mask=mask)
        logits = made.logits.float()
        return logits[..., : self.tags], document_logits(logits, mask, self.tags)

    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]:
        import torch

        tags, flagged = self._logits(model, batch)
        targets = batch["targets"].to(model.device)
        summed = torch.nn.functional.cross_entropy(
            tags.transpose(1, 2), targets, reduction="sum", ignore_index=IGNORED, label_smoothing=smoothing
        )
        if flagged.shape[1]:
            summed = summed + torch.nn.functional.binary_cross_entropy_with_logits(
                flagged, batch["text_labels"].to(model.device), reduction="sum"
            )
        return summed, batch["count"]

    def validate(self, model: Any) -> dict[str, float]:
        """Return the loss and the F1 over exact spans with roles and text labels, with the best bias (`lean`) towards
        spans: spans are rare, and without a bias the model predicts too few."""
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
            tags, flagged = self._logits(model, batch)
            for row, window in enumerate(windows):
                inner = [i for i, target in enumerate(window.targets) if target != IGNORED]
                true = {*decode_tags([names[window.targets[i]] for i in inner])}
                flags = {i + self.tags for i, value in enumerate(flagged[row].tolist()) if value > 0}
                gold += len(true) + len({*window.text_labels})
                for lean in LEANS:
                    best = apply_lean(tags[row], lean).argmax(dim=-1).tolist()
                    collected = {*decode_tags([names[best[i]] for i in inner])}
                    right[lean] += len(true & collected) + len(flags & {*window.text_labels})
                    guessed[lean] += len(collected) + len(flags)
        scores = {lean: 2 * right[lean] / max(1, guessed[lean] + gold) for lean in LEANS}
        lean = max(LEANS, key=lambda one: (scores[one], -one))
        return {"loss": total / max(1, count), "f1": scores[lean], "lean": lean}
