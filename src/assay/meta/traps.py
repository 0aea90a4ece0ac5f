"""Trap sentences: how often a metric ranks the original above an altered copy, by kind of error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.challenges.traps import CONTROL, Trap
from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.execution.measure import measure
from assay.meta.audit.pool import as_result
from assay.meta.audit.sweep import sign_of
from assay.metrics import METRICS, MetricRequest, Part, resolve
from assay.records.items import Items
from assay.records.types import Example
from assay.results.measurement import Missing
from assay.seeds import rng_for
from assay.stats.interval import clustered_wilson_interval
from assay.text.word_differences import WORD

QUOTES = str.maketrans("’‘“”`", "''\"\"'")
NEAR = 0.5
"""Minimum share of common words of a trap and the passage it was made from; below, it has no original."""
REACH = 4
"""Maximum difference in words between a trap and its original."""


class Pair(NamedTuple):
    """A trap and the text it is compared with."""

    trap: Trap
    text: str
    """Words in lower case joined by spaces: released traps differ from their documents in case and spacing."""
    other: str
    original: bool
    """Whether the other text is the original of the trap; else it is a passage of the same length."""
    apart: int
    """Number of words that differ if both have the same length; else the difference in length."""


@dataclass(frozen=True)
class TrapRow:
    """How often one metric ranks the original above, equal to or below the traps of one kind."""

    kind: str
    metric: str
    n: int
    above: float
    low: float
    high: float
    tied: float
    below: float


@dataclass(frozen=True)
class Probe:
    """Metrics probed with traps."""

    rows: list[TrapRow]
    parts: dict[str, tuple[str, Part]]
    counts: dict[str, dict[str, int]]
    """By kind: number of traps, of those with an original, and of those one word apart."""
    skipped: Sequence[Missing] = ()
    failed: Sequence[Missing] = ()
    warnings: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay metric traps probe --json` prints."""
        return {
            "traps": [asdict(row) for row in self.rows], "counts": self.counts,
            "skipped": [{"metric": each.metric, "why": each.why} for each in self.skipped],
            "failed": [{"metric": each.metric, "why": each.why} for each in self.failed], "warnings": self.warnings,
        }  # fmt: skip


def lexical_metrics() -> list[MetricRequest]:
    """Return every lexical and source metric that runs without a model."""
    metrics = METRICS.each(lambda cls: cls.category in ("lexical", "source") and cls.extra is None, {})
    return resolve([name for name, wanted in metrics if wanted])


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, with plain quotes."""
    return WORD.findall(text.lower().translate(QUOTES))


def pair_traps(traps: Sequence[Trap], documents: Mapping[str, str], seed: int = 0) -> list[Pair]:
    """Pair every trap with its original: the one it names, else the most similar passage of its document.

    Raises:
        AssayError: The document of a trap is missing.
    """
    cut: dict[str, list[str]] = {}
    pairs = []
    for trap in traps:
        if trap.document not in documents:
            raise AssayError(f"Trap {trap.id}: document {trap.document} is missing. Give the documents of the traps.")
        if trap.document not in cut:
            cut[trap.document] = words(documents[trap.document])
        own, document = words(trap.text), cut[trap.document]
        other = words(trap.original) if trap.original else nearest(own, document)
        near = bool(trap.original) or _shared(own, other) >= NEAR
        if not near:  # compare with a random passage instead
            start = rng_for(seed, "stretch", trap.id).randrange(max(1, len(document) - len(own) + 1))
            other = document[start : start + len(own)]
        apart = sum(a != b for a, b in zip(own, other, strict=False)) if len(own) == len(other) else 0
        pairs.append(Pair(trap, " ".join(own), " ".join(other), near, apart or abs(len(own) - len(other))))
    return pairs


def nearest(own: Sequence[str], document: Sequence[str]) -> list[str]:
    """Return the passage of a document that is most similar to a trap: all its words but one in place, or from the best
    match of the first half to that of the second, as a word may have been inserted or deleted."""
    known = {word: number for number, word in enumerate(dict.fromkeys([*document, *own]))}
    where, what = (np.array([known[word] for word in sequence], dtype=np.int64) for sequence in (document, own))
    m, half = len(what), (len(what) + 1) // 2
    fits = _matches(what, where)
    if fits.max() >= m - 1:
        return list(document[int(fits.argmax()) :][:m])
    start = int(_matches(what[:half], where).argmax())
    tail = _matches(what[half:], where)
    # of equally good matches, the one after the first half
    end = int((tail - 1e-6 * np.abs(np.arange(len(tail)) - (start + half))).argmax()) + m - half
    if abs(end - start - m) > REACH:
        start = int(fits.argmax())
        end = start + m
    around = [(a, b) for a in range(max(0, start - 1), start + 2) for b in range(end - 1, end + 2) if a < b]
    best = max(around, key=lambda ends: (_shared(own, document[ends[0] : ends[1]]), -abs(ends[1] - ends[0] - m)))
    return list(document[best[0] : best[1]])


def _matches(part: NDArray[np.int64], of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of matching words at each position."""
    if not len(part) or len(of) < len(part):
        return np.zeros(1, dtype=np.int64)
    return np.asarray((np.lib.stride_tricks.sliding_window_view(of, len(part)) == part).sum(axis=1))


def _shared(a: Sequence[str], b: Sequence[str]) -> float:
    return 2 * sum((Counter(a) & Counter(b)).values()) / max(1, len(a) + len(b))


def probe(
    traps: Sequence[Trap], documents: Mapping[str, str], requests: Sequence[MetricRequest] | None = None,
    *, seed: int = 0, executor: Executor = SERIAL,
) -> Probe:  # fmt: skip
    """Score every trap and its original against the document, and count which ranks higher.

    Args:
        traps: Trap sentences.
        documents: Documents by id.
        requests: Metrics (default: all lexical metrics).
        seed: Random seed.
        executor: Runs the metrics.
    """
    pairs = sorted(
        pair_traps(traps, documents, seed), key=lambda pair: pair.trap.document
    )  # each document is read once
    plain = {name: " ".join(words(documents[name])) for name in {pair.trap.document for pair in pairs}}
    outputs = tuple(text for pair in pairs for text in (pair.other, pair.text))
    examples = tuple(
        Example(
            id=f"{pair.trap.id}/{side}",
            source=(document := plain[pair.trap.document]),
            references=(document,),
            language=pair.trap.language or "en",
        )
        for pair in pairs
        for side in ("original", "trap")
    )
    items = Items(outputs, examples)
    measured = measure(items, requests if requests is not None else lexical_metrics(), executor=executor)
    result = as_result(items, measured)
    parts = {name: (result.labels[name], part) for name, (_, part) in result.parts.items() if sign_of(part)}
    parts = {name: each for name, each in parts.items() if name in result.per_example.columns}
    rows = []
    kinds = list(dict.fromkeys(pair.trap.kind for pair in pairs if pair.trap.kind != CONTROL))
    codes = np.unique([pair.trap.document for pair in pairs], return_inverse=True)[1]
    of_kind = np.array([pair.trap.kind for pair in pairs])
    for name, (_, part) in parts.items():
        scores = result.per_example[name].to_numpy().reshape(-1, 2) * sign_of(part)
        margin = scores[:, 0] - scores[:, 1]
        margin[np.abs(margin) <= 1e-12 * np.maximum(1e-300, np.abs(scores).max(axis=1))] = 0.0  # rounding is a tie
        for kind in kinds:
            chosen = (of_kind == kind) & ~np.isnan(margin)
            if chosen.any():
                rows.append(_row(kind, name, margin[chosen], codes[chosen]))
    parts = {name: each for name, each in parts.items() if any(row.metric == name for row in rows)}
    return Probe(rows, parts, _counts(pairs), measured.skipped, measured.failed, _warnings(pairs))


def _row(kind: str, name: str, margin: NDArray[np.float64], documents: NDArray[np.int64]) -> TrapRow:
    above = (margin > 0).astype(float)
    low, high = clustered_wilson_interval(above, documents)
    tied, below = float((margin == 0).mean()), float((margin < 0).mean())
    return TrapRow(kind, name, len(margin), float(above.mean()), low, high, tied, below)


def _counts(pairs: Sequence[Pair]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for pair in pairs:
        own = counts.setdefault(pair.trap.kind, {"n": 0, "with_original": 0, "one_word_apart": 0, "verbatim": 0})
        own["n"] += 1
        own["with_original"] += pair.original
        own["one_word_apart"] += pair.original and pair.apart == 1
        own["verbatim"] += pair.original and pair.text == pair.other
    return counts


def _warnings(pairs: Sequence[Pair]) -> list[str]:
    warnings = []
    for kind, own in _counts(pairs).items():
        without = own["n"] - own["with_original"]
        if without:
            what = "are compared with a passage of the same length"
            warnings.append(f"{kind}: {without} of {own['n']} traps have no original in their document and {what}.")
        if kind == CONTROL and own["verbatim"] < own["n"]:
            warnings.append(f"{kind}: {own['n'] - own['verbatim']} of {own['n']} are not in their document.")
    return warnings
