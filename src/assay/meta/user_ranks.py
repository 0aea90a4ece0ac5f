"""Ranks of references under the language models of users, and the focused sets that they define."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.errors import AssayError
from assay.metrics.semantic.user_models import Ties, rank_of, user_models
from assay.records.types import Example


class UserRank(NamedTuple):
    example: Example
    rank: float
    """Rank of the user's own model for the first reference, 1 for the lowest perplexity."""
    nearest: str
    """User whose model has the lowest perplexity."""


class UserRanks(NamedTuple):
    ranks: list[UserRank]
    users: int

    def focused(self, most: int) -> list[Example]:
        """Return the items whose reference ranks among the first `most` of its own user."""
        return [one.example for one in self.ranks if one.rank <= most]


def user_ranks(examples: Sequence[Example], users: str, order: int = 3, ties: Ties = "optimistic") -> UserRanks:
    """Rank the reference of every example under the models of all users of a file."""
    models = user_models(users, order)
    if len(models) < 2:
        raise AssayError(f"{users}: texts of {len(models)} user; ranks need at least two")
    ranked = []
    for example in examples:
        user = example.tags.get("user", "")
        if user not in models:
            raise AssayError(f"id {example.id}: no text of user {user or '(none)'} in {users}. Add texts of this user.")
        if not example.references:
            raise AssayError(f"id {example.id}: no reference to rank; leave the item out")
        perplexities = {name: model.perplexity(example.references[0]) for name, model in models.items()}
        others = [value for name, value in perplexities.items() if name != user]
        ranked.append(
            UserRank(
                example, rank_of(perplexities[user], others, ties), min(perplexities, key=lambda one: perplexities[one])
            )
        )
    return UserRanks(ranked, len(models))
