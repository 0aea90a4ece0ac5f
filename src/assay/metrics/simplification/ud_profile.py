"""UD profile: how the outputs are built, from their parses: lengths, parts of speech, depths, clauses, verb forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.signatures import content_digest
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.faithfulness.parsed_metric import read_parses
from assay.models.code_digest import file_digest
from assay.records.items import Items
from assay.text.ud_profile import NAMES, profile

SHOWN = ("n_tokens", "avg_max_depth", "avg_links_len", "lexical_density", "avg_token_per_clause")


@dataclass(frozen=True)
class UdProfile(SumMetric):
    """About 130 numbers of each output, by the names of Profiling-UD, and their means over the outputs that have them;
    shares (`_dist_`, `_perc`, `_pre`, `_post`) are in percent. They describe and do not judge."""

    outputs: str = ""
    """The outputs as a parser read them: a file in CoNLL-U with `# newdoc id = ID` before the sentences of each
    item."""

    name: ClassVar = "ud_profile"
    category: ClassVar = "descriptive"
    summary: ClassVar = "how the outputs are built, from their parses"
    citation: ClassVar = (
        "De Mattei et al. (2021), Human Perception in Natural Language Generation; Brunato et al. (2020), Profiling-UD"
    )
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        sized = ("n_", "avg_", "max_", "tokens_", "char_", "verbal_head")
        return tuple(
            Part(f"ud_profile.{name}", None, shown=name in SHOWN,
                 bounds=(0.0, None if name.startswith(sized) else 1.0 if name == "lexical_density" else 100.0))
            for name in NAMES
        )  # fmt: skip

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{name} {what}" for name in NAMES for what in ("sum", "count"))

    def options(self) -> dict[str, Any]:
        return super().options() | {"outputs": content_digest(lambda: [repr(sorted(self._documents().items()))])}

    def _documents(self) -> dict[str, Any]:
        return read_parses(self.outputs, file_digest(self.outputs))

    def why_not(self) -> str | None:
        if not self.outputs:
            return "it needs parses: ud_profile:outputs=FILE.conllu (any UD parser writes them)"
        try:
            self._documents()
        except AssayError as error:
            return str(error)
        return None

    def statistics(self, items: Items) -> Dense:
        documents = self._documents()
        made = np.zeros((len(items), len(NAMES), 2))
        for i, (id, output) in enumerate(zip(items.ids, items.outputs, strict=True)):
            if output.strip() and id not in documents:
                raise AssayError(f"{self.outputs}: no parse of {id}; write `# newdoc id = {id}` before its sentences")
            found = profile(documents.get(id, []))
            for place, name in enumerate(NAMES):
                if name in found:
                    made[i, place] = found[name], 1
        return Dense(self.columns(), made.reshape(len(items), -1))

    def values(self, sums: Floats) -> Values:
        return {f"ud_profile.{name}": divide(sums[:, 2 * i], sums[:, 2 * i + 1]) for i, name in enumerate(NAMES)}

    def undefined(self, part: str) -> str:
        return "no output has what it is a share of"
