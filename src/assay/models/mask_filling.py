"""Masked language models that fill the gaps of a text word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.models.encoder import Encoder
from assay.models.load import load

if TYPE_CHECKING:
    from assay.models.context import Context

GAP = None
"""Marks a gap among the words of a text."""
LIKELIEST = 3
"""Number of candidate words per gap."""
Words = list[str | None]


@dataclass(frozen=True)
class Filler(Encoder):
    """A masked language model by folder or Hugging Face name, loaded on first use."""

    model: str = ""
    batch: int = field(default=16, compare=False)

    def fill(self, texts: Sequence[Words], draws: Sequence[Random], context: Context) -> list[str]:
        """Fill the gaps of each text from left to right.

        Each word is sampled from the three most probable whole words, in proportion to their probabilities.

        Args:
            texts: Words with `GAP` where one is missing.
            draws: One random generator per text.
            context: Device and cache.
        """
        filled, order = [list(text) for text in texts], sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), self.batch):
            some = order[start : start + self.batch]
            while open_ones := [i for i in some if GAP in filled[i]]:
                candidates = self._candidates([filled[i] for i in open_ones], context)
                for i, (words, weights) in zip(open_ones, candidates, strict=True):
                    filled[i][filled[i].index(GAP)] = draws[i].choices(words, weights)[0]
        return [" ".join(map(str, words)) for words in filled]

    def _candidates(self, texts: list[Words], context: Context) -> list[tuple[list[str], list[float]]]:
        """Return the most probable words for the first gap of each text, and their probabilities."""
        import torch

        folder = str(self.folder)
        model, tokenizer, _ = load(folder, masked=True)
        if tokenizer.mask_token is None:
            raise AssayError(f"{self.model}: its tokenizer has no mask token. Give a masked language model.")
        whole, mask = _whole_words(folder, self.label), tokenizer.mask_token
        # a mask token in the text itself would count as a gap
        written = [" ".join(mask if word is GAP else str(word).replace(mask, "") for word in text) for text in texts]
        tokenized = tokenizer(written, return_tensors="pt", padding=True, truncation=True, max_length=self.limit)
        masked = tokenized["input_ids"] == tokenizer.mask_token_id
        if not masked.any(dim=1).all():
            raise AssayError(f"{self.model}: a sentence is longer than {self.limit} tokens. Leave it out.")
        device = context.torch_device()
        with torch.inference_mode():
            logits = model.to(device)(**{name: value.to(device) for name, value in tokenized.items()}).logits
        first = logits[torch.arange(len(texts)), masked.int().argmax(dim=1)][:, whole].float().cpu()
        best = torch.softmax(first, dim=-1).topk(min(LIKELIEST, len(whole)), dim=-1)
        return [
            ([tokenizer.decode([whole[i]]).strip() for i in places], weights)
            for places, weights in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]


@lru_cache(maxsize=2)
def _whole_words(folder: str, content: str) -> list[int]:
    """Return the ids of tokens that are whole words: no subwords, no special tokens."""
    tokenizer: Any = load(folder, masked=True).tokenizer
    tokens = tokenizer.get_vocab()
    start = next((mark for mark in ("Ġ", "▁") if any(token.startswith(mark) for token in tokens)), "")
    special = set(tokenizer.all_special_ids)
    ids = [
        number
        for token, number in tokens.items()
        if number not in special and token.startswith(start) and token.removeprefix(start).isalpha()
    ]
    if not ids:
        raise AssayError(f"{folder}: its vocabulary has no whole words. Give a masked language model with whole words.")
    return sorted(ids)
