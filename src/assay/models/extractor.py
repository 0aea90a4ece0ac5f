"""Extractors: token classifiers that `assay system train extractor` made, or others in the same form, asked for
spans."""

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
    """A span of a text, or (where it has no place) what a text says as a whole."""

    label: str
    start: int
    end: int
    text: str
    probability: float
    """How sure the model is, from 0 to 1."""


@dataclass(frozen=True)
class Extractor:
    """A token classifier with labels O, B-ROLE and I-ROLE, and =LABEL for what is said of a whole text."""

    path: str
    lean: float | None = None
    """By how much, in logits, a word outside of spans has to be likelier; none takes what its training found best."""
    batch: int = field(default=16, compare=False)

    @cached_property
    def _weights(self) -> Encoder:
        return Encoder(self.path)

    @property
    def label(self) -> str:
        """The weights by name and content, how it leans, and the libraries that run it."""
        return f"{self._weights.label}+lean-{self.chosen_lean:g}+{self._weights.libraries}"

    @cached_property
    def chosen_lean(self) -> float:
        """The lean that is used: as asked, else that of the epoch which was kept, else none."""
        return _best_lean(Path(self.path)) if self.lean is None else self.lean

    def why_not(self) -> str | None:
        """What is missing on this machine; None if nothing is."""
        try:
            return self._weights.why_not() or (None if self.chosen_lean is not None else "")
        except AssayError as error:
            return str(error)

    def extract(self, texts: Sequence[str], context: Context) -> list[list[ExtractedSpan]]:
        """What stands in each text, from the cache where it has been read before."""
        if not texts:
            return []
        names = self._labels()
        namespace = f"{self._weights.label}-spans-{self.chosen_lean:g}-{digest_of(self._weights.libraries)[:8]}"
        kept = context.cache.through(namespace, list(texts), lambda new: self._read(new, context))
        return [[_named(row, names, text) for row in rows.tolist()] for text, rows in zip(texts, kept, strict=True)]

    def _labels(self) -> list[str]:
        model = load(self.path, tagger=True).model
        names = [name for _, name in sorted(model.config.id2label.items())]
        if OUTSIDE not in names or not any(name.startswith(("B-", "I-", WHOLE)) for name in names):
            raise AssayError(
                f"{self.path}: its labels are {', '.join(names[:4])}, where an extractor has O, B-ROLE and I-ROLE; "
                "make one with `assay system train extractor`"
            )
        return names

    def _read(self, texts: list[str], context: Context) -> list[NDArray[np.float64]]:
        """A row of label, begin, end and probability for each span; -1 stands for no place."""
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
                said = torch.sigmoid(document_logits(logits, padded["attention_mask"], tags)).cpu().numpy()
                leant = apply_lean(logits[..., :tags], self.chosen_lean, names.index(OUTSIDE))
                sure = check_finite(torch.softmax(leant, dim=-1).cpu().numpy())
                for row, (i, one) in enumerate(some):
                    rows[i] += _spans(sure[row, : len(one.ids)][np.array(one.inner)], one, names, texts[i])
                    rows[i] += [[tags + k, -1, -1, float(p)] for k, p in enumerate(said[row]) if texts[i].strip()]
        return [_best(each, tags) for each in rows]


def _best_lean(folder: Path) -> float:
    """What the log of a training says of the epoch that was kept."""
    recipe, log = read_recipe(folder), folder / LOSSES
    if not (recipe and log.is_file()):
        return 0.0
    select = recipe.get("select", "loss")
    best = min if select == "loss" else max
    try:
        rows = [row for line in log.read_text(encoding="utf-8").splitlines() if "lean" in (row := json.loads(line))]
        return float(best(rows, key=lambda row: row[select])["lean"]) if rows else 0.0
    except (ValueError, TypeError, KeyError):
        raise AssayError(f"{log}: damaged, and it says how the extractor leans; copy it again, or give lean=") from None


def _spans(sure: NDArray[np.float32], one: Cut, names: list[str], text: str) -> list[list[float]]:
    """Spans of a window, grown to whole words."""
    best = sure.argmax(axis=1) if len(sure) else np.zeros(0, dtype=int)
    found = []
    for role, first, after in decode_tags([names[k] for k in best.tolist()]):
        start, end = one.places[first][0], one.places[after - 1][1]
        while start < end and text[start].isspace():
            start += 1
        while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
            start -= 1
        while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
            end += 1
        if start < end:
            probable = float(sure[np.arange(first, after), best[first:after]].mean())
            label = names.index(f"B-{role}") if f"B-{role}" in names else best[first]  # some have I-ROLE alone
            found.append([float(label), start, end, probable])
    return found


def _best(rows: list[list[float]], tags: int) -> NDArray[np.float64]:
    """Spans in their order, each place once; then every label of whole texts, at its surest window."""
    spans = {(label, start, end): sure for label, start, end, sure in sorted(rows) if start >= 0}
    said: dict[float, float] = {}
    for label, start, _, sure in rows:
        if start < 0:
            said[label] = max(sure, said.get(label, 0.0))
    made = [[*key, sure] for key, sure in sorted(spans.items(), key=lambda item: item[0][1:])]
    made += [[label, -1, -1, sure] for label, sure in sorted(said.items())]
    return np.array(made, dtype=np.float64).reshape(len(made), 4)


def _named(row: Sequence[Any], names: list[str], text: str) -> ExtractedSpan:
    label, start, end, sure = int(row[0]), int(row[1]), int(row[2]), float(row[3])
    name = names[label]
    if start < 0:
        return ExtractedSpan(name.removeprefix(WHOLE), -1, -1, "", sure)
    return ExtractedSpan(name.partition("-")[2], start, end, text[start:end], sure)
