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
    from assay.api import (
        agreement,
        assert_not_worse,
        audit,
        check,
        compare,
        compare_all,
        compare_pairs,
        compare_with_parents,
        correlate,
        generalisation_gap,
        generate,
        group_differences,
        load_run,
        null_test,
        rarefy,
        reproduce,
        run,
        score,
        score_all,
        slots,
        table,
    )  # fmt: skip
    from assay.errors import AssayError
    from assay.records.types import Example, Judgement, Output, Score
    from assay.results.comparison import Comparison
    from assay.results.result import Result

__version__ = VERSION
_HOMES = {
    "assay.api": (
        "agreement", "assert_not_worse", "audit", "check", "compare", "compare_all", "compare_pairs",
        "compare_with_parents", "correlate", "generalisation_gap", "generate", "group_differences", "load_run",
        "null_test", "rarefy", "reproduce", "run", "score", "score_all", "slots", "table",
    ),
    "assay.errors": ("AssayError",),
    "assay.records.types": ("Example", "Judgement", "Output", "Score"),
    "assay.results.comparison": ("Comparison",),
    "assay.results.result": ("Result",),
}  # fmt: skip
__all__ = [
    "AssayError", "Comparison", "Example", "Judgement", "Output", "Result", "Score", "__version__", "agreement",
    "assert_not_worse", "audit", "check", "compare", "compare_all", "compare_pairs", "compare_with_parents",
    "correlate", "generalisation_gap", "generate", "group_differences", "load_run", "null_test", "rarefy", "reproduce",
    "run", "score", "score_all", "slots", "table",
]  # fmt: skip


def __getattr__(name: str) -> typing.Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
