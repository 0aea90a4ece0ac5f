"""UD profile: linguistic features from dependency parses: lengths, parts of speech, depths, clauses, verb forms."""

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
    """About 130 features of each output, named as in Profiling-UD, and their means over the outputs that have them.
    Shares (`_dist_`, `_perc`, `_pre`, `_post`) are in percent. The scores are descriptive."""

    outputs: str = ""
    """CoNLL-U file with the parses of the outputs, with `# newdoc id = ID` before the sentences of each item
    (required)."""

    name: ClassVar = "ud_profile"
    category: ClassVar = "descriptive"
    summary: ClassVar = "linguistic profile of the outputs from dependency parses"
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
            return "needs parses: set ud_profile:outputs=FILE.conllu (the output of any UD parser)"
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
                raise AssayError(f"{self.outputs}: no parse of {id}; add `# newdoc id = {id}` before its sentences")
            features = profile(documents.get(id, []))
            for place, name in enumerate(NAMES):
                if name in features:
                    made[i, place] = features[name], 1
        return Dense(self.columns(), made.reshape(len(items), -1))

    def values(self, sums: Floats) -> Values:
        return {f"ud_profile.{name}": divide(sums[:, 2 * i], sums[:, 2 * i + 1]) for i, name in enumerate(NAMES)}

    def undefined(self, part: str) -> str:
        return "no output has this feature"
