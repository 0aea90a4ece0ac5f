"""What the metrics over the outputs' own words have in common: one tokenization, stored once, shared by all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.metrics.engine.base import Metric
from assay.metrics.engine.layout import read_with_words, shared
from assay.metrics.engine.statistics import Rows, Tokens, expect
from assay.records.items import Items
from assay.text.tokenize import is_word
from assay.version import VERSION

PLAIN, NOPUNCT = "", "-nopunct"
OwnWords = Literal["gem", "unicode", "rouge_score", "none", "multiwoz", "narrative"]


@dataclass(frozen=True)
class WordMetric(Metric):
    """Needs the outputs only. Each number exists with and without punctuation marks."""

    tokenizer: OwnWords = "gem"

    needs: ClassVar[tuple[str, ...]] = ()
    lower: ClassVar[bool] = True
    fewest: ClassVar[int] = 20

    def statistics(self, items: Items) -> Tokens:
        def tokens() -> Tokens:
            layout, vocabulary = read_with_words(items, self.tokenizer, self.lower, references=False)
            return Tokens(layout.ids, layout.starts, tuple(vocabulary.words()[: layout.size]))

        return shared(items, ("outputs", self.tokenizer, self.lower), tokens)

    def statistics_key(self) -> str:
        case = "lc" if self.lower else "mixed"
        return f"tokens|tokenizer:{self.tokenizer}|case:{case}|version:assay-{VERSION}"

    @staticmethod
    def variants(rows: Rows, n: int | None = None) -> Iterator[tuple[str, Tokens]]:
        """The tokens with and without punctuation, with the suffix of the names; if told, of so many items."""
        tokens = expect(rows, Tokens, n)
        yield PLAIN, tokens
        yield NOPUNCT, tokens.once(NOPUNCT, lambda: tokens.keep(is_word))
