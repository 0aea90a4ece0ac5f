"""Words and tokens of an insertion model: one token for each word, or the WordPieces of a pretrained model.

Only whole words are inserted. A word of several pieces stays in the text from the start, and no gap opens inside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from assay.inputs.insertion import NOI, START

PIECE = "##"
"""Start of a WordPiece that continues a word."""


class Units:
    """Tokens of words."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.known: dict[str, list[int]] = {}

    @cached_property
    def in_pieces(self) -> bool:
        """Whether words may have several tokens."""
        return any(token.startswith(PIECE) for token in self.tokenizer.get_vocab())

    @cached_property
    def none(self) -> int:
        """The token for no insertion."""
        return int(self.tokenizer.convert_tokens_to_ids(NOI))

    def tokens(self, word: str) -> list[int]:
        """Return the tokens of a word, at least one."""
        if word not in self.known:
            if not self.in_pieces:
                ids = [int(self.tokenizer.convert_tokens_to_ids(word))]
            elif word == START:
                ids = [int(self.tokenizer.cls_token_id)]
            else:
                pieces = self.tokenizer(word, add_special_tokens=False, verbose=False).input_ids
                ids = list(pieces) or [int(self.tokenizer.unk_token_id)]
            self.known[word] = ids
        return self.known[word]

    def row(self, words: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return the tokens of a sequence, and the position of the last token of each word: the gap after it."""
        ids: list[int] = []
        gaps = []
        for word in words:
            ids += self.tokens(word)
            gaps.append(len(ids) - 1)
        return ids, gaps

    def labels(self, words: Sequence[str], labels: Sequence[str]) -> list[int]:
        """Return the token to insert after each token of a sequence; none inside a word."""
        ids, gaps = self.row(words)
        targets = [self.none] * len(ids)
        for gap, label in zip(gaps, labels, strict=True):
            targets[gap] = self.none if label == NOI else self.tokens(label)[0]
        return targets

    def split(self, words: Sequence[str]) -> list[str]:
        """Return the words of several tokens, which are never removed in training."""
        return [word for word in words if len(self.tokens(word)) > 1]
