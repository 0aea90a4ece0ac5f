"""Extractors: token classifiers that find labelled spans, as `assay system train extractor` trains them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.checkpoints import LOSSES, read_recipe
from assay.models.devices import limited_threads
from assay.models.encoder import Encoder
from assay.models.load import check_finite, load, window
from assay.models.tagging import OUTSIDE, WHOLE, Cut, apply_lean, cut_windows, decode_tags, document_logits
from assay.records.files import digest_of

if TYPE_CHECKING:
    from assay.models.context import Context


class ExtractedSpan(NamedTuple):
    """A labelled span of a text, or a label of the whole text (start and end are -1)."""

    label: str
    start: int
    end: int
    text: str
    probability: float
    """Probability under the model, from 0 to 1."""


@dataclass(frozen=True)
class Extractor:
    """A token classifier with labels O, B-ROLE and I-ROLE for spans, and =LABEL for whole texts."""

    path: str
    lean: float | None = None
    """Margin, in logits, by which the label O must exceed the others (default: the value selected in training)."""
    batch: int = field(default=16, compare=False)

    @cached_property
    def _weights(self) -> Encoder:
        return Encoder(self.path)

    @property
    def label(self) -> str:
        """Name and digest of the weights, the margin, and the versions of the libraries."""
        return f"{self._weights.label}+lean-{self.chosen_lean:g}+{self._weights.libraries}"

    @cached_property
    def chosen_lean(self) -> float:
        """The margin in use: the option, else the one of the selected epoch, else 0."""
        return _best_lean(Path(self.path)) if self.lean is None else self.lean

    def why_not(self) -> str | None:
        """Return what is missing, with the remedy; None if nothing is."""
        try:
            return self._weights.why_not() or (None if self.chosen_lean is not None else "")
        except AssayError as error:
            return str(error)

    def extract(self, texts: Sequence[str], context: Context) -> list[list[ExtractedSpan]]:
        """Return the spans and labels of each text, from the cache where possible."""
        if not texts:
            return []
        names = self._labels()
        namespace = f"{self._weights.label}-spans-{self.chosen_lean:g}-{digest_of(self._weights.libraries)[:8]}"
        rows_of_texts = context.cache.through(namespace, list(texts), lambda new: self._read(new, context))
        return [
            [_to_span(row, names, text) for row in rows.tolist()]
            for text, rows in zip(texts, rows_of_texts, strict=True)
        ]

    def _labels(self) -> list[str]:
        model = load(self.path, tagger=True).model
        names = [name for _, name in sorted(model.config.id2label.items())]
        if OUTSIDE not in names or not any(name.startswith(("B-", "I-", WHOLE)) for name in names):
            raise AssayError(
                f"{self.path}: not an extractor: its labels are {', '.join(names[:4])}, not O, B-ROLE and I-ROLE. "
                "Train one with `assay system train extractor`."
            )
        return names

    def _read(self, texts: list[str], context: Context) -> list[NDArray[np.float64]]:
        """Return rows of label, start, end and probability for each text; start and end are -1 for whole texts."""
        import torch

        loaded = load(self.path, tagger=True)
        model = loaded.model.to(context.torch_device())
        names = self._labels()
        tags = sum(not name.startswith(WHOLE) for name in names)
        limit = window(model, self.path, 0)
        cut = [(i, one) for i, text in enumerate(texts) for one in cut_windows(loaded.tokenizer, text, limit)]
        order = sorted(range(len(cut)), key=lambda i: len(cut[i][1].ids))
        rows: list[list[list[float]]] = [[] for _ in texts]
        with torch.inference_mode(), limited_threads(model):
            for start in range(0, len(order), self.batch):
                some = [cut[i] for i in order[start : start + self.batch]]
                coded = {"input_ids": [one.ids for _, one in some]}
                padded = loaded.tokenizer.pad(coded, return_tensors="pt").to(model.device)
                logits = model(input_ids=padded["input_ids"], attention_mask=padded["attention_mask"]).logits.float()
                whole_text = torch.sigmoid(document_logits(logits, padded["attention_mask"], tags)).cpu().numpy()
                shifted = apply_lean(logits[..., :tags], self.chosen_lean, names.index(OUTSIDE))
                probabilities = check_finite(torch.softmax(shifted, dim=-1).cpu().numpy())
                for row, (i, one) in enumerate(some):
                    rows[i] += _spans(probabilities[row, : len(one.ids)][np.array(one.inner)], one, names, texts[i])
                    rows[i] += [[tags + k, -1, -1, float(p)] for k, p in enumerate(whole_text[row]) if texts[i].strip()]
        return [_merge_windows(each, tags) for each in rows]


def _best_lean(folder: Path) -> float:
    """Return the margin that the training log has for the selected epoch."""
    recipe, log = read_recipe(folder), folder / LOSSES
    if not (recipe and log.is_file()):
        return 0.0
    select = recipe.get("select", "loss")
    best = min if select == "loss" else max
    try:
        rows = [row for line in log.read_text(encoding="utf-8").splitlines() if "lean" in (row := json.loads(line))]
        return float(best(rows, key=lambda row: row[select])["lean"]) if rows else 0.0
    except (ValueError, TypeError, KeyError):
        raise AssayError(
            f"{log}: damaged, so the margin of the extractor is unknown. Copy the file again, or give lean=."
        ) from None


def _spans(probabilities: NDArray[np.float32], one: Cut, names: list[str], text: str) -> list[list[float]]:
    """Return the spans of a window, extended to whole words."""
    best = probabilities.argmax(axis=1) if len(probabilities) else np.zeros(0, dtype=int)
    rows = []
    for role, first, after in decode_tags([names[k] for k in best.tolist()]):
        start, end = one.places[first][0], one.places[after - 1][1]
        while start < end and text[start].isspace():
            start += 1
        while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
            start -= 1
        while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
            end += 1
        if start < end:
            mean = float(probabilities[np.arange(first, after), best[first:after]].mean())
            label = names.index(f"B-{role}") if f"B-{role}" in names else best[first]  # some models have I-ROLE only
            rows.append([float(label), start, end, mean])
    return rows


def _merge_windows(rows: list[list[float]], tags: int) -> NDArray[np.float64]:
    """Return spans in text order without repeats, then labels of the whole text with their highest probability."""
    spans = {(label, start, end): probability for label, start, end, probability in sorted(rows) if start >= 0}
    whole_text: dict[float, float] = {}
    for label, start, _, probability in rows:
        if start < 0:
            whole_text[label] = max(probability, whole_text.get(label, 0.0))
    merged = [[*key, probability] for key, probability in sorted(spans.items(), key=lambda item: item[0][1:])]
    merged += [[label, -1, -1, probability] for label, probability in sorted(whole_text.items())]
    return np.array(merged, dtype=np.float64).reshape(len(merged), 4)


def _to_span(row: Sequence[Any], names: list[str], text: str) -> ExtractedSpan:
    label, start, end, probability = int(row[0]), int(row[1]), int(row[2]), float(row[3])
    name = names[label]
    if start < 0:
        return ExtractedSpan(name.removeprefix(WHOLE), -1, -1, "", probability)
    return ExtractedSpan(name.partition("-")[2], start, end, text[start:end], probability)
