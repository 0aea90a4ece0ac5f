"""The calls most people need: `assay.score` and `assay.compare`, and both for many systems at once."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars

from assay.errors import AssayError
from assay.metrics import Request, resolve, resolve_suite
from assay.records import Items, join, read_examples, read_outputs, read_references, read_sources
from assay.results.compare import compare, compare_all
from assay.results.index import index_of
from assay.results.judged import Judged
from assay.results.measure import Measured, measure
from assay.results.notes import Notes
from assay.results.result import Result
from assay.results.store import RunFolder
from assay.results.together import measure_together
from assay.stats.interval import FEWEST_DRAWS

__all__ = [
    "choose",
    "compare",
    "compare_all",
    "load_all",
    "load_items",
    "score",
    "score_all",
    "score_items",
    "score_together",
]

Metrics = str | Sequence[str] | None


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


def load_items(outputs: Any, references: Any = None, *, system: str | None = None, **options: Any) -> Items:
    """Outputs joined with whatever they are to be judged against; options as `load_all` has them."""
    (items,) = load_all([outputs], references, **options)
    return replace(items, system=system) if system else items


def load_all(
    outputs: Sequence[Any],
    references: Any = None,
    *,
    sources: Any = None,
    examples: Any = None,
    dataset: str | None = None,
    language: str | None = None,
    allow_missing: bool = False,
    skip_bad: bool = False,
) -> list[Items]:
    """The outputs of several systems, each joined with the same references, sources and examples."""
    options: dict[str, Any] = {"dataset": dataset, "skip_bad": skip_bad}
    # what has to be put together or changed is loaded; a large set of one file each can stay where it is
    options["in_place"] = language is None and sum(data is not None for data in (examples, references, sources)) == 1
    read = [read_outputs(each, **options) for each in outputs]
    files = [
        reader(data, **options)
        for reader, data in ((read_examples, examples), (read_references, references), (read_sources, sources))
        if data is not None
    ]
    return [join(each, *files, allow_missing=allow_missing, language=language) for each in read]


def choose(metrics: Metrics, suite: str | None) -> list[Request]:
    """The metrics asked for; the default suite when nothing is."""
    if metrics is not None and suite is not None:
        raise AssayError("give metrics or a suite, not both")
    if metrics is None:
        return resolve_suite(suite or "default")
    requests = resolve(metrics if isinstance(metrics, str) else list(metrics))
    if not requests:
        raise AssayError("no metric named; `assay metrics` lists them all")
    return requests


def score_items(
    items: Items,
    requests: Sequence[Request],
    *,
    ci: int = 0,
    seed: int = 0,
    workers: int = 1,
    folder: RunFolder | None = None,
    command: list[str] | None = None,
) -> Result:
    """Score what is already joined; with a folder, store and reuse statistics."""
    _check(ci, workers)
    measured = measure(items, requests, workers=workers, cache=folder)
    result = _result(items, measured, index_of(items), ci, seed)
    if folder and measured.computed:
        folder.finish(result, ["assay", *sys.argv[1:]] if command is None else command)
    return result


def score_together(
    systems: Sequence[Items], requests: Sequence[Request], *, ci: int = 0, seed: int = 0, workers: int = 1
) -> list[Result]:
    """Score several systems that are already joined."""
    _check(ci, workers)
    measured = measure_together(systems, requests, workers=workers)
    results: list[Result] = []
    for items, own in zip(systems, measured, strict=True):
        same = bool(results) and items.examples == systems[0].examples
        results.append(_result(items, own, results[0].index if same else index_of(items), ci, seed))
    return results


def _check(ci: int, workers: int) -> None:
    if ci and ci < FEWEST_DRAWS:
        raise AssayError(f"ci={ci}: an interval takes at least {FEWEST_DRAWS} resamples, 1000 are usual; 0 for none")
    if workers < 1:
        raise AssayError(f"workers={workers}: at least one process is needed")


def _result(items: Items, measured: Measured, index: polars.DataFrame, ci: int, seed: int) -> Result:
    return Result(
        system=items.system,
        index=index,
        measurements=tuple(measured.computed),
        skipped=tuple(measured.skipped),
        failed=tuple(measured.failed),
        notes=Notes(items, [measurement.metric for measurement in measured.computed]),
        ci=ci,
        seed=seed,
        digest=Judged(items),
    )
