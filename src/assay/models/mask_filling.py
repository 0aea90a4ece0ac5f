"""Models that fill masks: what could stand in the gaps of a text, word by word."""

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
"""Stands among words where one is wanted."""
LIKELIEST = 3
"""Words among which one is drawn."""
Words = list[str | None]


@dataclass(frozen=True)
class Filler(Encoder):
    """A masked language model by folder or hub name, loaded when it is first asked."""

    model: str = ""
    batch: int = field(default=16, compare=False)

    def fill(self, texts: Sequence[Words], draws: Sequence[Random], context: Context) -> list[str]:
        """Each text with a word in every gap, from left to right: each drawn from the three likeliest whole words, by
        their probability. Each text has its own chance."""
        held, order = [list(text) for text in texts], sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), self.batch):
            some = order[start : start + self.batch]
            while open_ones := [i for i in some if GAP in held[i]]:
                likely = self._likely([held[i] for i in open_ones], context)
                for i, (words, weights) in zip(open_ones, likely, strict=True):
                    held[i][held[i].index(GAP)] = draws[i].choices(words, weights)[0]
        return [" ".join(map(str, words)) for words in held]

    def _likely(self, texts: list[Words], context: Context) -> list[tuple[list[str], list[float]]]:
        """The likeliest words for the first gap of each text."""
        import torch

        folder = str(self.folder)
        model, tokenizer, _ = load(folder, masked=True)
        if tokenizer.mask_token is None:
            raise AssayError(f"{self.model}: its tokenizer has no mask; give a masked language model")
        whole, mask = _whole_words(folder, self.label), tokenizer.mask_token
        # a text that has the mask itself would have a gap where none is wanted
        written = [" ".join(mask if word is GAP else str(word).replace(mask, "") for word in text) for text in texts]
        given = tokenizer(written, return_tensors="pt", padding=True, truncation=True, max_length=self.limit)
        masked = given["input_ids"] == tokenizer.mask_token_id
        if not masked.any(dim=1).all():
            raise AssayError(f"{self.model}: a sentence is longer than its {self.limit} tokens; leave it out")
        device = context.torch_device()
        with torch.inference_mode():
            logits = model.to(device)(**{name: value.to(device) for name, value in given.items()}).logits
        first = logits[torch.arange(len(texts)), masked.int().argmax(dim=1)][:, whole].float().cpu()
        best = torch.softmax(first, dim=-1).topk(min(LIKELIEST, len(whole)), dim=-1)
        return [
            ([tokenizer.decode([whole[i]]).strip() for i in places], weights)
            for places, weights in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]


@lru_cache(maxsize=2)
def _whole_words(folder: str, content: str) -> list[int]:
    """Tokens that are words, and neither pieces of words nor marks."""
    tokenizer: Any = load(folder, masked=True).tokenizer
    tokens = tokenizer.get_vocab()
    begins = next((mark for mark in ("Ġ", "▁") if any(token.startswith(mark) for token in tokens)), "")
    marks = set(tokenizer.all_special_ids)
    found = [
        number
        for token, number in tokens.items()
        if number not in marks and token.startswith(begins) and token.removeprefix(begins).isalpha()
    ]
    if not found:
        raise AssayError(f"{folder}: its vocabulary has no whole word; give a masked language model of words")
    return sorted(found)
