"""The calls most people need: `assay.score` and `assay.compare`, and both for many systems at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.results.compare import compare, compare_all
from assay.results.result import Result
from assay.runs.loading import load_all, load_items
from assay.runs.scoring import Metrics, choose, score_items, score_together
from assay.runs.store import RunFolder

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
    items = load_items(
        outputs,
        references,
        sources=sources,
        examples=examples,
        dataset=dataset,
        language=language,
        allow_missing=allow_missing,
        skip_bad=skip_bad,
        system=system,
    )
    folder = RunFolder(Path(save), items, force=force) if save else None
    return score_items(items, choose(metrics, suite), ci=ci, seed=seed, workers=workers, folder=folder)


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
    **options: Any,
) -> dict[str, Result]:
    """Score several systems, given by name, on the same items; faster than one after the other.

    >>> results = score_all({"a": ["the cat sat"], "b": ["a cat"]}, ["the cat sat"], metrics="rouge1")
    >>> [comparison["rouge1"].difference for comparison in compare_all(results["a"], [results["b"]])]
    [-0.6]
    """
    if not isinstance(systems, Mapping) or not systems:
        raise AssayError("score_all: give the systems by name, {'bart': outputs, ...}")
    items = load_all(list(systems.values()), references, sources=sources, examples=examples, **options)
    named = [replace(each, system=name) for each, name in zip(items, systems, strict=True)]
    scored = score_together(named, choose(metrics, suite), ci=ci, seed=seed, workers=workers)
    return dict(zip(systems, scored, strict=True))
