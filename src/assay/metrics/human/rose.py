"""ROSE: what people said of meaning, grammar and the phenomenon that a challenge set is about, as one verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.signatures import content_digest
from assay.metrics.engine.statistics import Dense
from assay.models.code_digest import file_digest
from assay.records.files import read_text
from assay.records.items import Items
from assay.records.read import read_judgements

CRITERIA = ("semantics", "grammaticality", "phenomenon")
NAMES = ("rose", *(f"rose.{criterion}" for criterion in CRITERIA))


class Verdict(NamedTuple):
    """What one person said of one output: 0 or 1 each."""

    semantics: float
    grammaticality: float
    phenomenon: float

    @property
    def rose(self) -> float:
        return self.semantics * self.grammaticality * self.phenomenon


@dataclass(frozen=True)
class Rose(MeanMetric):
    """Share of outputs with the right meaning, without a mistake of grammar or spelling, and with the phenomenon that
    they were made to test, all three at once. People say so: nothing is computed from the texts.

    Several annotators of an output are averaged, each by their own three answers. An output without them is left out.
    """

    judgements: str = ""
    """Judgements of the criteria semantics, grammaticality and phenomenon, each 0 or 1."""

    name: ClassVar = "rose"
    category: ClassVar = "semantic"
    summary: ClassVar = "outputs that people find right in meaning, grammar and the phenomenon tested"
    needs: ClassVar = ()
    citation: ClassVar = "Wang et al. (2021), Evaluating Text Generation from Discourse Representation Structures"

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(name, scale=100, digits=1) for name in NAMES)

    def options(self) -> dict[str, Any]:
        held = content_digest(lambda: [read_text(Path(self.judgements))]) if self.judgements else ""
        return {"judgements": held}

    def why_not(self) -> str | None:
        if not self.judgements:
            return "its verdicts are people's: rose:judgements=FILE"
        try:
            verdicts_of(self.judgements)
        except (AssayError, OSError) as error:
            return str(error)
        return None

    def unfit(self, items: Items) -> str | None:
        systems = verdicts_of(self.judgements)
        if items.system in systems:
            return None
        return (
            f"{self.judgements} judges {', '.join(sorted(systems)[:4])} and nothing of {items.system}; name it --system"
        )

    def statistics(self, items: Items) -> Dense:
        verdicts = verdicts_of(self.judgements)[items.system]
        scores = np.zeros((len(NAMES), len(items)))
        counted = np.zeros(len(items))
        for i, id in enumerate(items.ids):
            if id in verdicts:
                scores[:, i] = np.mean([[verdict.rose, *verdict] for verdict in verdicts[id].values()], axis=0)
                counted[i] = 1
        return self.rows(dict(zip(NAMES, scores, strict=True)), counted)

    def undefined(self, part: str) -> str:
        return "no output has been judged"

    def notes(self, items: Items) -> list[str]:
        said = verdicts_of(self.judgements).get(items.system, {})
        held = [(id, verdict) for id in items.ids for verdict in said.get(id, {}).values()]
        found = []
        odd = sorted({id for id, verdict in held if verdict.semantics and not verdict.phenomenon})
        if odd:
            many = "1 output is" if len(odd) == 1 else f"{len(odd)} outputs are"
            why = "right in meaning without the phenomenon, which is rare"
            found.append(f"rose: {many} {why}: look at {', '.join(odd[:3])}")
        if held and len({name for id in items.ids for name in said.get(id, {})}) == 1:
            found.append("rose: one annotator alone, so that no agreement can be computed")
        if left := len(items) - len({id for id, _ in held}):
            found.append(f"rose: {left} of {len(items)} outputs have not been judged and are left out")
        return found


def verdicts_of(path: str) -> Mapping[str, Mapping[str, Mapping[str, Verdict]]]:
    """By system, id and annotator."""
    return _verdicts(path, file_digest(path))


@lru_cache(maxsize=4)
def _verdicts(path: str, digest: str | None) -> Mapping[str, Mapping[str, Mapping[str, Verdict]]]:
    """Known by its content too: a file may change while we run."""
    answers: dict[tuple[str, str, str], dict[str, float]] = {}
    for said in read_judgements(path):
        if said.criterion in CRITERIA:
            if said.value not in (0, 1):
                raise AssayError(f"{path}: id {said.id}: {said.criterion} is {said.value}, where it has to be 0 or 1")
            answers.setdefault((said.system, said.id, said.annotator), {})[said.criterion] = float(said.value)
    if not answers:
        raise AssayError(f"{path}: no judgement of {', '.join(CRITERIA)}; these are the criteria of ROSE")
    found: dict[str, dict[str, dict[str, Verdict]]] = {}
    for (system, id, annotator), given in answers.items():
        if missing := [criterion for criterion in CRITERIA if criterion not in given]:
            raise AssayError(f"{path}: id {id}: {annotator} has not judged {missing[0]}; all three are needed")
        found.setdefault(system, {}).setdefault(id, {})[annotator] = Verdict(**given)
    return found
