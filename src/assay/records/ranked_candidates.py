"""Ranked candidates as one output text: a line `score TAB candidate` for each, best first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.errors import AssayError


def write_scored(candidates: Sequence[str], scores: Sequence[float]) -> str:
    """Return one line per candidate, best first; candidates with equal scores keep their order."""
    if len(candidates) != len(scores):
        raise AssayError(f"{len(scores)} scores for {len(candidates)} candidates. Give one score for each.")
    for candidate, score in zip(candidates, scores, strict=True):
        if math.isnan(score):
            raise AssayError(f"candidate {candidate[:40]!r}: the score is NaN. Give a number.")
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    return "\n".join(f"{scores[i]!r}\t{' '.join(candidates[i].split())}" for i in order)


def read_scored(text: str) -> list[tuple[str, float]]:
    """Return candidates and scores in the order of the lines."""
    ranked = []
    for line in text.split("\n"):
        number, tab, candidate = line.partition("\t")
        try:
            score = float(number)
        except ValueError:
            score = math.nan
        if not tab or math.isnan(score):
            raise AssayError(
                f"{line[:40]!r} is not a score, a tab and a candidate. Use the output of `assay system rank` or "
                "`assay system choose`."
            )
        ranked.append((candidate, score))
    return ranked


def scores_of(text: str, candidates: Sequence[str]) -> list[float]:
    """Return the score of each candidate. The text must have one line for each candidate and no other line."""
    ranked = read_scored(text)
    known = dict(ranked)
    plain = [" ".join(candidate.split()) for candidate in candidates]
    if len(ranked) != len(plain) or set(known) != set(plain):
        missing = next((candidate for candidate in plain if candidate not in known), None)
        problem = f"no score for {missing[:40]!r}" if missing else f"{len(ranked)} lines for {len(plain)} candidates"
        raise AssayError(f"scores do not match the candidates: {problem}")
    return [known[candidate] for candidate in plain]
