"""Originality of outputs against a corpus: rare fragments with their source, and how common the others are."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from assay.execution.request import choose
from assay.execution.scoring import score_items
from assay.metrics.diversity.originality import Originality
from assay.records.items import Items
from assay.results.result import Result

OFTEN = 10
"""Numbers of sources from this value on are counted together."""


class Flagged(NamedTuple):
    """A fragment that may need a citation."""

    id: str
    sentence: str
    fragment: str
    sources: int
    source: str
    document: str | None
    author: str | None


class OriginalityReport(NamedTuple):
    """Originality scores with the fragments behind them."""

    result: Result
    histogram: dict[str, int]
    """Number of fragments by number of sources; `10+` for 10 or more."""
    flagged: list[Flagged]
    """The longest rare fragments of each sentence, longest first; fragments inside longer ones are left out."""
    often: list[tuple[str, int]]
    """The rare fragments that most outputs share."""

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay analyze originality --json` prints."""
        return {
            "system": self.result.system, "n": self.result.n, "scores": self.result.scores,
            "histogram": self.histogram, "flagged": [one._asdict() for one in self.flagged],
            "often": [{"fragment": fragment, "outputs": count} for fragment, count in self.often],
        }  # fmt: skip


def report_originality(items: Items, metric: Originality, ci: int = 1000, seed: int = 0) -> OriginalityReport:
    """Return originality scores with confidence intervals, and the fragments behind them.

    Args:
        items: Outputs.
        metric: The metric with its corpus.
        ci: Number of bootstrap resamples for confidence intervals (0: no intervals).
        seed: Random seed.
    """
    spec = f"originality:corpus={metric.corpus}:most={metric.most}:splitter={metric.splitter}"
    result = score_items(items, choose(f"{spec}:lowercase={str(metric.lowercase).lower()}"), ci=ci, seed=seed)
    counts: Counter[int] = Counter()
    shared: Counter[str] = Counter()
    flagged: list[Flagged] = []
    for id, sentences in zip(items.ids, metric.examined(items.outputs), strict=True):
        mine: set[str] = set()
        for one in sentences:
            counts.update(min(fragment.sources, OFTEN) for fragment in one.fragments)
            listed: list[tuple[int, int]] = []
            for fragment in one.rare:
                if any(start <= fragment.start and fragment.end <= end for start, end in listed):
                    continue
                listed.append((fragment.start, fragment.end))
                assert fragment.matches is not None
                text = " ".join(one.words[fragment.start : fragment.end])
                mine.add(text)
                flagged.append(Flagged(id, " ".join(one.words), text, fragment.sources, *fragment.matches.first))
        shared.update(mine)
    flagged.sort(key=lambda one: -len(one.fragment.split()))
    histogram = {f"{count}{'+' if count == OFTEN else ''}": counts[count] for count in sorted(counts)}
    return OriginalityReport(result, histogram, flagged, [(text, n) for text, n in shared.most_common(OFTEN) if n > 1])
