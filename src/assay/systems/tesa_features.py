"""The 15 features of TESA's logistic ranker, from a candidate, its background and its context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.models.word_vectors import Vectors, hashed_vector
from assay.records.inputs import read_input
from assay.records.kinds import Entities
from assay.records.types import Example
from assay.text.english import words


def mean_vector(group: Sequence[str], vectors: Vectors) -> NDArray[np.float64] | None:
    """Return the mean vector of the words that have one; None if none has."""
    known = [vector for word in group if (vector := vectors(word)) is not None]
    return np.mean(known, axis=0) if known else None


def cosine(a: NDArray[np.float64] | None, b: NDArray[np.float64] | None) -> float:
    """Return the cosine similarity of two mean vectors; 0 if one is missing."""
    if a is None or b is None:
        return 0.0
    length = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / length if length else 0.0


@dataclass
class Features:
    """The 15 features of a candidate, in the published order."""

    counts: Mapping[str, int] = field(default_factory=Counter)
    """Number of training examples for which a phrase is gold."""
    vectors: Vectors = hashed_vector

    def rows(self, example: Example, candidates: Sequence[str], own: Sequence[int] = ()) -> NDArray[np.float64]:
        """Return one row per candidate. `own` is subtracted from the frequency, so that an example does not reveal that
        its phrase is gold."""
        entities = read_input(example, Entities)
        each = [words(text or "", lemmas=True) for text in entities.background]
        background = [word for one in each for word in one]
        filled = [set(one) for one in each if one]
        shared = set.intersection(*filled) if filled else set()
        context = words(entities.title, lemmas=True) + words(entities.context, lemmas=True)
        names = [word for name in entities.entities for word in words(name, lemmas=False, stops=False)]
        everything = names + context + background
        either = shared | set(context)
        groups = (background, sorted(shared), context, everything, sorted(either))
        means = [mean_vector(group, self.vectors) for group in groups]
        made = []
        for i, candidate in enumerate(candidates):
            tokens = words(candidate, lemmas=False)
            plain = set(tokens)
            mine = mean_vector(tokens, self.vectors)
            near = [cosine(mine, mean) for mean in means]
            inside = [sum(word in plain for word in group) for group in (background, context, everything)]
            made.append([
                self.counts.get(candidate, 0) - (own[i] if own else 0),
                inside[0], len(plain & set(background)), len(plain & shared),
                sum(bool(plain & set(one)) for one in each), near[0], near[1],
                inside[1], len(plain & set(context)), near[2],
                inside[2], len(plain & set(everything)), len(plain & either), near[3], near[4],
            ])  # fmt: skip
        return np.array(made, dtype=np.float64)
