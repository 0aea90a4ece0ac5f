"""Novelty compared with the source: new n-grams, coverage and density of copied fragments, compression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from assay.errors import AssayError
from assay.inputs.marked import MarkedTexts
from assay.inputs.schema import own_schemas, schema
from assay.inputs.schema_files import content_word
from assay.metrics._kernels import grams
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.layout import Layout, words
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items

ORDERS = (1, 2, 3)
NAMES = (*(f"novel-{n}" for n in ORDERS), "coverage", "density", "compression")


@dataclass(frozen=True)
class Novelty(SumMetric):
    """`novel-n`: share of the different n-grams of an output that its source lacks. `coverage`: share of its tokens in
    fragments copied from the source. `density`: mean length of the copied fragment of a token. `compression`: source
    tokens over output tokens. Means over the outputs that have tokens (for `novel-n`: n-grams)."""

    tokenizer: Literal["gem", "unicode", "none"] = "gem"
    """How texts are split into tokens; `none` splits at white space."""
    lowercase: bool = True
    """Lower-case outputs and sources."""
    statements: Literal["together", "apart", "fomc-release"] = "together"
    """`apart`: an output is a set of statements, separated by `<sent>` or line breaks; n-grams do not cross statements,
    markers are removed, and novel-n is the mean over statements with n-grams, weighted by length. `fomc-release`: as in
    the published program, which also counts the weights of statements without n-grams."""
    schema: str = ""
    """With statements: name or file of the markers to remove (default: FOMC's)."""

    name: ClassVar = "novelty"
    category: ClassVar = "source"
    summary: ClassVar = "new n-grams, copied fragments and compression compared with the source"
    citation: ClassVar = "Grusky et al. (2018), Newsroom; See et al. (2017), Get To The Point"
    needs: ClassVar = ("sources",)
    presets: ClassVar = {
        "fomc": {"tokenizer": "none", "lowercase": False, "statements": "apart"},
        "fomc-release": {"tokenizer": "none", "lowercase": False, "statements": "fomc-release"},
    }

    def parts(self) -> tuple[Part, ...]:
        bounds: dict[str, tuple[float | None, float | None]] = {"density": (0, None), "compression": (0, None)}
        shown = ("novel-2", "density", "compression")
        return tuple(Part(n, None, shown=n in shown, digits=3, bounds=bounds.get(n, (0, 1))) for n in NAMES)

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{name} {kind}" for name in NAMES for kind in ("share", "count"))

    def options(self) -> dict[str, Any]:
        """Return the options; the schema by its content, where markers are removed."""
        kept = {name: value for name, value in super().options().items() if name != "schema"}
        named = self.schema and self.statements != "together" and not self.why_not()
        return kept | ({"schema": content_word(schema(self.schema), "markers")} if named else {})

    def why_not(self) -> str | None:
        if self.schema and self.statements == "together":
            return "schema has no effect on statements=together; set statements=apart"
        try:
            schema(self.schema)
        except AssayError as error:
            return str(error)
        return None

    def unfit(self, items: Items) -> str | None:
        if self.statements == "together" or self.schema or items.treatment:
            return None
        own = ", ".join(own_schemas(items.bare))
        return f"the markers to remove are those of {own}. Give novelty:statements=apart:schema=FILE." if own else None

    def statistics(self, items: Items) -> Dense:
        if self.statements != "together":
            shares = self._by_statement(items)
            items = replace(items, outputs=tuple(" ".join(_statements(text, self.schema)) for text in items.outputs))
        layout = words(items, self.tokenizer, self.lowercase, sources=True, references=False)
        n = len(items)
        if self.statements == "together":
            shares = list(_shares(layout))
        outputs = np.arange(n, dtype=np.int64)
        copied, squares = grams.fragments(layout.ids, layout.starts, outputs, outputs + n).T
        own, source = layout.lengths[:n], layout.lengths[n:]
        columns: list[Floats] = []
        for share, some in shares:
            columns += [share, some]
        for part in (copied, squares, source):
            columns += [divide(part, own, 0.0), (own > 0).astype(np.float64)]
        return Dense(self.columns(), np.column_stack(columns))

    def _by_statement(self, items: Items) -> list[tuple[Floats, Floats]]:
        """Return novel-n of each output from its statements, and whether it is defined."""
        cut = [_statements(text, self.schema) for text in items.outputs]
        owner = np.repeat(np.arange(len(items)), [len(one) for one in cut])
        single = Items(tuple(text for one in cut for text in one), tuple(items.examples[i] for i in owner.tolist()))
        layout = words(single, self.tokenizer, self.lowercase, sources=True, references=False)
        lengths = layout.lengths[: len(single)].astype(np.float64)
        shares = []
        for share, some in _shares(layout):
            value, has = np.zeros(len(items)), np.zeros(len(items))
            for i in np.unique(owner[some > 0]):
                mine = owner == i
                kept = mine & (some > 0)
                if self.statements == "apart":
                    value[i] = np.average(share[kept], weights=lengths[kept])
                else:
                    copied = (1 - share[kept]) * lengths[mine][: kept.sum()]
                    value[i] = 1 - copied.sum() / lengths[mine].sum()
                has[i] = 1
            shares.append((value, has))
        return shares

    def values(self, sums: Floats) -> Values:
        return {name: divide(sums[:, 2 * k], sums[:, 2 * k + 1]) for k, name in enumerate(NAMES)}

    def undefined(self, part: str) -> str:
        return "no output has n-grams of this length" if part.startswith("novel") else "the outputs are empty"

    def notes(self, items: Items) -> list[str]:
        if self.statements == "together" or items.treatment:  # the treatment has notes of its own
            return []
        return _marked(self.schema).notes(items.system, items.ids, items.outputs)


def _shares(layout: Layout) -> Iterator[tuple[Floats, Floats]]:
    """Yield for each order the share of each text's different n-grams that are not in its source, and whether it has
    any n-grams."""
    counts = grams.novel(layout.ids, layout.starts, layout.first, len(ORDERS))
    for k in range(len(ORDERS)):
        kinds = counts[:, 2 * k]
        yield divide(counts[:, 2 * k + 1], kinds, 0.0), (kinds > 0).astype(np.float64)


def _statements(text: str, named: str) -> list[str]:
    """Return the statements of a text without the markers of a schema; markers of another schema are an error, unless
    the schema was named: then they are words."""
    return [one for one in _marked(named).output(text).split("\n") if one]


def _marked(named: str) -> MarkedTexts:
    return MarkedTexts("without markers", schema(named), bool(named))
