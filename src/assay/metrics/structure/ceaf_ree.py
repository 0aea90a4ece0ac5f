"""CEAF-REE: the entities that fill an event's roles, aligned with those of its template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.structure.event_arguments import (
    TYPE,
    Entity,
    Template,
    extracted_template,
    given_templates,
    gold_templates,
    has_templates,
    looks_given,
    merge_templates,
)
from assay.metrics.structure.gazetteer import find_fillers
from assay.metrics.structure.template_mapping import best_mapping
from assay.models.code_digest import file_digest
from assay.models.context import Context
from assay.models.extractor import Extractor
from assay.records.items import Items
from assay.stats.assignment import best_assignment

COUNTS = ("matched predicted", "predicted", "matched gold", "gold")
LOOKED_AT = 100


@dataclass(frozen=True)
class CeafRee(SumMetric):
    """Precision, recall and F1 over the entities of the roles of events, summed over items and roles.

    Outputs are arguments themselves (JSON: roles with lists of entities), or texts of which an extractor takes them.
    """

    extractor: str = ""
    """Where outputs are texts: the folder of an extractor (`assay system train extractor`), or a file of examples,
    whose fillers are looked for word for word."""
    lean: float | None = None
    """How much likelier, in logits, a word outside has to be for an extractor; none takes what training found best."""
    similarity: Literal["strict", "proportional"] = "strict"
    """An entity counts if all its mentions are the gold one's, or by the share of them that are."""
    alignment: Literal["one_to_one", "any"] = "one_to_one"
    """Each entity has one partner at most, by the best assignment; or any that fits will do, however often."""
    templates: Literal["merged", "mapped"] = "merged"
    """All events of an item together; or predicted templates mapped to gold ones of their type, by the best F1."""
    types: bool = False
    """Whether the type of the event counts as one more role."""
    duplicates: Literal["once", "counted"] = "once"
    """Whether an entity that is predicted twice in a role counts once."""
    roles: str = "perpind+perporg+target+victim+weapon"
    """The roles that count, in lower case."""

    name: ClassVar = "ceaf_ree"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "entities of the events' roles that the output has right"
    needs: ClassVar = ("inputs",)
    citation: ClassVar = (
        "Du, Rush, Cardie (2021), GRIT; Du, Rush, Cardie (2021), Template Filling with Generative Transformers; "
        "Gantt et al. (2024), Event-Keyed Summarization"
    )
    presets: ClassVar = {
        "grit": {"duplicates": "counted"},
        "gtt": {"alignment": "any", "templates": "mapped", "types": True, "duplicates": "counted"},
        "eks": {"alignment": "any", "templates": "mapped"},
    }

    def __post_init__(self) -> None:
        self.require("lean", -20, 20)

    def role_names(self) -> tuple[str, ...]:
        """Those that were asked for, in alphabetical order: any order of them is the same metric."""
        named = {role.strip().lower() for role in self.roles.split("+") if role.strip()}
        return (*sorted(named - {TYPE}), *((TYPE,) if self.types else ()))

    def parts(self) -> tuple[Part, ...]:
        whole = [Part(f"ceaf_ree.{kind}", scale=100, digits=1) for kind in ("precision", "recall", "f1")]
        each = [
            Part(f"ceaf_ree.{role}.{kind}", shown=False, scale=100, digits=1)
            for role in self.role_names()
            for kind in ("precision", "recall", "f1")
        ]
        return *whole, *each

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{count} {role}" for role in self.role_names() for count in COUNTS)

    def options(self) -> dict[str, Any]:
        asked = ""
        if self.extractor and not self.why_not():
            by_words = f"words-{file_digest(self.extractor)}"
            asked = by_words if self._is_file() else self._model.label
        roles = "+".join(role for role in self.role_names() if role != TYPE)
        kept = {name: value for name, value in super().options().items() if name != "lean"}  # the extractor says it
        return kept | {"extractor": asked, "roles": roles}

    @property
    def _model(self) -> Extractor:
        return Extractor(self.extractor, self.lean)

    def _is_file(self) -> bool:
        return Path(self.extractor).is_file()

    def why_not(self) -> str | None:
        return self._model.why_not() if self.extractor and not self._is_file() else None

    def unfit(self, items: Items) -> str | None:
        if not any(map(has_templates, islice(items.examples, LOOKED_AT))):
            return "needs inputs of kind event or events: templates with entities by role"
        outputs = [output for output in islice(items.outputs, LOOKED_AT) if output.strip()]
        if not self.extractor and outputs and not any(map(looks_given, outputs)):
            return (
                "outputs are texts: name an extractor that takes their arguments (ceaf_ree:extractor=FOLDER, made by "
                "`assay system train extractor`), or give arguments as JSON; filler_recall needs neither"
            )
        return None

    def compute(self, items: Items, context: Context) -> Dense:
        merged = self.duplicates == "once"
        if self.extractor and self._is_file():
            roles = tuple(role for role in self.role_names() if role != TYPE)
            predicted = [find_fillers(output, self.extractor, roles, merged) for output in items.outputs]
        elif self.extractor:
            found = self._model.extract(list(items.outputs), context)
            predicted = [extracted_template(spans, merged) for spans in found]
        else:
            pairs = zip(items.outputs, items.ids, strict=True)
            predicted = [given_templates(output, id, merged) for output, id in pairs]
        rows = [
            self.counts(gold_templates(example), templates)
            for example, templates in zip(items.examples, predicted, strict=True)
        ]
        return Dense(self.columns(), np.array(rows, dtype=np.float64).reshape(len(items), len(self.columns())))

    def counts(self, gold: Sequence[Template], predicted: Sequence[Template]) -> list[float]:
        """Four numbers a role: matched and all predictions, matched and all gold entities."""
        if self.templates == "merged":
            gold = [Template("", merge_templates(gold))]
            predicted = [Template("", _joined(predicted, self.duplicates == "once"))]
        sizes = [{role: sum(len(one.roles.get(role, ())) for one in side) for role in self.role_names()}
                 for side in (predicted, gold)]  # fmt: skip
        totals = (float(sum(sizes[0].values())), float(sum(sizes[1].values())))
        mapping = best_mapping(gold, predicted, self._matched, totals)
        matched = {role: [0.0, 0.0] for role in self.role_names()}
        for said, j in zip(predicted, mapping, strict=True):
            held = gold[j].roles if j is not None else {}
            for role in self.role_names():
                for side, value in enumerate(self._aligned(held.get(role, []), said.roles.get(role, []))):
                    matched[role][side] += value
        return [
            number
            for role in self.role_names()
            for number in (matched[role][0], sizes[0][role], matched[role][1], sizes[1][role])
        ]

    def _matched(self, gold: Template, predicted: Template) -> tuple[float, float] | None:
        """How much of two templates agrees, on either side; None if their types do not fit."""
        if predicted.type not in gold.type:
            return None
        pairs = ((gold.roles.get(role, []), predicted.roles.get(role, [])) for role in self.role_names())
        sides = [self._aligned(*pair) for pair in pairs]
        return sum(side[0] for side in sides), sum(side[1] for side in sides)

    def _aligned(self, gold: Sequence[Entity], predicted: Sequence[Entity]) -> tuple[float, float]:
        """What the predictions have right, and what of the gold entities is found."""
        if not gold or not predicted:
            return 0.0, 0.0
        alike = np.array([[self._alike(held, said) for said in predicted] for held in gold])
        if self.alignment == "any":
            return float(alike.max(axis=0).sum()), float(alike.max(axis=1).sum())
        total = float(alike[best_assignment(alike)].sum())
        return total, total

    def _alike(self, gold: Entity, predicted: Entity) -> float:
        if self.similarity == "strict":
            return float(predicted <= gold)
        return len(gold & predicted) / len(predicted)

    def values(self, sums: Floats) -> Values:
        by_role = sums.reshape(len(sums), -1, len(COUNTS))
        found = _measures("ceaf_ree", by_role.sum(axis=1))
        for i, role in enumerate(self.role_names()):
            found |= _measures(f"ceaf_ree.{role}", by_role[:, i])
        return found

    def undefined(self, part: str) -> str:
        return "neither templates nor outputs have an entity for it"


def _joined(templates: Sequence[Template], once: bool) -> dict[str, list[Entity]]:
    """The entities of several templates by role."""
    roles = dict.fromkeys(role for one in templates for role in one.roles)
    joined = {role: [entity for one in templates for entity in one.roles.get(role, ())] for role in roles}
    return {role: list(dict.fromkeys(entities)) for role, entities in joined.items()} if once else joined


def _measures(name: str, counts: Floats) -> Values:
    """Nothing predicted has precision 0 where there is something to find, and the other way round."""
    right, said, found, held = counts.T
    nothing = np.where(said + held > 0, 0.0, np.nan)
    precision, recall = (
        np.where(whole > 0, divide(part, whole), nothing) for part, whole in ((right, said), (found, held))
    )
    both = precision + recall
    f1 = np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1.0), nothing)
    return {f"{name}.precision": precision, f"{name}.recall": recall, f"{name}.f1": f1}
