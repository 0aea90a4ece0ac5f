"""The request to simulate a study: what differs from its design and from the defaults."""

from __future__ import annotations

from dataclasses import dataclass

from assay.studies.crowd import Crowd, Texts
from assay.studies.design import Design
from assay.studies.kinds import kind_for
from assay.studies.simulate import SimulationPlan

ITEMS, SYSTEMS, PER_ITEM, MOST_ITEMS, POINTS = 100, 2, 3, 30, 5
"""Defaults where the design is silent."""


@dataclass(frozen=True, kw_only=True)
class SimulationRequest:
    """Parameters of a simulation; None takes the value of the design, else the default.

    Attributes:
        effect: True difference between best and worst system, in scale points.
        power: Target power.
        items: Number of inputs.
        systems: Number of systems.
        per_item: Annotators per item.
        most_items: Maximum items per annotator.
        pay_per_hour: Hourly pay.
        variation: System-by-item variation, SD in points.
        noise, leniency, taste, careless, reading, answering, drop_out: As in `Crowd`.
    """

    effect: float = 0.3
    power: float = 0.8
    items: int | None = None
    systems: int | None = None
    per_item: int | None = None
    most_items: int | None = None
    pay_per_hour: float | None = None
    variation: float | None = None
    noise: float | None = None
    leniency: float | None = None
    taste: float | None = None
    careless: float | None = None
    reading: float | None = None
    answering: float | None = None
    drop_out: float | None = None

    def resolve(self, design: Design) -> tuple[Texts, Crowd, SimulationPlan]:
        """Return the parameters of texts, annotators and study."""
        sample, people = design.sample, design.people
        texts = Texts(self.items or sample.items or ITEMS, self.systems or sample.systems or SYSTEMS, self.effect)
        if self.variation is not None:
            texts = Texts(texts.items, texts.systems, self.effect, variation=self.variation)
        names = ("noise", "leniency", "taste", "careless", "reading", "answering", "drop_out")
        crowd = Crowd(**{name: value for name in names if (value := getattr(self, name)) is not None})
        points = next((q.points for q in design.questions if kind_for(q).scale == "discrete" and q.points), POINTS)
        plan = SimulationPlan(
            per_item=self.per_item or people.per_item or PER_ITEM,
            most=self.most_items or people.most_items or MOST_ITEMS,
            points=points,
            power=self.power,
            pay_per_hour=people.pay_per_hour if self.pay_per_hour is None else self.pay_per_hour,
            fee=people.fee,
            pay_per_task=people.pay if self.pay_per_hour is None else None,
        )
        return texts, crowd, plan
