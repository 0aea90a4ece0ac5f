"""The calls most people need: `assay.score` and `assay.compare`, and both for many systems at once."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from assay.errors import AssayError
from assay.results.compare import compare, compare_all
from assay.results.result import Result
from assay.runs.executors import Executor, choose_executor
from assay.runs.scoring import Metrics, choose, score_outputs, score_systems

__all__ = ["compare", "compare_all", "score", "score_all"]


def score(
    outputs: Any,
    references: Any = None,
    sources: Any = None,
    *,
    examples: Any = None,
    metrics: Metrics = None,
    suite: str | None = None,
    ci: int = 0,
    seed: int = 0,
    workers: int = 1,
    executor: Executor | None = None,
    save: str | PathLike[str] | None = None,
    force: bool = False,
    system: str | None = None,
    dataset: str | None = None,
    language: str | None = None,
    allow_missing: bool = False,
    skip_bad: bool = False,
) -> Result:
    """Score outputs against references, sources or examples.

    Each of them may be a path, a list, a dict by id or a DataFrame; references are one string or list per output.
    `metrics` are names with options (`["rouge:stemmer=true", "bleu"]`) or `suite` names a set of them. `ci` is the
    number of bootstrap resamples for 95 % intervals (0 for none). With `save` the run is kept in a folder, and
    what is already there is not computed again.

    >>> result = score(["the cat sat"], ["the cat sat"], metrics="rouge")
    >>> result.scores["rouge1"].value
    1.0
    """
    return score_outputs(
        outputs,
        choose(metrics, suite),
        references=references,
        sources=sources,
        examples=examples,
        dataset=dataset,
        language=language,
        allow_missing=allow_missing,
        skip_bad=skip_bad,
        system=system,
        ci=ci,
        seed=seed,
        executor=choose_executor(workers, executor),
        save=save,
        force=force,
    ).result


def score_all(
    systems: Mapping[str, Any],
    references: Any = None,
    sources: Any = None,
    *,
    examples: Any = None,
    metrics: Metrics = None,
    suite: str | None = None,
    ci: int = 0,
    seed: int = 0,
    workers: int = 1,
    executor: Executor | None = None,
    **options: Any,
) -> dict[str, Result]:
    """Score several systems, given by name, on the same items; faster than one after the other.

    >>> results = score_all({"a": ["the cat sat"], "b": ["a cat"]}, ["the cat sat"], metrics="rouge1")
    >>> [comparison["rouge1"].difference for comparison in compare_all(results["a"], [results["b"]])]
    [-0.6]
    """
    if not isinstance(systems, Mapping) or not systems:
        raise AssayError("score_all: give the systems by name, {'bart': outputs, ...}")
    scored = score_systems(
        list(systems.values()),
        choose(metrics, suite),
        names=list(systems),
        references=references,
        sources=sources,
        examples=examples,
        ci=ci,
        seed=seed,
        executor=choose_executor(workers, executor),
        **options,
    )
    return dict(zip(systems, scored, strict=True))
