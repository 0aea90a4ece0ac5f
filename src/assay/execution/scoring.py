"""From outputs to results: loaded, joined, kept in a run folder if one is named, measured."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.execution.imported_scores import ImportedScores, add_scores, read_scores, with_scores
from assay.execution.loading import load_all
from assay.execution.measure import Measured, measure, measure_together
from assay.metrics import MetricRequest, resolve, resolve_suite
from assay.records.digests import FileDigest
from assay.records.items import Items
from assay.records.mirror import mirrored
from assay.records.read import OutputFile
from assay.records.remote import is_url
from assay.records.types import Data
from assay.results.index import index_of, select
from assay.results.notes import Notes
from assay.results.reference_digest import ReferenceDigest
from assay.results.result import Result
from assay.stats.interval import check_resampling
from assay.store.run_folder import RunFolder

Metrics = str | Sequence[str] | None


def choose(metrics: Metrics, suite: str | None = None) -> list[MetricRequest]:
    """The metrics asked for; the default suite when nothing is."""
    if metrics is not None and suite is not None:
        raise AssayError("give metrics or a suite, not both")
    if metrics is None:
        return resolve_suite(suite or "default")
    requests = resolve(metrics if isinstance(metrics, str) else list(metrics))
    if not requests:
        raise AssayError("no metric named; see `assay metric list`")
    return requests


class Scored(NamedTuple):
    """What was scored, and what came out."""

    items: Items
    result: Result


def score_outputs(
    outputs: Data,
    requests: Sequence[MetricRequest],
    *,
    ci: int = 0,
    seed: int = 0,
    executor: Executor = SERIAL,
    save: str | PathLike[str] | None = None,
    force: bool = False,
    shared_examples: FileDigest | None = None,
    command: list[str] | None = None,
    rewrite: Callable[[str], str] | None = None,
    rewrite_references: bool = False,
    scores: Sequence[Data] = (),
    better: Mapping[str, str] | None = None,
    **data: Any,
) -> Scored:
    """Load, join and score the outputs of one system, and keep the run in the folder `save` if there is one.

    `data` is what they are judged against, as `load_items` takes it; `rewrite` is done to each output before, and to
    each reference if told; `scores` are files of scores made elsewhere, which are put beside ours; `better` says of
    their columns which way is.
    """
    if is_url(save):
        with mirrored(str(save)) as folder:
            return score_outputs(
                outputs, requests, ci=ci, seed=seed, executor=executor, save=folder, force=force,
                shared_examples=shared_examples, command=command, rewrite=rewrite,
                rewrite_references=rewrite_references, scores=scores, better=better, **data,
            )  # fmt: skip
    (scored,) = score_each(
        [outputs], requests, ci=ci, seed=seed, executor=executor, force=force, shared_examples=shared_examples,
        command=command, rewrite=rewrite, rewrite_references=rewrite_references, scores=scores, better=better,
        folders=[Path(save)] if save else None, **data,
    )  # fmt: skip
    return scored


def score_each(
    outputs: Sequence[Data | OutputFile],
    requests: Sequence[MetricRequest],
    *,
    ci: int = 0,
    seed: int = 0,
    executor: Executor = SERIAL,
    folders: Sequence[Path] | None = None,
    force: bool = False,
    shared_examples: FileDigest | None = None,
    command: list[str] | None = None,
    rewrite: Callable[[str], str] | None = None,
    rewrite_references: bool = False,
    scores: Sequence[Data] = (),
    better: Mapping[str, str] | None = None,
    system: str | None = None,
    only: Sequence[str] = (),
    **data: Any,
) -> list[Scored]:
    """As `score_outputs`, of the outputs of several systems, each with a folder of its own if there are any. `only`
    are conditions that chosen items meet; a run that is kept is one of all items."""
    check_resampling(ci, seed)
    loaded = load_all(outputs, system=system, **data)
    given = [read_scores(each, dataset=data.get("dataset"), better=better) for each in scores]
    done = []
    for place, items in enumerate(loaded):
        items = replace(items, system=system) if system else items
        if rewrite:
            items = _rewritten(items, rewrite, rewrite_references)
        folder = RunFolder(folders[place], items, force=force, shared_examples=shared_examples) if folders else None
        result = score_items(
            items, requests, ci=ci, seed=seed, executor=executor, folder=folder, command=command, scores=given,
            alone=len(loaded) == 1,
        )  # fmt: skip
        if only and not folder:
            result = chosen_items(items, result, only, requests, executor)
        done.append(Scored(items, result))
    return done


def _rewritten(items: Items, rewrite: Callable[[str], str], references: bool) -> Items:
    items = replace(items, outputs=tuple(map(rewrite, items.outputs)))
    if not references:
        return items
    changed = (msgspec.structs.replace(one, references=tuple(map(rewrite, one.references))) for one in items.examples)
    return replace(items, examples=tuple(changed))


def score_systems(
    outputs: Sequence[Data | OutputFile],
    requests: Sequence[MetricRequest],
    *,
    names: Sequence[str] | None = None,
    ci: int = 0,
    seed: int = 0,
    executor: Executor = SERIAL,
    scores: Sequence[Data] = (),
    better: Mapping[str, str] | None = None,
    only: Sequence[str] = (),
    **data: Any,
) -> list[Result]:
    """Load, join and score the outputs of several systems on the same items, together where they can be; of the items
    that meet the conditions `only`, if there are any."""
    check_resampling(ci, seed)
    systems = load_all(outputs, **data)
    if names is not None:
        systems = [replace(items, system=name) for items, name in zip(systems, names, strict=True)]
    measured = measure_together(systems, requests, executor=executor)
    given = [read_scores(each, dataset=data.get("dataset"), better=better) for each in scores]
    results: list[Result] = []
    for items, own in zip(systems, measured, strict=True):
        same = bool(results) and items.examples == systems[0].examples
        results.append(_result(items, own, results[0].index if same else index_of(items), ci, seed))
    results = with_scores(results, given)
    if only:
        pairs = zip(systems, results, strict=True)
        results = [chosen_items(items, result, only, requests, executor) for items, result in pairs]
    return results


def score_items(
    items: Items,
    requests: Sequence[MetricRequest],
    *,
    ci: int = 0,
    seed: int = 0,
    executor: Executor = SERIAL,
    folder: RunFolder | None = None,
    command: list[str] | None = None,
    scores: Sequence[ImportedScores] = (),
    alone: bool = True,
) -> Result:
    """Score what is already joined; with a folder, store and reuse statistics. `alone`: no system is scored beside."""
    check_resampling(ci, seed)
    with folder or nullcontext():
        measured = measure(items, requests, executor=executor, store=folder)
        if scores:
            found, notes = add_scores(scores, items.system, items.ids, alone)
            measured.computed.extend(found)
            items = replace(items, notes=(*items.notes, *notes))
            for each in found:
                if folder:
                    folder.put(each.metric.stored_as(), each.rows)
        result = _result(items, measured, index_of(items), ci, seed)
        if folder and measured.computed:
            folder.finish(result, _said() if command is None else command)
    return result


def chosen_items(
    items: Items, result: Result, conditions: Sequence[str], requests: Sequence[MetricRequest], executor: Executor
) -> Result:
    """The result of the items that meet all conditions. A metric that could not take all items, some being in a
    language that it does not read, may be able to take these."""
    chosen = select(result.index, tuple(conditions))
    found = result.take(chosen)
    tried = {id(m.request) for m in found.measurements} | {each.metric for each in found.failed}
    again = [asked for asked in requests if id(asked) not in tried and str(asked.spec) not in tried]
    if not again:
        return found
    some = replace(
        items, outputs=tuple(items.outputs[k] for k in chosen), examples=tuple(items.examples[k] for k in chosen)
    )
    measured = measure(some, again, executor=executor)
    notes = Notes(replace(some, notes=()), [measurement.metric for measurement in measured.computed])
    return replace(
        found,
        measurements=(*found.measurements, *measured.computed),
        skipped=tuple(measured.skipped),
        failed=(*found.failed, *measured.failed),
        notes=tuple(dict.fromkeys([*found.notes, *notes])) if measured.computed else found.notes,
    )


def _said() -> list[str]:
    """The command as it was given, without what changes nothing: where the work was done, and who was watching."""
    words, told = ["assay", *sys.argv[1:]], ("--workers", "--engine", "--progress")
    after = [False, *(word in told for word in words)]
    return [word for word, value in zip(words, after, strict=False) if not value and word.partition("=")[0] not in told]


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
        digest=ReferenceDigest(items),
    )
