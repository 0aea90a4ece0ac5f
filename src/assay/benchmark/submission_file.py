"""The outputs of saved runs as a submission in GEM's layout."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.records.documents import JSONObject
from assay.records.items import Items
from assay.records.recognize import gem_name
from assay.store.library import Run, open_results


def submission_of(results: Sequence[Path]) -> JSONObject:
    """Return the submission of the one system that saved runs or results folders have.

    Raises:
        AssayError: There are no saved runs, they are of several systems, or the texts of one are missing or changed.
    """
    library = open_results(results)
    runs = [(dataset.name, run) for dataset in library.datasets.values() for run in dataset.runs.values()]
    if not runs:
        raise AssayError(f"{results[0]}: no saved runs with outputs; a submission is made of these")
    systems = list(dict.fromkeys(run.system for _, run in runs))
    if len(systems) > 1:
        raise AssayError(
            f"{results[0]}: runs of {', '.join(systems)}; a submission has one system. Give its folders, "
            f"{runs[0][1].folder} …"
        )
    tasks: JSONObject = {}
    for name, run in runs:
        key = gem_name(name)
        if key in tasks:
            raise AssayError(f"{run.folder}: another run on {key}; a submission answers each task once")
        tasks[key] = _task(run)
    return {"submission_name": systems[0], "tasks": tasks}


def _task(run: Run) -> JSONObject:
    items = _texts(run)
    languages = {example.language for example in items.examples}
    language = {"language": languages.pop()} if len(languages) == 1 and None not in languages else {}
    return {**language, "values": list(items.outputs), "keys": list(items.ids)}


def _texts(run: Run) -> Items:
    result = run.result
    items = result.texts() if result is not None and callable(result.texts) else None
    if items is None or (result is not None and len(items) != result.n):
        raise AssayError(f"{run.folder}: the outputs are missing or changed; generate or score them again")
    return items
