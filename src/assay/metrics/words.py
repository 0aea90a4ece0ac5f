"""What the metrics over the outputs' own words have in common: one tokenization, stored once, shared by all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.metrics.base import Metric
from assay.metrics.rows import Rows, Tokens
from assay.metrics.tokenize import is_word, tokenizer
from assay.records import Items
from assay.version import VERSION

PLAIN, NOPUNCT = "", "-nopunct"


@dataclass(frozen=True)
class WordMetric(Metric):
    """Needs the outputs only. Each number exists with and without punctuation marks."""

    tokenizer: Literal["gem", "unicode", "rouge_score"] = "gem"

    needs: ClassVar[tuple[str, ...]] = ()

    def statistics(self, items: Items) -> Tokens:
        return Tokens.of(items.outputs, tokenizer(self.tokenizer))

    def statistics_key(self) -> str:
        return f"tokens|tokenizer:{self.tokenizer}|version:assay-{VERSION}"

    @staticmethod
    def variants(rows: Rows) -> Iterator[tuple[str, Tokens]]:
        """The tokens with and without punctuation, with the suffix of the names."""
        assert isinstance(rows, Tokens)
        yield PLAIN, rows
        yield NOPUNCT, rows.keep(is_word)
