"""Base class of metrics over the words of the outputs, which share one tokenization."""

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
    """A metric that needs outputs only."""

    tokenizer: OwnWords = "gem"
    """How outputs are split into tokens."""

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
        """Yield the suffix of score names and the tokens: with punctuation, then without; n checks the item count."""
        tokens = expect(rows, Tokens, n)
        yield PLAIN, tokens
        yield NOPUNCT, tokens.once(NOPUNCT, lambda: tokens.keep(is_word))
