"""Any bytes as texts, through every metric, looking for a crash.

pip install atheris
python -m benchmarks.fuzz -max_total_time=300
"""

from __future__ import annotations

import sys
from typing import Any

from assay.metrics import METRICS, resolve
from assay.records import Example, Items
from assay.stats.resample import bootstrap

REQUESTS = [
    request
    for request in (resolve(name)[0] for name in METRICS if name not in ("lexical_complexity", "fkgl", "flesch"))
    if "inputs" not in request.metric.needs and request.metric.extra is None
]
"""Every metric of texts alone that needs no word list and no model."""


def one_input(data: bytes) -> None:
    """Six texts for two items, cut at the byte 0xFF; whatever UTF-8 cannot read becomes half characters."""
    texts = [piece.decode("utf-8", "surrogateescape") for piece in (data.split(b"\xff") + [b""] * 6)[:6]]
    items = Items(
        (texts[0], texts[1]),
        (
            Example(id="a", references=(texts[2],), source=texts[3]),
            Example(id="b", references=(texts[4], texts[5]), source=texts[0]),
        ),
    )
    for request in REQUESTS:
        rows = request.metric.statistics(items)
        for draws in bootstrap(2, 3, 0):
            request.metric.fold(rows, draws)
        request.metric.per_example(rows)


def main() -> None:
    import atheris

    fuzzer: Any = atheris
    fuzzer.Setup(sys.argv, one_input)
    fuzzer.Fuzz()


if __name__ == "__main__":
    main()
