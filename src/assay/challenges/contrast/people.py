"""Subsets by attributes of the person an item is about, balanced in size and training overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.challenges.contrast.base import Contrast, Tags
from assay.errors import AssayError
from assay.records.documents import read_json
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Table
from assay.records.types import Example
from assay.seeds import rng_for


@dataclass(frozen=True)
class People(Contrast):
    """The person is identified by the item's id or the page title. Every group has the same share of items
    that overlap with training and at most `size` items; items that are not sampled have no tag."""

    attributes: str = ""
    """A JSON file: ids or page titles to objects such as {"gender": "female", "continent": ["europe"]}."""
    of: str = "gender"
    """Attribute to use."""
    groups: str = ""
    """Values to keep, joined by +; others are excluded (default: all)."""
    size: int = 300
    """Maximum number of items of a group."""
    least: int = 10
    """Minimum number of people of a group; smaller groups are excluded."""
    overlap: str = "overlap"
    """Tag that states whether an item overlaps with training."""
    seed: int = 0
    """Random seed."""

    name: ClassVar = "people"
    about: ClassVar = "attribute of the person an item is about, with training overlap matched between groups"
    gives: ClassVar = "the attribute's name (gender, continent, ethnicity): its values"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def __post_init__(self) -> None:
        self.require("size", 2)
        self.require("least", 1)

    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        known = self._known()
        members: dict[str, dict[str, list[int]]] = {}
        order = list(range(len(examples)))
        rng_for(self.seed, self.name, self.of).shuffle(order)
        taken: set[int] = set()
        for place in order:
            example = examples[place]
            values = known.get(example.id) or known.get(_title(example)) or []
            fitting = [value for value in values if not self.groups or value in self.groups.split("+")]
            if fitting and place not in taken:  # an item of several groups goes to the smallest so far
                value = min(fitting, key=lambda one: sum(map(len, members.get(one, {}).values())))
                members.setdefault(value, {}).setdefault(example.tags.get(self.overlap, ""), []).append(place)
                taken.add(place)
        large = {value: by for value, by in members.items() if sum(map(len, by.values())) >= self.least}
        tagged: list[Tags] = [{} for _ in examples]
        for value, places in _matched(large, self.size).items():
            if not places:
                others = "+".join(other for other in large if other != value)
                raise AssayError(
                    f"contrast people: {value}: none of its {sum(map(len, large[value].values()))} items can be drawn "
                    f"with the others' share of {self.overlap}; leave it out (groups={others}), or name another tag"
                )
            for place in places:
                tagged[place] = {self.of: value}
        return tagged

    def _known(self) -> dict[str, list[str]]:
        """Return the values of the attribute by id or title."""
        if not self.attributes:
            raise AssayError(
                "contrast people: attributes=FILE is required, a JSON object of ids or page titles to attributes"
            )
        path = Path(self.attributes)
        content = read_json(path)
        if not isinstance(content, dict) or not all(isinstance(about, dict) for about in content.values()):
            raise AssayError(f"{path}: not an object of objects; write {{id or title: {{attribute: value or list}}}}")
        if not any(self.of in about for about in content.values()):
            raise AssayError(f"{path}: no entry has {self.of}; set of= to an attribute of the file")
        known = {}
        for who, about in content.items():
            value = about.get(self.of)
            known[who] = [str(one) for one in value] if isinstance(value, list) else [str(value)] if value else []
        return known


def _title(example: Example) -> str:
    return read_input(example, Table).page_title or "" if kind_of(example) == "table" else ""


def _matched(members: dict[str, dict[str, list[int]]], size: int) -> dict[str, list[int]]:
    """Return the largest group sizes at which every group has the pooled share of each kind of overlap."""
    kinds = sorted({kind for by in members.values() for kind in by})
    pooled = {kind: sum(len(by.get(kind, ())) for by in members.values()) for kind in kinds}
    total = sum(pooled.values())
    drawn = {}
    for value, by in members.items():
        room = min([size, *(int(len(by.get(kind, ())) * total / pooled[kind]) for kind in kinds)])
        counts = {kind: round(room * pooled[kind] / total) for kind in kinds}
        drawn[value] = [place for kind in kinds for place in by.get(kind, [])[: counts[kind]]]
    return drawn
