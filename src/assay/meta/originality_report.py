"""What outputs take from a corpus: every fragment that few have written, with who did, and how common the rest is."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from assay.execution.request import choose
from assay.execution.scoring import score_items
from assay.metrics.diversity.originality import Originality
from assay.records.items import Items
from assay.results.result import Result

OFTEN = 10
"""Number of sources from which on a fragment is counted as one with so many or more."""


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
    result: Result
    histogram: dict[str, int]
    """Fragments by their number of sources; `10+` for all that have more."""
    flagged: list[Flagged]
    """Of each sentence the longest, longest first: what is inside of a longer one is not said again."""
    often: list[tuple[str, int]]
    """The fragments that most outputs share."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "system": self.result.system, "n": self.result.n, "scores": self.result.scores,
            "histogram": self.histogram, "flagged": [one._asdict() for one in self.flagged],
            "often": [{"fragment": fragment, "outputs": count} for fragment, count in self.often],
        }  # fmt: skip


def report_originality(items: Items, metric: Originality, ci: int = 1000, seed: int = 0) -> OriginalityReport:
    """Numbers with intervals, and what stands behind them."""
    spec = f"originality:corpus={metric.corpus}:most={metric.most}:splitter={metric.splitter}"
    result = score_items(items, choose(f"{spec}:lowercase={str(metric.lowercase).lower()}"), ci=ci, seed=seed)
    counts: Counter[int] = Counter()
    shared: Counter[str] = Counter()
    flagged: list[Flagged] = []
    for id, sentences in zip(items.ids, metric.examined(items.outputs), strict=True):
        mine: set[str] = set()
        for one in sentences:
            counts.update(min(fragment.sources, OFTEN) for fragment in one.fragments)
            said: list[tuple[int, int]] = []
            for fragment in one.rare:
                if any(start <= fragment.start and fragment.end <= end for start, end in said):
                    continue
                said.append((fragment.start, fragment.end))
                assert fragment.matches is not None
                text = " ".join(one.words[fragment.start : fragment.end])
                mine.add(text)
                flagged.append(Flagged(id, " ".join(one.words), text, fragment.sources, *fragment.matches.first))
        shared.update(mine)
    flagged.sort(key=lambda one: -len(one.fragment.split()))
    histogram = {f"{count}{'+' if count == OFTEN else ''}": counts[count] for count in sorted(counts)}
    return OriginalityReport(result, histogram, flagged, [(text, n) for text, n in shared.most_common(OFTEN) if n > 1])
