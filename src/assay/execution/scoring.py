"""Score outputs: load, join, measure, and keep the run in a folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.execution.imported_scores import ImportedScores, add_scores, with_scores
from assay.execution.measure import Measured, measure, measure_together
from assay.execution.request import ScoreRequest
from assay.metrics import MetricRequest
from assay.records.items import Items
from assay.records.read import OutputFile
from assay.records.remote import is_url
from assay.records.types import Data
from assay.results.index import ItemIndex, index_of, select
from assay.results.notes import Notes
from assay.results.reference_digest import ReferenceDigest
from assay.results.result import Result
from assay.stats.interval import check_resampling

if TYPE_CHECKING:
    from assay.inputs.marked import MarkedTexts
    from assay.store.run_folder import RunFolder


class Scored(NamedTuple):
    """Scored items with their result."""

    items: Items
    result: Result


def score_outputs(outputs: Data, request: ScoreRequest, save: str | PathLike[str] | None = None) -> Scored:
    """Load, join and score the outputs of one system, and keep the run in the folder `save`, if one is named."""
    if is_url(save):
        from assay.records.mirror import mirrored

        with mirrored(str(save)) as folder:
            return score_outputs(outputs, request, folder)
    (scored,) = score_each([outputs], request, [Path(save)] if save else None)
    return scored


def score_each(
    outputs: Sequence[Data | OutputFile], request: ScoreRequest, folders: Sequence[Path] | None = None
) -> list[Scored]:
    """Score the outputs of several systems one by one, each kept in its own folder, if folders are named.

    A run that is kept has all items, whatever conditions `request.only` has.
    """
    check_resampling(request.ci, request.resampling_seed)
    loaded = request.load(outputs)
    scores = request.imported_scores()
    requests, loaded = request.for_items(loaded)
    scored = []
    for place, items in enumerate(loaded):
        items = replace(items, system=request.system) if request.system else items
        if request.marked:
            items = _rewritten(items, request.marked)
        folder = _run_folder(folders[place], items, request) if folders else None
        result = score_items(
            items, requests, ci=request.ci, seed=request.resampling_seed, executor=request.executor, folder=folder,
            cluster=request.cluster, command=request.command, scores=scores, alone=len(loaded) == 1,
        )  # fmt: skip
        if request.only and not folder:
            result = chosen_items(items, result, request.only, requests, request.executor)
        scored.append(Scored(items, result))
    return scored


def _run_folder(path: Path, items: Items, request: ScoreRequest) -> RunFolder:
    from assay.store.run_folder import RunFolder

    return RunFolder(path, items, force=request.force, shared_examples=request.shared_examples)


def _rewritten(items: Items, marked: MarkedTexts) -> Items:
    """Return the items with their marked texts as they are scored; errors name the id."""

    def rewritten(rewrite: Callable[[str], str], id: str, *texts: str) -> tuple[str, ...]:
        try:
            return tuple(map(rewrite, texts))
        except AssayError as error:
            raise AssayError(f"id {id}: {error}") from None

    outputs = tuple(rewritten(marked.output, id, text)[0] for id, text in zip(items.ids, items.outputs, strict=True))
    notes = (*items.notes, *marked.notes(items.system, items.ids, items.outputs, items.references))
    items = replace(items, outputs=outputs, treatment=marked.treatment, notes=notes)
    if not marked.references:
        return items
    changed = (
        msgspec.structs.replace(one, references=rewritten(marked.reference, one.id, *one.references))
        for one in items.examples
    )
    return replace(items, examples=tuple(changed))


def score_systems(
    outputs: Sequence[Data | OutputFile], request: ScoreRequest, names: Sequence[str] | None = None
) -> list[Result]:
    """Score the outputs of several systems on the same items, together where possible: faster than one by one."""
    check_resampling(request.ci, request.resampling_seed)
    systems = request.load(outputs)
    if names is not None:
        systems = [replace(items, system=name) for items, name in zip(systems, names, strict=True)]
    requests, systems = request.for_items(systems)
    measured = measure_together(systems, requests, executor=request.executor)
    results: list[Result] = []
    for items, own in zip(systems, measured, strict=True):
        same = bool(results) and items.examples == systems[0].examples
        index = results[0].index if same else index_of(items)
        results.append(_result(items, own, index, request.ci, request.resampling_seed, request.cluster))
    results = with_scores(results, request.imported_scores())
    if request.only:
        pairs = zip(systems, results, strict=True)
        results = [chosen_items(items, result, request.only, requests, request.executor) for items, result in pairs]
    return results


def score_items(
    items: Items,
    requests: Sequence[MetricRequest],
    *,
    ci: int = 0,
    seed: int = 0,
    cluster: str | None = None,
    executor: Executor = SERIAL,
    folder: RunFolder | None = None,
    command: list[str] | None = None,
    scores: Sequence[ImportedScores] = (),
    alone: bool = True,
) -> Result:
    """Score joined items; with a folder, store and reuse statistics. `alone`: no other system is scored."""
    check_resampling(ci, seed)
    with folder or nullcontext():
        measured = measure(items, requests, executor=executor, store=folder)
        if scores:
            chosen_result, notes = add_scores(scores, items.system, items.ids, alone)
            measured.computed.extend(chosen_result)
            items = replace(items, notes=(*items.notes, *notes))
            for each in chosen_result:
                if folder:
                    folder.put(each.metric.stored_as(), each.rows)
        result = _result(items, measured, index_of(items), ci, seed, cluster)
        if folder and measured.computed:
            folder.finish(result, _command_line() if command is None else command)
    return result


def chosen_items(
    items: Items, result: Result, conditions: Sequence[str], requests: Sequence[MetricRequest], executor: Executor
) -> Result:
    """Return the result of the items that meet all conditions. A metric that was skipped for all items, because of
    unsupported languages, is tried on these."""
    chosen = select(result.index, tuple(conditions))
    chosen_result = result.take(chosen)
    tried = {id(m.request) for m in chosen_result.measurements} | {each.metric for each in chosen_result.failed}
    again = [wanted for wanted in requests if id(wanted) not in tried and str(wanted.spec) not in tried]
    if not again:
        return chosen_result
    some = replace(
        items, outputs=tuple(items.outputs[k] for k in chosen), examples=tuple(items.examples[k] for k in chosen)
    )
    measured = measure(some, again, executor=executor)
    notes = Notes(replace(some, notes=()), [measurement.metric for measurement in measured.computed])
    return replace(
        chosen_result,
        measurements=(*chosen_result.measurements, *measured.computed),
        skipped=tuple(measured.skipped),
        failed=(*chosen_result.failed, *measured.failed),
        notes=tuple(dict.fromkeys([*chosen_result.notes, *notes])) if measured.computed else chosen_result.notes,
    )


def _command_line() -> list[str]:
    """Return the command line without options that do not affect results: executor and progress."""
    words, skip = ["assay", *sys.argv[1:]], ("--workers", "--engine", "--progress")
    after = [False, *(word in skip for word in words)]
    return [word for word, value in zip(words, after, strict=False) if not value and word.partition("=")[0] not in skip]


def _result(items: Items, measured: Measured, index: ItemIndex, ci: int, seed: int, cluster: str | None) -> Result:
    result = Result(
        system=items.system,
        index=index,
        measurements=tuple(measured.computed),
        skipped=tuple(measured.skipped),
        failed=tuple(measured.failed),
        notes=Notes(items, [measurement.metric for measurement in measured.computed]),
        ci=ci,
        seed=seed,
        digest=ReferenceDigest(items),
        numbered=items.numbered,
        texts=items,
    ).clustered(cluster)
    _ = result.kinds  # an unknown field is an error now, not when intervals are computed
    return result
