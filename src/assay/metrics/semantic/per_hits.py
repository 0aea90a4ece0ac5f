"""Per-Hits@k: how often the language model of the target user ranks among the first k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.signatures import content_digest
from assay.metrics.engine.statistics import Dense
from assay.metrics.semantic.user_models import Smoothing, Ties, rank_of, user_models
from assay.models.code_digest import file_digest
from assay.records.files import read_text
from assay.records.items import Items
from assay.records.parse import try_json
from assay.text.blank import is_blank

LOOKED_AT = 100
FEW = 2
"""Texts of a user below which a note is given."""


@dataclass(frozen=True)
class PerHits(MeanMetric):
    """Share of responses for which the language model of the target user is among the k with the lowest perplexity.

    `per_hits` is the mean of `per_hits@1` to `per_hits@k`, `per_hits.rank` the mean rank. The user of an item is its
    tag `user`. An empty response ranks last.
    """

    users: str = ""
    """File of examples with a tag `user`, whose references are texts of that user; one n-gram model per user is
    built."""
    given: str = ""
    """Instead of `users`: JSONL file with {"id", "rank"} or {"id", "perplexities": {user: number}} per response."""
    ties: Ties = "optimistic"
    """Rank among equal perplexities: the best, the mean or the worst."""
    order: int = 3
    """Order of the n-gram models."""
    smoothing: Smoothing = "shorter"
    """Smoothing of the n-gram models: by counts of shorter contexts, or interpolated Kneser-Ney."""
    k: int = 5
    """Largest k."""

    name: ClassVar = "per_hits"
    category: ClassVar = "semantic"
    summary: ClassVar = "share of responses that the language model of the target user ranks among the first k"
    needs: ClassVar = ()
    citation: ClassVar = "Wang, Luo, Yang (2021), Personalized Response Generation with Tensor Factorization"
    extent: ClassVar = ("k",)

    def __post_init__(self) -> None:
        self.require("k", 1)
        self.require("order", 1, 6)
        if self.users and self.given:
            raise AssayError("metric per_hits: give either users=FILE or given=FILE, not both")

    def parts(self) -> tuple[Part, ...]:
        hits = [Part(f"per_hits@{k}", scale=100) for k in range(1, self.k + 1)]
        rank = Part("per_hits.rank", "lower", shown=False, digits=1, bounds=(1.0, None))
        return *hits, Part("per_hits", scale=100), rank

    def options(self) -> dict[str, Any]:
        digests = {
            name: content_digest(lambda path=path: [read_text(Path(path))]) if path else ""  # type: ignore[misc]
            for name, path in (("users", self.users), ("given", self.given))
        }
        kept = super().options() | digests
        if self.smoothing == "shorter":
            del kept["smoothing"]
        return kept | ({"order": "none", "users": "none"} if self.given else {"given": "none"})

    def why_not(self) -> str | None:
        if not (self.users or self.given):
            return "needs texts of the users (per_hits:users=FILE) or computed ranks (per_hits:given=FILE)"
        try:
            read_text(Path(self.users or self.given))
        except (AssayError, OSError) as error:
            return str(error)
        return None

    def unfit(self, items: Items) -> str | None:
        if self.given or any("user" in example.tags for example in islice(items.bare, LOOKED_AT)):
            return None
        return "needs the tag `user` on the items: the user that each response addresses"

    def statistics(self, items: Items) -> Dense:
        ranks = self._given_ranks(items) if self.given else self._ranks(items)
        hits = {f"per_hits@{k}": (ranks <= k).astype(np.float64) for k in range(1, self.k + 1)}
        return self.rows({**hits, "per_hits": np.mean(list(hits.values()), axis=0), "per_hits.rank": ranks})

    def _ranks(self, items: Items) -> np.ndarray[Any, np.dtype[np.float64]]:
        models = user_models(self.users, self.order, self.smoothing)
        ranks = []
        for example, output in zip(items.examples, items.outputs, strict=True):
            user = example.tags.get("user", "")
            if user not in models:
                raise AssayError(
                    f"id {example.id}: no text of user {user or '(none)'} in {self.users}. Add texts of this user."
                )
            perplexities = (
                {name: model.perplexity(output) for name, model in models.items()} if not is_blank(output) else {}
            )
            ranks.append(self._rank(user, perplexities, len(models)))
        if len(models) == 1:
            raise AssayError(f"{self.users}: texts of 1 user; a rank needs those of at least two users.")
        return np.array(ranks, dtype=np.float64)

    def _rank(self, user: str, perplexities: Mapping[str, float], models: int) -> float:
        """Return the rank of the user; an empty response ranks last and never counts as a hit."""
        if not perplexities:
            return float(max(models, self.k + 1))
        others = [value for name, value in perplexities.items() if name != user]
        return rank_of(perplexities[user], others, self.ties)

    def _given_ranks(self, items: Items) -> np.ndarray[Any, np.dtype[np.float64]]:
        rows = _read(self.given, file_digest(self.given))
        ranks = []
        for example, output in zip(items.examples, items.outputs, strict=True):
            row = rows.get(example.id)
            if row is None:
                raise AssayError(f"{self.given}: id {example.id} is missing. Add one line per response.")
            if "rank" in row:
                ranks.append(float(row["rank"]) if not is_blank(output) else max(float(row["rank"]), self.k + 1.0))
                continue
            user, perplexities = example.tags.get("user", ""), row["perplexities"]
            if user not in perplexities:
                raise AssayError(f"{self.given}: id {example.id}: no perplexity of user {user or '(none)'}. Add it.")
            ranks.append(self._rank(user, perplexities if not is_blank(output) else {}, len(perplexities)))
        return np.array(ranks, dtype=np.float64)

    def notes(self, items: Items) -> list[str]:
        empty = sum(map(is_blank, items.outputs))
        message = "1 empty response counts as a miss" if empty == 1 else f"{empty} empty responses count as misses"
        notes = [f"per_hits: {message}"] if empty else []
        if not self.users:
            return notes
        models = user_models(self.users, self.order, self.smoothing)
        if len(models) <= self.k:
            notes.append(
                f"per_hits: with {len(models)} users, every response that is not empty has a hit from "
                f"per_hits@{len(models)} on"
            )
        few = [user for user, model in models.items() if model.texts < FEW]
        have = "user has" if len(few) == 1 else "users have"
        shown = ", ".join(few[:3])
        return notes + ([f"per_hits: {len(few)} {have} one text only ({shown}): a weak language model"] if few else [])


@lru_cache(maxsize=2)
def _read(path: str, digest: str | None) -> Mapping[str, dict[str, Any]]:
    """Read the file; the digest is an argument, so that a changed file is read again."""
    rows = {}
    for number, line in enumerate(read_text(Path(path)).split("\n"), 1):
        if not line.strip():
            continue
        row = try_json(line)
        rank = row.get("rank") if isinstance(row, dict) else None
        whole = isinstance(rank, int | float) and not isinstance(rank, bool) and rank >= 1
        if not (isinstance(row, dict) and "id" in row and (whole or _numbers(row.get("perplexities")))):
            raise AssayError(
                f'{path}:{number}: expected {{"id", "rank"}} with a rank from 1, or {{"id", "perplexities"}}'
            )
        rows[str(row["id"])] = row
    return rows


def _numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, int | float) and one >= 0 for one in value.values())
