"""Whether the predicates, their combination and the arguments of triples occur in training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay.challenges.contrast.base import Contrast, Tags, each
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Triples
from assay.records.types import Example


@dataclass(frozen=True)
class Seen(Contrast):
    """First arguments (subjects) count as unseen only if all of an input are, and so do second ones (objects)."""

    train: str = ""
    """Training examples of the systems."""

    name: ClassVar = "seen"
    about: ClassVar = "whether predicates, their combination and arguments of triples occur in training"
    gives: ClassVar = (
        "single_predicate (seen, unseen) of inputs of one triple, combination (seen, unseen) of others, "
        "arguments (both_seen, both_unseen, arg1_unseen, arg2_unseen)"
    )
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        known = [read_input(one, Triples).triples for one in self.training(self.train) if kind_of(one) == "triples"]
        predicates = {triple.predicate for triples in known for triple in triples}
        combinations = {tuple(sorted(triple.predicate for triple in triples)) for triples in known}
        subjects = {triple.subject for triples in known for triple in triples}
        objects = {triple.object for triples in known for triple in triples}

        def tags(example: Example) -> Tags:
            if kind_of(example) != "triples":
                return {}
            triples = read_input(example, Triples).triples
            new1 = all(triple.subject not in subjects for triple in triples)
            new2 = all(triple.object not in objects for triple in triples)
            arguments = {(False, False): "both_seen", (True, True): "both_unseen", (True, False): "arg1_unseen"}
            assigned = {"arguments": arguments.get((new1, new2), "arg2_unseen")}
            if len(triples) == 1:
                return assigned | {"single_predicate": _seen(triples[0].predicate in predicates)}
            return assigned | {
                "combination": _seen(tuple(sorted(triple.predicate for triple in triples)) in combinations)
            }

        return each(examples, tags)


def _seen(known: bool) -> str:
    return "seen" if known else "unseen"
