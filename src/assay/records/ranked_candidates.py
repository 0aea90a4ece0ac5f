"""Candidates with scores as one output text: `score TAB candidate`, best first; people and metrics can read it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.errors import AssayError


def write_scored(candidates: Sequence[str], scores: Sequence[float]) -> str:
    """One line a candidate, the best first; equal scores keep the order of the candidates."""
    if len(candidates) != len(scores):
        raise AssayError(f"{len(scores)} scores for {len(candidates)} candidates; give one for each")
    for candidate, score in zip(candidates, scores, strict=True):
        if math.isnan(score):
            raise AssayError(f"candidate {candidate[:40]!r}: its score is not a number")
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    return "\n".join(f"{scores[i]!r}\t{' '.join(candidates[i].split())}" for i in order)


def read_scored(text: str) -> list[tuple[str, float]]:
    """Candidates and scores in the order of the lines."""
    found = []
    for line in text.split("\n"):
        number, tab, candidate = line.partition("\t")
        try:
            score = float(number)
        except ValueError:
            score = math.nan
        if not tab or math.isnan(score):
            raise AssayError(
                f"{line[:40]!r} is not a score, a tab and a candidate; `assay system rank` and `choose` write them"
            )
        found.append((candidate, score))
    return found


def scores_of(text: str, candidates: Sequence[str]) -> list[float]:
    """The score of each candidate; every one of them must have a line, and no other may."""
    found = read_scored(text)
    known = dict(found)
    plain = [" ".join(candidate.split()) for candidate in candidates]
    if len(found) != len(plain) or set(known) != set(plain):
        missing = next((candidate for candidate in plain if candidate not in known), None)
        problem = f"no score for {missing[:40]!r}" if missing else f"{len(found)} lines for {len(plain)} candidates"
        raise AssayError(f"the scores are not those of the candidates: {problem}")
    return [known[candidate] for candidate in plain]
