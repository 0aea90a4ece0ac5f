"""Filler recall: share of the fillers of an event template that an output mentions, in total and by role."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from shlex import quote
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.inputs.ontology import Ontology, Role, data_ontology, ontology
from assay.inputs.schema_files import content_word
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.structure.event_arguments import TYPES
from assay.records.inputs import kind_of, read_input
from assay.records.items import Items
from assay.records.kinds import Event, Events
from assay.records.types import Example
from assay.text.english import without_articles


def event_of(example: Example) -> Event | None:
    """Return the event of an example; None for other inputs."""
    return read_input(example, Event) if example.input and kind_of(example) in ("", "event") else None


def scored_roles(known: Ontology) -> tuple[str, ...]:
    """Return the roles with a score: those of entities, which the total counts, then circumstances."""
    return (*known.entities, *known.of_kind("circumstance"))


def ontology_of(examples: Iterable[Example], named: str = "") -> Ontology:
    """Return the ontology of a file of examples: the one named, else the one their inputs name, else from the data."""
    if named:
        return ontology(named)
    events = [event for example in examples if (event := event_of(example)) is not None]
    own = _own_name(events)
    return ontology(own) if own else data_ontology(events)


def _own_name(events: Iterable[Event]) -> str:
    """Return the ontology that inputs name; empty for none.

    Raises:
        AssayError: They name several.
    """
    names = sorted({event.ontology for event in events if event.ontology})
    if len(names) > 1:
        raise AssayError(f"inputs name several ontologies ({', '.join(names)}); score their items apart")
    return "".join(names)


def named_by(examples: Iterable[Example], known: Ontology, named: str) -> tuple[str, str]:
    """Return the options `ontology` and `roles` of a metric that counts the roles of an ontology of these examples."""
    own = named or _own_name(event for example in examples if (event := event_of(example)) is not None)
    return own, "+".join(scored_roles(known)) if known.name == "template" else ""


def uncounted(examples: Iterable[Example], known: Ontology) -> list[str]:
    """Return the roles of the templates that an ontology lacks, in their order."""
    keys = dict.fromkeys(key for example in examples for key in _keys(example))
    roles = {name.lower() for key, role in known.roles.items() for name in (key, role.source)} | {*TYPES}
    return [key for key in keys if key.lower() not in roles]


def _keys(example: Example) -> Iterable[str]:
    if kind_of(example) == "events":
        return [key for template in read_input(example, Events).templates for key in template]
    event = event_of(example)
    return event.template if event is not None else ()


def mentioned(example: Example, output: str, known: Ontology) -> dict[str, list[tuple[str, bool]]]:
    """Return the fillers of each role, and whether the output contains them as whole words; empty for other inputs."""
    event = event_of(example) or Event()
    text = f" {without_articles(output)} "
    keys: dict[str, list[str]] = {}
    for key in event.template:
        keys.setdefault(key.lower(), []).append(key)
    by_role = {
        role: [
            filler
            for name in dict.fromkeys((role.lower(), known.roles[role].source.lower()))
            for key in keys.get(name, ())
            for filler in event.fillers(key)
        ]
        for role in scored_roles(known)
    }
    return {
        role: [(filler, f" {bare} " in text) for filler in fillers if (bare := without_articles(filler))]
        for role, fillers in by_role.items()
    }


@dataclass(frozen=True)
class FillerRecall(SumMetric):
    """Share of the fillers of the templates that occur verbatim in the outputs. Hallucinated entities are not
    detected."""

    ontology: str = ""
    """Name or file of the ontology whose roles count: entities in total, circumstances apart (default: MUC-4's)."""
    roles: str = ""
    """Roles that count, joined by + (default: those of the ontology)."""

    name: ClassVar = "filler_recall"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of the event template's fillers that the output mentions"
    needs: ClassVar = ("inputs",)
    citation: ClassVar = "our approximation of CEAF-REE recall without an extractor"

    @property
    def known(self) -> Ontology:
        known = ontology(self.ontology)
        if not self.roles:
            return known
        return Ontology("roles", {name: known.roles.get(name, Role()) for name in self.roles.split("+") if name})

    def options(self) -> dict[str, Any]:
        """Return the ontology by its content, and the roles; the default, MUC-4's, is not named."""
        word = content_word(ontology(self.ontology), "ontology") if self.ontology and not self.why_not() else ""
        roles = "+".join(sorted({name for name in self.roles.split("+") if name}))
        return ({"ontology": word} if word not in ("", "muc4") else {}) | ({"roles": roles} if roles else {})

    def why_not(self) -> str | None:
        return None if not self.ontology else unreadable(self.ontology)

    def unfit(self, items: Items) -> str | None:
        return None if self.roles else lost_roles(items.examples, self.known, self.name)

    def parts(self) -> tuple[Part, ...]:
        whole = Part("filler_recall", scale=100, digits=1)
        roles = scored_roles(self.known)
        return whole, *(Part(f"filler_recall.{role}", shown=False, scale=100, digits=1) for role in roles)

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{kind} {role}" for role in scored_roles(self.known) for kind in ("found", "all"))

    def statistics(self, items: Items) -> Dense:
        known = self.known
        values = np.zeros((len(items), len(self.columns())))
        for i, (example, output) in enumerate(zip(items.examples, items.outputs, strict=True)):
            for j, fillers in enumerate(mentioned(example, output, known).values()):
                values[i, 2 * j : 2 * j + 2] = sum(hit for _, hit in fillers), len(fillers)
        return Dense(self.columns(), values)

    def values(self, sums: Floats) -> Values:
        known = self.known
        last = 2 * len(known.entities)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = {"filler_recall": sums[:, 0:last:2].sum(axis=1) / sums[:, 1:last:2].sum(axis=1)}
            for j, role in enumerate(scored_roles(known)):
                values[f"filler_recall.{role}"] = sums[:, 2 * j] / sums[:, 2 * j + 1]
        return values

    def undefined(self, part: str) -> str:
        return "no template has a filler for this role"


def lost_roles(examples: Iterable[Example], known: Ontology, metric: str) -> str | None:
    """Return why a metric would lose roles of these templates, with the remedy; None if it loses none."""
    unknown = uncounted(examples, known)
    if not unknown:
        return None
    own = next((event.ontology for one in examples if (event := event_of(one)) and event.ontology), "FILE")
    named = f"{metric}:roles={'+'.join(unknown)}"
    remedy = f"Give {quote(named) if ' ' in named else named}, or {metric}:ontology={own}."
    return f"templates have roles that the ontology {known.name} lacks: {', '.join(unknown)}. {remedy}"


def unreadable(name: str) -> str | None:
    """Return why an ontology cannot be read; None if it can."""
    try:
        ontology(name)
    except AssayError as error:
        return str(error)
    return None
