"""ROSE: human judgements of semantics, grammaticality and a tested phenomenon, combined into one score."""

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
    """Judgements of one annotator on one output, 0 or 1 each."""

    semantics: float
    grammaticality: float
    phenomenon: float

    @property
    def rose(self) -> float:
        return self.semantics * self.grammaticality * self.phenomenon


@dataclass(frozen=True)
class Rose(MeanMetric):
    """Share of outputs that are correct in meaning, in grammar and spelling, and in the tested phenomenon, all at once.

    The score is computed from human judgements, not from the texts. The annotators of an output are averaged, each by
    their own three judgements. An output without judgements is left out.
    """

    judgements: str = ""
    """File of judgements of the criteria semantics, grammaticality and phenomenon, each 0 or 1 (required)."""

    name: ClassVar = "rose"
    category: ClassVar = "semantic"
    summary: ClassVar = "share of outputs judged correct in meaning, grammar and the tested phenomenon"
    needs: ClassVar = ()
    citation: ClassVar = "Wang et al. (2021), Evaluating Text Generation from Discourse Representation Structures"
    by_system: ClassVar = True

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(name, scale=100, digits=1) for name in NAMES)

    def options(self) -> dict[str, Any]:
        digest = content_digest(lambda: [read_text(Path(self.judgements))]) if self.judgements else ""
        return {"judgements": digest}

    def why_not(self) -> str | None:
        if not self.judgements:
            return "needs human judgements. Give rose:judgements=FILE."
        try:
            verdicts_of(self.judgements)
        except (AssayError, OSError) as error:
            return str(error)
        return None

    def unfit(self, items: Items) -> str | None:
        systems = verdicts_of(self.judgements)
        if items.system in systems:
            return None
        known = ", ".join(sorted(systems)[:4])
        return f"{self.judgements}: no judgements of {items.system}, only of {known}. Give --system."

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
        by_id = verdicts_of(self.judgements).get(items.system, {})
        judged = [(id, verdict) for id in items.ids for verdict in by_id.get(id, {}).values()]
        notes = []
        odd = sorted({id for id, verdict in judged if verdict.semantics and not verdict.phenomenon})
        if odd:
            many = "1 output is" if len(odd) == 1 else f"{len(odd)} outputs are"
            why = "correct in meaning without the phenomenon, which is rare"
            notes.append(f"rose: {many} {why}: check {', '.join(odd[:3])}")
        if judged and len({name for id in items.ids for name in by_id.get(id, {})}) == 1:
            notes.append("rose: one annotator only, so no agreement can be computed")
        if left := len(items) - len({id for id, _ in judged}):
            notes.append(f"rose: {left} of {len(items)} outputs have no judgement and are left out")
        return notes


def verdicts_of(path: str) -> Mapping[str, Mapping[str, Mapping[str, Verdict]]]:
    """Return the judgements by system, id and annotator."""
    return _verdicts(path, file_digest(path))


@lru_cache(maxsize=4)
def _verdicts(path: str, digest: str | None) -> Mapping[str, Mapping[str, Mapping[str, Verdict]]]:
    """Read the file; the digest is an argument, so that a changed file is read again."""
    answers: dict[tuple[str, str, str], dict[str, float]] = {}
    for judgement in read_judgements(path):
        if judgement.criterion in CRITERIA:
            if judgement.value not in (0, 1):
                raise AssayError(
                    f"{path}: id {judgement.id}: {judgement.criterion} must be 0 or 1, got {judgement.value}"
                )
            answers.setdefault((judgement.system, judgement.id, judgement.annotator), {})[judgement.criterion] = float(
                judgement.value
            )
    if not answers:
        raise AssayError(f"{path}: no judgements of {', '.join(CRITERIA)}, the criteria of ROSE")
    verdicts: dict[str, dict[str, dict[str, Verdict]]] = {}
    for (system, id, annotator), values in answers.items():
        if missing := [criterion for criterion in CRITERIA if criterion not in values]:
            raise AssayError(
                f"{path}: id {id}: no judgement of {missing[0]} by {annotator}. All three criteria are required."
            )
        verdicts.setdefault(system, {}).setdefault(id, {})[annotator] = Verdict(**values)
    return verdicts
