"""How many summaries a second `faithful` judges, words alone: FRANK's, each with its article read anew.

python -m benchmarks faithful
"""

from __future__ import annotations

from assay.metrics import Context, resolve
from assay.metrics.faithfulness.faithful import _source
from assay.metrics.faithfulness.faithful_signs import _document
from assay.records import Example, Items
from benchmarks.released import released
from benchmarks.timing import Result, timed

SECOND = 40
"""Summaries a second on two cores that are to be reached."""


def run() -> list[Result]:
    texts = released("frank/texts.jsonl")
    from assay.meta.reproduce.cells import read_jsonl

    rows = read_jsonl(texts)
    examples = tuple(Example(id=str(i), source=row["article"]) for i, row in enumerate(rows))
    items = Items(tuple(row["summary"] for row in rows), examples)
    metric = resolve("faithful")[0].metric

    def judge_each() -> None:
        for one in items.shards(1):
            _source.cache_clear()
            _document.cache_clear()  # as if every summary were of another article
            metric.compute(one, Context())

    shared = timed(lambda: metric.compute(items, Context()))[1]
    alone = timed(judge_each)[1]
    target = 2 * len(rows) / SECOND
    return [
        {"name": f"faithful, {name}", "pairs": len(rows), "seconds": seconds, "target": target,
         "note": f"{len(rows) / seconds:.0f} summaries a second of one core"}
        for name, seconds in (("articles shared by systems", shared), ("every article anew", alone))
    ]  # fmt: skip
