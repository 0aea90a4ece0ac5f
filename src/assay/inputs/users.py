"""Responses of users as training, validation and test examples (Wang et al. 2021): each user has responses in all of
them, and questions are those that other users answered, too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from assay.errors import AssayError
from assay.records.types import Example
from assay.seeds import rng_for

SPLITS = ("train", "validation", "test")


class Response(NamedTuple):
    user: str
    question: str
    """Name of the question, empty if no other user has it."""
    example: Example
    """The input; its first reference is the response."""


class Divided(NamedTuple):
    examples: dict[str, list[Example]]
    """Examples by split."""
    users: int
    left_out: dict[str, int]
    """Users with too few responses, with their number."""


def of_systems(outputs: Iterable[tuple[str, Sequence[str]]], examples: Sequence[Example]) -> list[Response]:
    """Return the outputs of several systems as responses of users; the question is the input."""
    return [
        Response(system, example.id, msgspec.structs.replace(example, references=(text,)))
        for system, texts in outputs
        for example, text in zip(examples, texts, strict=True)
        if text.strip()
    ]


def of_tag(examples: Sequence[Example], tag: str) -> list[Response]:
    """Return the references of examples as responses of the user that a tag names, without questions."""
    tagged = [Response(example.tags.get(tag, ""), "", example) for example in examples if example.references]
    if not any(one.user for one in tagged):
        known = sorted({name for example in examples for name in example.tags})
        raise AssayError(f"no tag {tag}; available: {', '.join(known) or 'none'}")
    return [one for one in tagged if one.user]


def divided(responses: Sequence[Response], held_out: int = 3, most: int = 0, seed: int = 0) -> Divided:
    """Draw `held_out` responses of each user for validation and as many for testing; the others are for training.

    Args:
        responses: responses of all users.
        held_out: responses of each user in the validation and in the test set.
        most: maximum number of responses of each user (default: 0, all).
        seed: random seed.
    """
    by_user: dict[str, list[Response]] = defaultdict(list)
    for one in responses:
        by_user[one.user].append(one)
    left_out = {user: len(own) for user, own in by_user.items() if len(own) <= 2 * held_out}
    kept = {user: own for user, own in by_user.items() if user not in left_out}
    if len(kept) < 2:
        remedy = "lower held_out (--held-out)" if held_out > 1 else "give more responses"
        raise AssayError(
            f"users with more than {2 * held_out} responses: {len(kept)} of {len(by_user)}; at least two are needed: "
            f"{remedy}"
        )
    made: dict[str, list[Example]] = {split: [] for split in SPLITS}
    for user, own in kept.items():
        draw = rng_for(seed, "users", user)
        drawn = draw.sample(range(len(own)), min(most, len(own)) if most else len(own))
        places = {place: SPLITS[2 if i < held_out else 1 if i < 2 * held_out else 0] for i, place in enumerate(drawn)}
        for place in sorted(places):
            made[places[place]].append(_example(own[place], places[place]))
    return Divided(made, len(kept), left_out)


def _example(one: Response, split: str) -> Example:
    question = {"question": one.question} if one.question else {}
    own = one.example
    id = f"{own.id} {one.user}" if one.question else own.id
    return msgspec.structs.replace(
        own, id=id, references=own.references[:1], split=split, tags={**own.tags, "user": one.user, **question}
    )
