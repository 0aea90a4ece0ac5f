"""Preset designs, those of published studies among them, and the size and cost of a design."""

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
    """Return the names of all presets."""
    folder = files("assay.studies").joinpath("presets")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def preset_text(name: str) -> str:
    """Return the TOML file of a preset, comments included."""
    known = preset_names()
    if name not in known:
        raise UsageError(f"no preset called {name}{did_you_mean(name, known)}; choose from {', '.join(known)}")
    return files("assay.studies").joinpath("presets").joinpath(f"{name}.toml").read_text(encoding="utf-8")


def preset(name: str) -> Design:
    """Return a preset design."""
    return parse_design(parse_toml(preset_text(name), f"preset {name}"), f"preset {name}")


def renamed(text: str, name: str) -> str:
    """Return the TOML text of a preset with another study name."""
    if not NAME.fullmatch(name):
        raise UsageError(f"--name {name}: only letters, digits, -, _ and . are allowed")
    return re.sub(r'^name = ".*"$', f'name = "{name}"', text, count=1, flags=re.MULTILINE)


@dataclass(frozen=True)
class Budget:
    """Size and cost of a design: texts, tasks, assignments of tasks to annotators, judgements."""

    texts: int
    tasks: int
    assignments: int
    judgements: int
    cost: float | None
    currency: str
    hours: float | None


def budget(design: Design) -> Budget:
    """Return the size and cost of a design; a last task with fewer texts counts as a full one."""
    sample, people = design.sample, design.people
    if sample.items is None or sample.systems is None or people.per_item is None:
        missing = [
            name
            for name, value in (
                ("sample.items", sample.items), ("sample.systems", sample.systems), ("people.per_item", people.per_item)
            )
            if value is None
        ]  # fmt: skip
        raise AssayError(f"design {design.name}: size and cost need {', '.join(missing)}")
    texts = sample.items * sample.systems
    if size := texts_per_task(design.questions):
        tasks = sample.items * comb(sample.systems, size)
    else:
        size = sample.groups or sample.systems
        same = sample.by_source and not sample.lengths
        tasks = sample.items * ceil(sample.systems / size) if same else ceil(texts / size)
    answers = sum(tasks if kind_for(question).compares else texts for question in design.questions)
    assignments = tasks * people.per_item
    hours = None if people.minutes is None else assignments * people.minutes / 60
    pay = None if people.pay is None else assignments * people.pay
    if pay is None and hours is not None and people.pay_per_hour is not None:
        pay = hours * people.pay_per_hour
    cost = None if pay is None else round(pay * (1 + people.fee), 2)
    return Budget(texts, tasks, assignments, answers * people.per_item, cost, people.currency, hours)
