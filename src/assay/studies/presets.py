"""Designs of published studies, and a plain one of every kind of question, to start from; and what they cost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from math import ceil, comb

from assay.errors import AssayError, UsageError
from assay.records.documents import parse_toml
from assay.specs import did_you_mean
from assay.studies.design import Design, parse_design
from assay.studies.kinds import kind_for, texts_per_task

NAME = re.compile(r"[\w][\w.+-]*")


def preset_names() -> list[str]:
    folder = files("assay.studies").joinpath("presets")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def preset_text(name: str) -> str:
    """The file itself, comments included."""
    known = preset_names()
    if name not in known:
        raise UsageError(f"no preset called {name}{did_you_mean(name, known)}; there is {', '.join(known)}")
    return files("assay.studies").joinpath("presets").joinpath(f"{name}.toml").read_text(encoding="utf-8")


def preset(name: str) -> Design:
    return parse_design(parse_toml(preset_text(name), f"preset {name}"), f"preset {name}")


def renamed(text: str, name: str) -> str:
    """A preset under the name of a new study."""
    if not NAME.fullmatch(name):
        raise UsageError(f"--name {name}: use letters, digits, -, _ and .")
    return re.sub(r'^name = ".*"$', f'name = "{name}"', text, count=1, flags=re.MULTILINE)


@dataclass(frozen=True)
class Budget:
    """What a design asks for: texts, tasks that show some of them together, and people's work on these."""

    texts: int
    tasks: int
    assignments: int
    judgements: int
    cost: float | None
    currency: str
    hours: float | None


def budget(design: Design) -> Budget:
    """Sizes and money of a design, from its own numbers; a last task that is not full is filled up."""
    sample, people = design.sample, design.people
    if sample.items is None or sample.systems is None or people.per_item is None:
        lacks = [
            name
            for name, value in (
                ("sample.items", sample.items), ("sample.systems", sample.systems), ("people.per_item", people.per_item)
            )
            if value is None
        ]  # fmt: skip
        raise AssayError(f"design {design.name}: no budget without {', '.join(lacks)}")
    texts = sample.items * sample.systems
    if together := texts_per_task(design.questions):
        tasks = sample.items * comb(sample.systems, together)
    else:
        tasks = ceil(texts / (sample.groups or sample.systems))
    answers = sum(tasks if kind_for(question).compares else texts for question in design.questions)
    assignments = tasks * people.per_item
    hours = None if people.minutes is None else assignments * people.minutes / 60
    pay = None if people.pay is None else assignments * people.pay
    if pay is None and hours is not None and people.pay_per_hour is not None:
        pay = hours * people.pay_per_hour
    cost = None if pay is None else round(pay * (1 + people.fee), 2)
    return Budget(texts, tasks, assignments, answers * people.per_item, cost, people.currency, hours)
