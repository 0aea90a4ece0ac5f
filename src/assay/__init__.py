"""assay: evaluate generated text, with confidence intervals on every score.

    result = assay.score(outputs, references, metrics=["rouge", "bleu"], ci=1000)
    result.scores["rouge1"].value
    assay.compare(result, other)["rouge1"].p

Modules are imported on first use, so `import assay` is fast. Public names are in `assay.__all__`; packages are imported
by name (`from assay.metrics import Metric`).
"""

from __future__ import annotations

import importlib
import typing

from assay.version import VERSION

if typing.TYPE_CHECKING:
    from assay.api.meta_evaluation import agreement, audit, correlate, reproduce, slots
    from assay.api.scoring import generate, run, score, score_all
    from assay.api.support import support
    from assay.errors import AssayError
    from assay.meta.comparison_power import power
    from assay.records.types import Example, Judgement, Output, Score
    from assay.results.compare import compare
    from assay.results.comparison import Comparison
    from assay.results.gate import assert_not_worse, check
    from assay.results.group_differences import generalisation_gap, group_differences
    from assay.results.many_systems import compare_all, compare_pairs
    from assay.results.null_test import null_test
    from assay.results.paper_table import table
    from assay.results.parents import compare_with_parents
    from assay.results.rarefied import rarefy
    from assay.results.result import Result
    from assay.results.sequential import compare_sequential
    from assay.store.saved_run import load_run

__version__ = VERSION
_HOMES = {
    "assay.api.meta_evaluation": ("agreement", "audit", "correlate", "reproduce", "slots"),
    "assay.api.scoring": ("generate", "run", "score", "score_all"),
    "assay.api.support": ("support",),
    "assay.errors": ("AssayError",),
    "assay.meta.comparison_power": ("power",),
    "assay.records.types": ("Example", "Judgement", "Output", "Score"),
    "assay.results.compare": ("compare",),
    "assay.results.comparison": ("Comparison",),
    "assay.results.gate": ("assert_not_worse", "check"),
    "assay.results.group_differences": ("generalisation_gap", "group_differences"),
    "assay.results.many_systems": ("compare_all", "compare_pairs"),
    "assay.results.null_test": ("null_test",),
    "assay.results.paper_table": ("table",),
    "assay.results.parents": ("compare_with_parents",),
    "assay.results.rarefied": ("rarefy",),
    "assay.results.result": ("Result",),
    "assay.results.sequential": ("compare_sequential",),
    "assay.store.saved_run": ("load_run",),
}  # fmt: skip
__all__ = [
    "AssayError", "Comparison", "Example", "Judgement", "Output", "Result", "Score", "__version__", "agreement",
    "assert_not_worse", "audit", "check", "compare", "compare_all", "compare_pairs", "compare_sequential",
    "compare_with_parents", "correlate", "generalisation_gap", "generate", "group_differences", "load_run", "null_test",
    "power", "rarefy", "reproduce", "run", "score", "score_all", "slots", "support", "table",
]  # fmt: skip


def __getattr__(name: str) -> typing.Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    if name == "compat":
        return importlib.import_module("assay.compat")
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
