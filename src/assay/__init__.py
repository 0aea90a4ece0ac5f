"""assay: how good generated text is, and how far to believe the answer.

    result = assay.score(outputs, references, metrics=["rouge", "bleu"], ci=1000)
    result.scores["rouge1"].value
    assay.compare(result, other)["rouge1"].p

Everything is imported when it is first used, so that `import assay` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.version import VERSION

if TYPE_CHECKING:
    from assay.api import compare as compare
    from assay.api import compare_all as compare_all
    from assay.api import score as score
    from assay.api import score_all as score_all
    from assay.errors import AssayError as AssayError
    from assay.records import Example as Example
    from assay.records import Judgement as Judgement
    from assay.records import Output as Output
    from assay.records import Score as Score
    from assay.results.result import Result as Result
    from assay.runs.run_folder import load_run as load_run

_HOME = {
    "score": "assay.api",
    "compare": "assay.api",
    "compare_all": "assay.api",
    "score_all": "assay.api",
    "AssayError": "assay.errors",
    "Example": "assay.records",
    "Judgement": "assay.records",
    "Output": "assay.records",
    "Score": "assay.records",
    "Result": "assay.results.result",
    "load_run": "assay.runs.run_folder",
}

__version__ = VERSION
__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
