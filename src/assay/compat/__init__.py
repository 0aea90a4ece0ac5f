"""Drop-in replacements: the calls of other packages with the same arguments and the same values.

Change the import to `from assay.compat.rouge_score import rouge_scorer` or `from assay.compat import sacrebleu`,
`evaluate` or `torchmetrics`; the rest of a script is unchanged. docs/compat.md lists what is supported.
"""

from __future__ import annotations

import importlib
from types import ModuleType

MODULES = ("evaluate", "rouge_score", "sacrebleu", "torchmetrics", "transformers")


def __getattr__(name: str) -> ModuleType:
    """Import a module on first use: `assay.compat.sacrebleu.corpus_bleu(…)` needs no import of its own."""
    if name in MODULES:
        return importlib.import_module(f"assay.compat.{name}")
    raise AttributeError(f"module 'assay.compat' has no attribute {name!r}")
