"""What the metrics of sacrebleu have in common: segment statistics out, signature kept verbatim."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

from assay.metrics.rows import Floats
from assay.records import Items


def extract(scorer: Any, items: Items) -> Floats:
    """The statistics sacrebleu keeps for each segment. It wants references transposed, ragged ones as None."""
    streams = [list(stream) for stream in zip_longest(*items.references)]
    statistics = scorer._extract_corpus_statistics(list(items.outputs), streams)
    return np.array(statistics, dtype=np.float64).reshape(len(items), -1)


def sacrebleu_signature(scorer: Any, nrefs: str) -> str:
    """sacrebleu's own signature, which says every choice and its version."""
    scorer.num_refs = int(nrefs) if nrefs.isdigit() else -1  # -1 is its word for a varying number
    return str(scorer.get_signature().format())
