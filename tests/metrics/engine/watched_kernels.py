"""Folds damaged statistics with kernels compiled with bounds checks, in a separate process.

python watched_kernels.py ROUNDS prints the numbers refused and folded, and accesses outside of arrays.
"""

from __future__ import annotations

import io
import json
import sys
from random import Random
from typing import Any

import numpy as np
import polars

from assay.errors import AssayError
from assay.metrics import Metric, Rows, resolve
from assay.metrics._kernels import streams
from assay.metrics.engine.statistics import KINDS, Tokens, concat
from assay.records import Example, Items
from assay.stats.resample import all_items, bootstrap, subsamples
from assay.text._kernels import compiled

METRICS = "bleu rouge rouge_more chrf++ ter wer levenshtein sari novelty rewriting local_recall repetition".split()
OF_TOKENS = "ngrams msttr:segment=3 ttr yules_i lengths self_bleu nist cider".split()
ALPHABET = "ab cd e.'é 中\n-,09"


def items_of(random: Random, n: int = 12) -> Items:
    def text() -> str:
        return "".join(random.choices(ALPHABET, k=random.choice([0, 1, 5, 40, 200])))

    texts = [(text(), tuple(text() for _ in range(random.randint(1, 3))), text()) for _ in range(n)]
    examples = tuple(
        Example(id=str(i), references=texts_of, source=source) for i, (_, texts_of, source) in enumerate(texts)
    )
    return Items(tuple(output for output, _, _ in texts), examples)


def fold_all(metric: Metric, rows: Rows) -> None:
    """Run every fold over rows."""
    n = len(rows)
    metric.fold(rows, all_items(n))
    metric.per_example(rows)
    for resamples in (*bootstrap(n, 70, 1), *subsamples(n, 70, 1, 1 / 2)):
        metric.fold(rows, resamples)
    back = np.arange(n, dtype=np.intp)[::-1]
    metric.fold(concat([rows.take(back), rows]), all_items(2 * n))


def flipped(array: np.ndarray[Any, Any], random: Random) -> np.ndarray[Any, Any]:
    """Return the array with one bit flipped."""
    data = bytearray(array.tobytes())
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return np.frombuffer(data, dtype=array.dtype).reshape(array.shape)


def damaged_arrays(rows: Rows, random: Random) -> Rows:
    arrays = rows.to_arrays()
    name = random.choice(sorted(arrays))
    array = arrays[name]
    how = random.randrange(4)
    if how == 0:
        arrays[name] = array[: random.randrange(len(array) + 1)]
    elif how == 1:
        arrays[name] = array.astype(random.choice(["f8", "i8", "i2", "u1"]))
    else:
        arrays[name] = flipped(array, random)
    return KINDS["tokens" if isinstance(rows, Tokens) else "dense"].from_arrays(arrays)


def damaged_frame(rows: Rows, random: Random) -> Rows:
    frame = rows.to_frame()
    if random.random() < 0.4:
        column = frame.columns[0]
        cells = frame[column].to_list()
        at = random.randrange(len(cells))
        cells[at] = [None, *cells[at], None] if isinstance(cells[at], list) and random.random() < 0.7 else None
        frame = frame.with_columns(polars.Series(column, cells, dtype=frame.schema[column]))
    else:
        stream = io.BytesIO()
        frame.write_parquet(stream, compression="uncompressed")
        data = np.frombuffer(stream.getvalue(), dtype=np.uint8)
        frame = read_parquet(flipped(data, random).tobytes())
    return KINDS["tokens" if isinstance(rows, Tokens) else "dense"].from_frame(frame)


def read_parquet(data: bytes) -> polars.DataFrame:
    try:
        return polars.read_parquet(io.BytesIO(data))
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise ValueError(str(error)) from None


def main(rounds: int) -> None:
    wrong: list[str] = []
    sys.unraisablehook = lambda unraisable: wrong.append(repr(unraisable.exc_value))
    assert all(compiled().values()), compiled()
    streams.segments(np.full(3, 9, dtype=np.int32), np.array([0, 3]), np.zeros((1, 1), dtype=np.int64), 2, 1)
    assert wrong, "an index out of bounds was not noticed"
    wrong.clear()
    random = Random(0)
    kept: list[tuple[Metric, Rows]] = []
    for spec in (*METRICS, *OF_TOKENS):
        metric = resolve(spec)[0].metric
        rows = metric.statistics(items_of(random))
        fold_all(metric, rows)
        if isinstance(rows, Tokens) or spec == "bleu":
            kept.append((metric, rows))
    refused = folded = 0
    for _ in range(rounds):
        metric, rows = random.choice(kept)
        try:
            fold_all(metric, random.choice([damaged_arrays, damaged_frame])(rows, random))
            folded += 1
        except (AssayError, ValueError, OSError):
            refused += 1
    print(json.dumps({"refused": refused, "folded": folded, "wrong": wrong}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
