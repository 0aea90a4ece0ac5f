"""Equivalence-class evaluation: after the true prefix, is the true span likelier than one of another meaning?

Expert classes contain interchangeable spans. Every span of the targets that belongs to a class becomes a positive;
negatives are drawn from the other classes. Only the default families of evaluations are specific to FOMC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import msgspec

from assay.datasets.equivalence_classes import Classes
from assay.errors import AssayError
from assay.inputs.schema import ANY_MARKER, Schema
from assay.records.kinds import Choice
from assay.records.types import Example
from assay.seeds import rng_for

GOAL = 100
"""Target number of instances of an evaluation; negatives are multiplied up to it."""


class Match(NamedTuple):
    """A span of a target that is a member of a class."""

    prefix: str
    member: str
    place: int
    """Index of the class."""


def find(
    classes: Classes, target: str, scope: Literal["sentence", "target"] = "sentence", schema: Schema | None = None
) -> Iterator[Match]:
    """Return the spans of a target that are members, left to right, each with its prefix. Markers are those of the
    schema, or the default ones, `[NAME_START]` and `[NAME_END]`."""
    name = classes.annotation
    if schema is not None and name not in schema.names:
        raise AssayError(
            f"evaluation {classes.evaluation}: the schema {schema.name} has no category {name}; it has "
            f"{', '.join(schema.names)}"
        )
    start = schema.start(name) if schema else f"[{name.upper()}_START]"
    end = schema.end(name) if schema else f"[{name.upper()}_END]"
    for whole in [target] if scope == "target" else target.split("<sent>"):
        text = " ".join(whole.split())
        position = 0
        while (at := text.find(start, position)) >= 0:
            inside = at + len(start)
            stop = text.find(end, inside)
            if stop < 0:
                break
            member = _normalise(classes, text[:inside], text[inside:stop].strip())
            if member:
                yield member
            position = stop + len(end)


def _normalise(classes: Classes, prefix: str, span: str) -> Match | None:
    if classes.family == "act":
        before, bracket, _ = span.partition("(")
        span = before.strip()
        if not bracket:
            return None
    elif classes.family == "label":
        before, bracket, rest = span.partition("(")
        label, closing, _ = rest.partition(")")
        if not bracket or not closing:
            return None
        prefix, span = f"{prefix} {before.strip()}".strip(), label.strip()
    place = classes.home.get(span)
    return None if place is None else Match(prefix, span, place)


@dataclass
class Made:
    """Result of one evaluation."""

    evaluation: str
    positives: int = 0
    exhausted: int = 0
    """Positives with fewer admissible negatives than requested."""
    instances: list[Example] = field(default_factory=list)


def instances(
    classes: Sequence[Classes], examples: Sequence[Example], *, split: str = "test", seed: int = 1, goal: int = GOAL,
    limit: int = 2, replace: bool = False, scope: Literal["sentence", "target"] = "sentence", plain: bool = False,
    schema: Schema | None = None,
) -> list[Made]:  # fmt: skip
    """Instances of every evaluation. With `replace` the positive is another member of its class where it has one; with
    `plain` prefixes are without markers, for models that were never taught any."""
    made = []
    for evaluation in dict.fromkeys(one.evaluation for one in classes):
        matches = [
            (one, e, i, m)
            for one in classes
            if one.evaluation == evaluation
            for e in examples
            if one.document in (None, e.tags.get("document", e.id))
            for i, target in enumerate(e.references)
            for m in find(one, target, scope, schema)
        ]
        each = max(1, goal // len(matches)) if matches else 0
        result = Made(evaluation, len(matches))
        for number, (one, example, target, match) in enumerate(matches):
            draw = rng_for(seed, evaluation, split, number)
            member = match.member
            if replace:
                others = [other for other in dict.fromkeys(one.classes[match.place]) if other != member]
                member = draw.choice(others) if others else member
            pool = one.negatives(member, limit)
            result.exhausted += len(pool) < each
            for order, (negative, place, _) in enumerate(_without_replacement(pool, each, draw)):
                result.instances.append(
                    Example(
                        id=f"{example.id}/{target}/{one.evaluation}/{number}/{order}",
                        source=example.source,
                        input=Choice(
                            prefix=_plain(match.prefix, schema) if plain else match.prefix,
                            positive=one.scored(member), negative=one.scored(negative),
                            positive_class=one.class_name(match.place), negative_class=one.class_name(place),
                        ).plain(),
                        parent=example.id,
                        language=example.language,
                        split=split,
                        tags={
                            "evaluation": one.evaluation, "annotation": one.annotation,
                            "target": f"{example.id}/{target}",
                        },
                    )
                )  # fmt: skip
        made.append(result)
    return made


def _plain(text: str, schema: Schema | None) -> str:
    """Return a prefix without markers: those of the schema, or all default ones."""
    return schema.without_markers(text) if schema else " ".join(ANY_MARKER.sub(" ", text).split())


def _without_replacement(pool: list[tuple[str, int, float]], count: int, draw: Any) -> Iterator[tuple[str, int, float]]:
    """Sample without replacement by weight: the order of exponential waiting times."""
    waits = [(draw.expovariate(1) / weight, i) for i, (_, _, weight) in enumerate(pool)]
    return (pool[i] for _, i in sorted(waits)[:count])


def augment(
    examples: Sequence[Example], classes: Sequence[Classes], *, copies: int = 1, seed: int = 0,
    schema: Schema | None = None,
) -> list[Example]:  # fmt: skip
    """Augment training examples by exchanging spans for other members of their class; originals come first."""
    made = list(examples)
    whole = [one for one in classes if one.family != "label"]
    for copy in range(copies):
        for example in examples:
            draw = rng_for(seed, copy, example.id)
            references = tuple(_exchange(text, whole, draw, schema) for text in example.references)
            if references != example.references:
                made.append(
                    msgspec.structs.replace(
                        example, id=f"{example.id}+{copy + 1}", references=references, parent=example.id
                    )
                )
    return made


def _exchange(target: str, classes: Sequence[Classes], draw: Any, schema: Schema | None) -> str:
    sentences = []
    for sentence in target.split("<sent>"):
        text = " ".join(sentence.split())
        for one in classes:
            for match in list(find(one, text, schema=schema)):
                others = [other for other in one.classes[match.place] if other != match.member]
                before = re.escape(match.prefix) + r"\s*"
                matched = re.match(before + re.escape(match.member), text)
                if others and matched:
                    text = f"{match.prefix} {draw.choice(others)}{text[matched.end() :]}"
        sentences.append(text)
    return "<sent>".join(sentences)
