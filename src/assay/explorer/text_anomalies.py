"""Implausible texts in a collection of results: rows that are misaligned, damaged, empty, leaked or copied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assay.errors import AssayError
from assay.explorer.anomalies import Anomaly
from assay.explorer.texts import read_records
from assay.metrics.checks.implausible import find_implausible
from assay.records import Example, Items, Output
from assay.store.library import DatasetResults, Library, Run
from assay.store.run_manifest import EXAMPLES

OUTPUTS = "outputs.jsonl"


def text_anomalies(library: Library, known: Sequence[Anomaly], problems: list[str]) -> list[Anomaly]:
    """Return the anomalies of the texts of all runs.

    Args:
        library: Opened results; those without texts are left out.
        known: Anomalies of scores: systems with equal scores are not reported again as copies.
        problems: Gets a sentence for each file that cannot be read.
    """
    equal = {(each.dataset, frozenset(each.systems)) for each in known if each.kind == "equal"}
    listed = []
    for dataset in library.datasets.values():
        for each in find_implausible(list(_systems(dataset, problems))):
            same = any(dataset.name == name and systems.issuperset(each.systems) for name, systems in equal)
            if each.kind != "copy" or not same:
                listed.append(Anomaly(each.kind, dataset.name, "", each.systems, (), each.problem))
    return listed


def _systems(dataset: DatasetResults, problems: list[str]) -> Iterator[Items]:
    """Yield the outputs of every system with their examples, in the order of the examples."""
    shared = _read(dataset, dataset.name, EXAMPLES, problems)
    for system, run in dataset.runs.items():
        place = f"{dataset.name}/{system}"
        examples: list[Example] = _read(run, place, EXAMPLES, problems) or shared
        outputs: list[Output] = _read(run, place, OUTPUTS, problems)
        texts = {output.id: output.output for output in outputs}
        scored = tuple(example for example in examples if example.id in texts)
        if scored:
            yield Items(tuple(texts[example.id] for example in scored), scored, system)


def _read(place: DatasetResults | Run, name: str, file: str, problems: list[str]) -> list[Any]:
    kind = Output if file == OUTPUTS else Example
    try:
        return read_records(place, file, kind) or []
    except AssayError as error:
        problems.append(f"{name}/{file} is damaged ({error}); its texts are not checked")
        return []
