"""Check a file of equivalence classes for errors and weaknesses before it is used in an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from assay.challenges.equivalence import MARKER, find
from assay.datasets.equivalence_classes import Classes
from assay.inputs.schema import Schema
from assay.records.types import Example


class Finding(NamedTuple):
    evaluation: str
    severity: str
    """`error` if an instance could be wrong, `warning` if instances are lost."""
    problem: str


def lint(classes: Sequence[Classes], schema: Schema | None = None, *, limit: int = 2) -> list[Finding]:
    """Findings by evaluation: members twice or in two classes, categories that the schema lacks, members without any
    admissible negative, classes of one, markers that are not closed."""
    found = []
    for one in classes:
        name = one.evaluation if one.document is None else f"{one.evaluation} of {one.document}"

        def report(severity: str, problem: str, name: str = name) -> None:
            found.append(Finding(name, severity, problem))

        if schema is not None and one.annotation not in schema.names:
            report("error", f"the schema {schema.name} has no category {one.annotation}")
        homes: dict[str, set[int]] = {}
        for place, members in enumerate(one.classes):
            for member, count in Counter(members).items():
                homes.setdefault(member, set()).add(place)
                if count > 1:
                    report("warning", f"class {place}: {member[:40]!r} occurs {count} times and is drawn as often")
                if member != " ".join(member.split()):
                    report("error", f"class {place}: {member[:40]!r} has white space that no target has")
                if problem := _unclosed(member):
                    report("warning", f"class {place}: {member[:40]!r}: {problem}")
            if len(members) == 1:
                report("note", f"class {place} has one member, {members[0][:40]!r}")
        for member, places in homes.items():
            if len(places) > 1:
                listed = ", ".join(map(str, sorted(places)))
                report("error", f"{member[:40]!r} is in the classes {listed}; the first is used")
            if not one.negatives(member, limit):
                report("warning", f"{member[:40]!r} has no negative within {limit} words, so it yields no instance")
    return found


def _unclosed(member: str) -> str:
    """Return the problem of a marker without its counterpart."""
    balance = Counter[str]()
    for marker in MARKER.findall(member):
        name, _, side = marker.strip("[]").rpartition("_")
        balance[name] += 1 if side == "START" else -1
    return ", ".join(f"unpaired {name} marker" for name, count in balance.items() if count)


def unmatched(classes: Sequence[Classes], examples: Sequence[Example]) -> list[Finding]:
    """Return the classes and evaluations without a member in any target."""
    found = []
    for one in classes:
        seen = {match.place for example in examples for text in example.references for match in find(one, text)}
        missing = [place for place in range(len(one.classes)) if place not in seen]
        if not seen:
            found.append(Finding(one.evaluation, "warning", "no target has a member of any class"))
        elif missing:
            listed = ", ".join(map(str, missing))
            found.append(Finding(one.evaluation, "note", f"no target has a member of the classes {listed}"))
    return found
