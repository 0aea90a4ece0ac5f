"""Check a file of equivalence classes for errors and weaknesses before it is used in an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from assay.challenges.equivalence import find
from assay.datasets.equivalence_classes import Classes
from assay.inputs.schema import ANY_MARKER, Schema
from assay.records.types import Example


class Finding(NamedTuple):
    evaluation: str
    severity: str
    """`error` if an instance could be wrong, `warning` if instances are lost."""
    problem: str


def lint(classes: Sequence[Classes], schema: Schema | None = None, *, limit: int = 2) -> list[Finding]:
    """Return findings by evaluation: repeated members, members of two classes, categories that are not in the schema,
    members without an admissible negative, classes of one member, unpaired markers."""
    findings = []
    for one in classes:
        name = one.evaluation if one.document is None else f"{one.evaluation} of {one.document}"

        def report(severity: str, problem: str, name: str = name) -> None:
            findings.append(Finding(name, severity, problem))

        if schema is not None and one.annotation not in schema.names:
            report("error", f"the schema {schema.name} has no category {one.annotation}")
        homes: dict[str, set[int]] = {}
        for place, members in enumerate(one.classes):
            for member, count in Counter(members).items():
                homes.setdefault(member, set()).add(place)
                if count > 1:
                    report(
                        "warning",
                        f"class {one.class_name(place)}: {member[:40]!r} occurs {count} times and is drawn as often",
                    )
                if member != " ".join(member.split()):
                    report(
                        "error", f"class {one.class_name(place)}: {member[:40]!r} has white space that no target has"
                    )
                if problem := _unclosed(member):
                    report("warning", f"class {one.class_name(place)}: {member[:40]!r}: {problem}")
            if len(members) == 1:
                report("note", f"class {one.class_name(place)} has one member, {members[0][:40]!r}")
        for member, places in homes.items():
            if len(places) > 1:
                listed = ", ".join(str(one.class_name(place)) for place in sorted(places))
                report("error", f"{member[:40]!r} is in the classes {listed}; the first is used")
            if not one.negatives(member, limit):
                report("warning", f"{member[:40]!r} has no negative within {limit} words, so it yields no instance")
    return findings


def _unclosed(member: str) -> str:
    """Return the problem of a marker without its counterpart."""
    balance = Counter[str]()
    for name, side in ANY_MARKER.findall(member):
        balance[name] += 1 if side == "START" else -1
    return ", ".join(f"unpaired {name} marker" for name, count in balance.items() if count)


def unmatched(classes: Sequence[Classes], examples: Sequence[Example], schema: Schema | None = None) -> list[Finding]:
    """Return the classes and evaluations without a member in any target."""
    findings = []
    for one in classes:
        seen = {
            match.place
            for example in examples
            for text in example.references
            for match in find(one, text, schema=schema)
        }
        missing = [place for place in range(len(one.classes)) if place not in seen]
        if not seen:
            findings.append(Finding(one.evaluation, "warning", "no target has a member of any class"))
        elif missing:
            listed = ", ".join(str(one.class_name(place)) for place in missing)
            findings.append(Finding(one.evaluation, "note", f"no target has a member of the classes {listed}"))
    return findings
