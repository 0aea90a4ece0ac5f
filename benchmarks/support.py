"""How well `support` finds false sentences: planted edits, SummEdits by left-out domain, FRANK; and how fast.

python -m benchmarks support          # some minutes; data by --data DIR
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from assay.metrics.support.checker import WITH_MODEL, check, why_not
from assay.metrics.support.claims import read_sentence
from assay.metrics.support.entailment import WITH_ENTAILMENT
from assay.metrics.support.evidence import Document
from assay.metrics.support.features import WORDS
from assay.metrics.support.weights import read_weights
from assay.records import Example, Items
from assay.records.types import Passage
from benchmarks.evidence_set import PASSAGES
from benchmarks.planted import TRUE
from benchmarks.released import released
from benchmarks.support_rows import DOMAINS, Floats, Row, chances, fit, frank, frank_planted, summedits, with_entailment
from benchmarks.timing import Result, timed

SEED = 20_263
"""Of the planted edits that are measured; those that weights are fitted on have another."""
ANSWERS, CONTEXTS, WORDS_EACH = 1000, 5, 200


def auroc(positive: Floats, negative: Floats) -> float:
    """Return the probability that a positive has a higher score than a negative."""
    ranks = rankdata(np.concatenate([positive, negative]))[: len(positive)]
    return float((ranks.sum() - len(positive) * (len(positive) + 1) / 2) / (len(positive) * len(negative)))


def run() -> Iterator[Result]:
    data = Path(released("frank/texts.jsonl")).parents[1]
    weights = read_weights()
    model = np.array([weights.intercept, *(weights.costs[name] for name in WORDS)])
    yield from _planted(list(frank_planted(data, "test", SEED)), model)
    yield from _domains(data)
    yield _frank([row for row in frank(data) if row.part == "test"], model)
    yield from evidence()
    yield _speed()


def _planted(rows: Sequence[Row], model: Floats) -> Iterator[Result]:
    values, kinds = chances(model, rows, WORDS), np.array([row.kind for row in rows])
    true = values[np.isin(kinds, TRUE)]
    for kind in dict.fromkeys(kinds.tolist()):
        own = values[kinds == kind]
        if kind in TRUE:
            yield {"name": f"support, true: {kind}", "pairs": len(own), "values": {"called": _share(own)}}
        else:
            yield {"name": f"support, planted: {kind}", "pairs": len(own),
                   "values": {"auroc": round(auroc(true, own), 3), "called": _share(own)}}  # fmt: skip


def _share(values: Floats) -> float:
    """Return the share that is called unsupported or contradicted."""
    return round(float((values < 0.5).mean()), 3)


def _domains(data: Path) -> Iterator[Result]:
    """Yield the AUROC of the least supported sentence in each domain, with weights fitted on the others."""
    rows = [*summedits(data), *frank_planted(data, "valid"), *(row for row in frank(data) if row.part == "valid")]
    yield from _left_out("support", rows, WORDS)
    if not why_not(WITH_MODEL):
        yield from _left_out("support:checker=assay-nli", with_entailment(rows), WITH_ENTAILMENT)


def _left_out(label: str, rows: Sequence[Row], names: Sequence[str]) -> Iterator[Result]:
    areas = []
    for domain in DOMAINS:
        model = fit([row for row in rows if row.part != domain], names)
        own = [row for row in rows if row.group == "summedits" and row.part == domain]
        lowest: dict[str, tuple[float, float]] = {}
        for row, value in zip(own, chances(model, own, names).tolist(), strict=True):
            lowest[row.item] = (min(value, lowest.get(row.item, (1.0, 0.0))[0]), row.of_item)
        values, labels = np.array(list(lowest.values())).T
        areas.append(auroc(values[labels == 1], values[labels == 0]))
        yield {"name": f"{label}, SummEdits {domain}", "pairs": len(values), "values": {"auroc": round(areas[-1], 3)}}
    yield {"name": f"{label}, SummEdits mean", "values": {"auroc": round(float(np.mean(areas)), 3)}}


def _frank(rows: Sequence[Row], model: Floats) -> Result:
    """Return the partial correlation of the mean probability with factuality, system held constant."""
    items: dict[str, list[float]] = defaultdict(list)
    human: dict[str, float] = {}
    for row, value in zip(rows, chances(model, rows, WORDS).tolist(), strict=True):
        items[row.item].append(value)
        human[row.item] = row.of_item
    names = list(items)
    scores, truth = np.array([np.mean(items[one]) for one in names]), np.array([human[one] for one in names])
    sets, systems = (np.array([one.split()[i] for one in names]) for i in (0, 1))

    def partial(chosen: Floats) -> float:
        a, b = scores[chosen].copy(), truth[chosen].copy()
        for system in set(systems[chosen]):
            same = systems[chosen] == system
            a[same] -= a[same].mean()
            b[same] -= b[same].mean()
        return round(float(np.corrcoef(a, b)[0, 1]), 3)

    parts = {"all": np.ones(len(names), dtype=bool), **{name: sets == name for name in sorted(set(sets.tolist()))}}
    return {"name": "support, FRANK test", "pairs": len(names), "values": {k: partial(v) for k, v in parts.items()}}


def evidence() -> Iterator[Result]:
    """Yield how often the right sentence is first: within its passage, and among all passages as contexts."""
    everything = [(str(number), " ".join(passage.sentences)) for number, passage in enumerate(PASSAGES)]
    for name, whole in (("its passage", False), ("twenty passages", True)):
        first = []
        for number, passage in enumerate(PASSAGES):
            document = Document(everything if whole else [everything[number]])
            for claim, place in passage.claims:
                found = document.nearest(read_sentence(claim))
                first.append(bool(found) and found[0].sentence.text == passage.sentences[place])
        yield {"name": f"support, evidence first in {name}", "pairs": len(first),
               "values": {"share": round(sum(first) / len(first), 3)}}  # fmt: skip


def _speed() -> Result:
    """Return the cpu seconds of answers of three sentences with contexts of their own."""
    rng = np.random.default_rng(SEED)
    words = np.array([f"word{i}" for i in range(5000)])

    def text(count: int) -> str:
        drawn = words[rng.zipf(1.3, count) % 5000]
        return " ".join(
            f"The {' '.join(drawn[i : i + 20])} was {rng.integers(2, 99)} percent." for i in range(0, count, 20)
        )

    examples = tuple(
        Example(id=str(i), contexts=tuple(Passage(str(k), text(WORDS_EACH)) for k in range(CONTEXTS)))
        for i in range(ANSWERS)
    )
    items = Items(tuple(text(60) for _ in range(ANSWERS)), examples)
    seconds = timed(lambda: check(items))[1]
    return {"name": "support, 1,000 answers with 5 contexts of 200 words", "pairs": ANSWERS, "seconds": seconds,
            "target": 120, "note": "cpu seconds of one process; 60 s on two cores"}  # fmt: skip
