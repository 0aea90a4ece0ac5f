"""Well-formedness of marked text: closed spans, and the number of spans per category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.inputs.schema import foreign_markers, own_schemas, schema
from assay.inputs.schema_files import content_word
from assay.inputs.spans import spans_of_text
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, Rows
from assay.records.items import Items
from assay.show.numbers import counted


@dataclass(frozen=True)
class Markers(SumMetric):
    """Share of opened spans that are closed, averaged over outputs; mean and standard deviation of spans per category.

    `closed_correctly.whitespace` follows the published program, which misses markers without spaces around them.
    """

    schema: str = ""
    """File of categories and their markers; empty takes that of FOMC."""

    name: ClassVar = "markers"
    category: ClassVar = "descriptive"
    summary: ClassVar = "share of marked spans that are closed, and number of spans per category"
    needs: ClassVar = ()
    citation: ClassVar = "Marfurt et al. (2022), Predicting Semi-Structured Human Annotations, table 5"

    @property
    def categories(self) -> tuple[str, ...]:
        return schema(self.schema).names

    def options(self) -> dict[str, Any]:
        known = content_word(schema(self.schema), "markers") if self.schema and not self.why_not() else ""
        return super().options() | {"schema": known}

    def why_not(self) -> str | None:
        try:
            schema(self.schema)
        except AssayError as error:
            return str(error)
        return None

    def unfit(self, items: Items) -> str | None:
        if items.treatment.startswith("without-markers"):
            return "the texts are scored without their markers; leave out --text without-markers"
        if items.treatment:
            return "the texts are scored with a word for each marker; leave out --text with-markers"
        known = schema(self.schema)
        foreign = self._foreign(items.outputs)
        own = "" if self.schema else ", ".join(own_schemas(items.bare))
        if own and not foreign:
            return f"the markers are those of {own}, not of the schema {known.name}. Give markers:schema=FILE."
        if not foreign or self._is_of(items):
            return None
        hint = f" (the examples name {own})" if own else ""
        lost = f"outputs mark {', '.join(foreign)}, which the schema {known.name} lacks"
        return f"{lost}. Give markers:schema=FILE{hint}."

    def _foreign(self, outputs: Sequence[str], paired: bool = True) -> Counter[str]:
        """Return the categories that outputs mark and that the schema lacks, with their numbers of outputs."""
        known = schema(self.schema)
        return Counter(name for text in outputs for name in dict.fromkeys(foreign_markers(text, known, paired)))

    def _is_of(self, items: Items) -> bool:
        """Return whether the texts are of this schema: foreign markers are then mistakes of the system."""
        known = schema(self.schema)
        texts = (text for example in items.examples for text in example.references)
        if any(foreign_markers(text, known) for text in texts):
            return False
        return bool(self.schema) or any(next(known.markers(text), None) for text in items.outputs)

    def parts(self) -> tuple[Part, ...]:
        closed = Part("closed_correctly", scale=100, digits=1)
        legacy = Part("closed_correctly.whitespace", shown=False, scale=100, digits=1)
        counts = [
            Part(f"spans-{name}{suffix}", None, shown=not suffix, bounds=(0, None))
            for name in self.categories
            for suffix in ("", ".sd")
        ]
        return closed, legacy, *counts

    def columns(self) -> tuple[str, ...]:
        heads = (f"{kind} {name}" for name in self.categories for kind in ("sum", "squares"))
        return ("closed", "opened", "closed alone", "opened alone", "n", *heads)

    def statistics(self, items: Items) -> Dense:
        values = np.zeros((len(items), 5 + 2 * len(self.categories)))
        for i, output in enumerate(items.outputs):
            for place, whitespace in ((0, False), (2, True)):
                opened, closed = spans_of_text(output, whitespace, schema(self.schema))
                if opened:
                    values[i, place : place + 2] = closed.total() / opened, 1
                if not whitespace:
                    counts = np.array([closed[name] for name in self.categories], dtype=np.float64)
                    values[i, 5::2], values[i, 6::2] = counts, counts**2
        values[:, 4] = 1
        return Dense(self.columns(), values)

    def values(self, sums: Floats) -> Values:
        with np.errstate(invalid="ignore", divide="ignore"):
            values = {
                "closed_correctly": sums[:, 0] / sums[:, 1],
                "closed_correctly.whitespace": sums[:, 2] / sums[:, 3],
            }
            for i, name in enumerate(self.categories):
                mean = sums[:, 5 + 2 * i] / sums[:, 4]
                values[f"spans-{name}"] = mean
                values[f"spans-{name}.sd"] = np.sqrt(np.maximum(sums[:, 6 + 2 * i] / sums[:, 4] - mean**2, 0))
        return values

    def per_example(self, rows: Rows) -> Values:
        return {name: value for name, value in super().per_example(rows).items() if not name.endswith(".sd")}

    def undefined(self, part: str) -> str:
        return "no output opens a span" if part.startswith("closed") else super().undefined(part)

    def notes(self, items: Items) -> list[str]:
        known = schema(self.schema)
        notes = [
            f"{items.system}: {counted(count, 'output')} mark {name}, which the schema {known.name} lacks; not counted "
            "as a span"
            for name, count in self._foreign(items.outputs, paired=False).items()
        ]
        glued = sum(spans_of_text(text, True, known) != spans_of_text(text, False, known) for text in items.outputs)
        have = "output has" if glued == 1 else "outputs have"
        note = f"{glued} {have} markers without spaces around them, which programs that split at spaces miss"
        return [*notes, note] if glued else notes
