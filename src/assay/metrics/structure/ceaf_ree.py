"""CEAF-REE: precision, recall and F1 of role-filling entities, aligned with the gold template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from assay.errors import AssayError
from assay.inputs.ontology import ontology
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.structure.event_arguments import (
    TYPE,
    Entity,
    Template,
    extracted_template,
    gold_templates,
    has_templates,
    json_templates,
    looks_like_json,
    merge_templates,
)
from assay.metrics.structure.fillers import lost_roles, unreadable
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
    """Precision, recall and F1 of the entities that fill the roles of events, summed over items and roles.

    Outputs are arguments in JSON (roles with lists of entities), or texts from which an extractor takes them.
    """

    extractor: str = ""
    """For outputs that are texts: folder of an extractor (`assay system train extractor`), or file of examples whose
    fillers are matched verbatim."""
    lean: float | None = None
    """Margin, in logits, of the label O of the extractor; none takes the value selected in training."""
    similarity: Literal["strict", "proportional"] = "strict"
    """Match of an entity: all its mentions must be gold mentions, or it counts by their share."""
    alignment: Literal["one_to_one", "any"] = "one_to_one"
    """Alignment of entities: one to one by the optimal assignment, or any match, however often it is used."""
    templates: Literal["merged", "mapped"] = "merged"
    """Several events: merged into one template, or predicted templates mapped to gold ones of the same type by best
    F1."""
    types: bool = False
    """Count the type of the event as one more role."""
    duplicates: Literal["once", "counted"] = "once"
    """Entities that are predicted twice in a role: count once, or each time."""
    roles: str = ""
    """Roles that count, in lower case, joined by + (default: the roles of entities of the ontology)."""
    ontology: str = ""
    """Name or file of the ontology of the templates (default: MUC-4's)."""

    name: ClassVar = "ceaf_ree"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "precision, recall and F1 of the entities that fill event roles"
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
        """Return the roles in alphabetical order: their order does not change the metric."""
        roles = self.roles.split("+") if self.roles else ontology(self.ontology).entities
        named = {role.strip().lower() for role in roles if role.strip()}
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
        extractor = ""
        if self.extractor and not self.why_not():
            by_words = f"words-{file_digest(self.extractor)}"
            extractor = by_words if self._is_file() else self._model.label
        roles = "+".join(role for role in self.role_names() if role != TYPE)
        kept = {
            name: value for name, value in super().options().items() if name != "lean"
        }  # part of the label of the extractor
        kept.pop("ontology")  # the roles say what it has changed
        return kept | {"extractor": extractor, "roles": roles}

    @property
    def _model(self) -> Extractor:
        return Extractor(self.extractor, self.lean)

    def _is_file(self) -> bool:
        return Path(self.extractor).is_file()

    def why_not(self) -> str | None:
        if self.ontology and (why := unreadable(self.ontology)):
            return why
        return self._model.why_not() if self.extractor and not self._is_file() else None

    def unfit(self, items: Items) -> str | None:
        if not any(map(has_templates, islice(items.examples, LOOKED_AT))):
            return "needs inputs of kind event or events (templates with entities by role)"
        if not self.roles and (lost := lost_roles(items.examples, ontology(self.ontology), self.name)):
            return lost
        outputs = [output for output in islice(items.outputs, LOOKED_AT) if output.strip()]
        if not self.extractor and outputs and not any(map(looks_like_json, outputs)):
            return (
                "outputs are texts. Give ceaf_ree:extractor=FOLDER (of `assay system train extractor`) or arguments as "
                "JSON, or use filler_recall"
            )
        return None

    def notes(self, items: Items) -> list[str]:
        if self.extractor:
            return []
        known = {*self.role_names(), TYPE, *(name.lower() for name in ontology(self.ontology).roles)}
        try:
            read = [json_templates(output, id, True) for output, id in zip(items.outputs, items.ids, strict=True)]
        except AssayError:  # which is why it has no value
            return []
        counts = Counter(role for templates in read for role in {r for one in templates for r in one.roles} - known)
        if not counts:
            return []
        listed = ", ".join(f"{role} ({count})" for role, count in counts.most_common(5))
        return [f"{self.name}: outputs name roles that are not counted, neither right nor wrong: {listed}"]

    def compute(self, items: Items, context: Context) -> Dense:
        merged = self.duplicates == "once"
        if self.extractor and self._is_file():
            roles = tuple(role for role in self.role_names() if role != TYPE)
            predicted = [find_fillers(output, self.extractor, roles, merged) for output in items.outputs]
        elif self.extractor:
            spans_of = self._model.extract(list(items.outputs), context)
            predicted = [extracted_template(spans, merged) for spans in spans_of]
        else:
            pairs = zip(items.outputs, items.ids, strict=True)
            predicted = [json_templates(output, id, merged) for output, id in pairs]
        rows = [
            self.counts(gold_templates(example), templates)
            for example, templates in zip(items.examples, predicted, strict=True)
        ]
        return Dense(self.columns(), np.array(rows, dtype=np.float64).reshape(len(items), len(self.columns())))

    def counts(self, gold: Sequence[Template], predicted: Sequence[Template]) -> list[float]:
        """Return four numbers per role: matched and all predicted entities, matched and all gold entities."""
        if self.templates == "merged":
            gold = [Template("", merge_templates(gold))]
            predicted = [Template("", _joined(predicted, self.duplicates == "once"))]
        sizes = [{role: sum(len(one.roles.get(role, ())) for one in side) for role in self.role_names()}
                 for side in (predicted, gold)]  # fmt: skip
        totals = (float(sum(sizes[0].values())), float(sum(sizes[1].values())))
        mapping = best_mapping(gold, predicted, self._matched, totals)
        matched = {role: [0.0, 0.0] for role in self.role_names()}
        for template, j in zip(predicted, mapping, strict=True):
            gold_roles = gold[j].roles if j is not None else {}
            for role in self.role_names():
                for side, value in enumerate(self._aligned(gold_roles.get(role, []), template.roles.get(role, []))):
                    matched[role][side] += value
        return [
            number
            for role in self.role_names()
            for number in (matched[role][0], sizes[0][role], matched[role][1], sizes[1][role])
        ]

    def _matched(self, gold: Template, predicted: Template) -> tuple[float, float] | None:
        """Return the matched entities on either side; None if the types of the templates differ."""
        if predicted.type not in gold.type:
            return None
        pairs = ((gold.roles.get(role, []), predicted.roles.get(role, [])) for role in self.role_names())
        sides = [self._aligned(*pair) for pair in pairs]
        return sum(side[0] for side in sides), sum(side[1] for side in sides)

    def _aligned(self, gold: Sequence[Entity], predicted: Sequence[Entity]) -> tuple[float, float]:
        """Return the matched predicted entities and the matched gold entities."""
        if not gold or not predicted:
            return 0.0, 0.0
        similarity = np.array([[self._alike(one, other) for other in predicted] for one in gold])
        if self.alignment == "any":
            return float(similarity.max(axis=0).sum()), float(similarity.max(axis=1).sum())
        total = float(similarity[best_assignment(similarity)].sum())
        return total, total

    def _alike(self, gold: Entity, predicted: Entity) -> float:
        if self.similarity == "strict":
            return float(predicted <= gold)
        return len(gold & predicted) / len(predicted)

    def values(self, sums: Floats) -> Values:
        by_role = sums.reshape(len(sums), -1, len(COUNTS))
        values = _measures("ceaf_ree", by_role.sum(axis=1))
        for i, role in enumerate(self.role_names()):
            values |= _measures(f"ceaf_ree.{role}", by_role[:, i])
        return values

    def undefined(self, part: str) -> str:
        return "neither templates nor outputs have an entity for this score"


def _joined(templates: Sequence[Template], once: bool) -> dict[str, list[Entity]]:
    """Return the entities of several templates by role."""
    roles = dict.fromkeys(role for one in templates for role in one.roles)
    joined = {role: [entity for one in templates for entity in one.roles.get(role, ())] for role in roles}
    return {role: list(dict.fromkeys(entities)) for role, entities in joined.items()} if once else joined


def _measures(name: str, counts: Floats) -> Values:
    """Return precision, recall and F1; without predictions precision is 0 if there are gold entities, and vice
    versa."""
    correct, predicted, recalled, gold = counts.T
    nothing = np.where(predicted + gold > 0, 0.0, np.nan)
    precision, recall = (
        np.where(whole > 0, divide(part, whole), nothing) for part, whole in ((correct, predicted), (recalled, gold))
    )
    both = precision + recall
    f1 = np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1.0), nothing)
    return {f"{name}.precision": precision, f"{name}.recall": recall, f"{name}.f1": f1}
