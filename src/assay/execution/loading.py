"""Load items: outputs joined with references, sources and examples, from files or Python data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast

from assay.errors import AssayError
from assay.records.items import Items
from assay.records.join import join, join_parallel
from assay.records.read import ExampleFile, OutputFile, read_outputs, read_references, read_sources, read_systems
from assay.records.read import read_examples as read_our_examples
from assay.records.types import Data, References
from assay.specs import did_you_mean

DATASET_NAME = re.compile(r"[A-Za-z]\w+")
"""What may be the name of a dataset before a colon: no drive, no folder."""


class ReadOptions(TypedDict):
    """How the files of one call are read."""

    dataset: str | None
    skip_bad: bool
    in_place: bool


def load_items(
    outputs: Data, references: References | None = None, *, system: str | None = None, **options: Any
) -> Items:
    """Load the outputs of one system; options as in `load_all`."""
    (items,) = load_all([outputs], references, system=system, **options)
    return replace(items, system=system) if system else items


def load_all(
    outputs: Sequence[Data | OutputFile],
    references: References | None = None,
    *,
    sources: Data | None = None,
    examples: Data | ExampleFile | None = None,
    dataset: str | None = None,
    language: str | None = None,
    allow_missing: bool = False,
    skip_bad: bool = False,
    join_on: str | None = None,
    system: str | None = None,
    some_references: bool = False,
) -> list[Items]:
    """Load the outputs of several systems, each joined with the same references, sources and examples; `system`
    selects one of files with several. With `some_references`, not all items need any."""
    # a large set with one file each can stay on disk; anything that is merged or changed is loaded
    files_given = [data for data in (examples, references, sources) if data is not None]
    in_place = language is None and join_on is None and len(files_given) == 1 and not _are_parallel(references)
    options: ReadOptions = {"dataset": dataset, "skip_bad": skip_bad, "in_place": in_place}
    read = [each if isinstance(each, OutputFile) else read_outputs(each, system=system, **options) for each in outputs]
    files = [] if examples is None else [read_examples(examples, **options)]
    if references is not None:
        files.append(_read_references(references, **options))
    if sources is not None:
        files.append(read_sources(sources, **options))
    own = _own_examples([*read, *_beside(outputs, system, **options)], files) or [files] * len(read)
    return [
        join(
            each,
            *mine,
            allow_missing=allow_missing,
            language=language,
            join_on=join_on,
            some_references=some_references,
        )
        for each, mine in zip(read, own[: len(read)], strict=True)
    ]


def _beside(
    outputs: Sequence[Data | OutputFile], system: str | None, **options: Unpack[ReadOptions]
) -> list[OutputFile]:
    """Return the other systems of files with several: their items are not missing."""
    files = [each for each in outputs if not isinstance(each, OutputFile)] if system else []
    return [
        each_system for file in files for each_system in read_systems(file, **options) if each_system.system != system
    ]


def _own_examples(outputs: Sequence[OutputFile], files: Sequence[ExampleFile]) -> list[list[ExampleFile]] | None:
    """Return the examples of each system if every item belongs to one system (judged summaries, `ARTICLE/SYSTEM`);
    items without any output are expected of all."""
    named = all(each.has_ids for each in outputs) and all(file.has_ids for file in files)
    if len(outputs) < 2 or not files or not named:
        return None
    answered = [id for each in outputs for id in each.ids]
    known = set(answered)
    if len(known) < len(answered) or any(file.stored is not None for file in files):
        return None
    examples_of = []
    for each in outputs:
        others = known.difference(each.ids)
        examples_of.append(
            [file._replace(examples=[one for one in file.examples if one.id not in others]) for file in files]
        )
    return examples_of


def _read_references(data: References, **options: Unpack[ReadOptions]) -> ExampleFile:
    if _are_parallel(data):
        return join_parallel([read_references(path, **options) for path in cast("Sequence[PathLike[str]]", data)])
    return read_references(cast("Data", data), **options)


def _are_parallel(data: References | None) -> bool:
    """Return whether references are paths of parallel files; a list of texts is not."""
    return isinstance(data, list | tuple) and len(data) > 0 and all(isinstance(each, PathLike) for each in data)


def read_examples(data: Data | ExampleFile, **options: Any) -> ExampleFile:
    """Read examples, or a published dataset as `web_nlg_en:FOLDER`."""
    if isinstance(data, str | PathLike) and not Path(data).exists():
        from assay.datasets import DATASETS, dataset

        name, _, path = fspath(data).rpartition(":")
        if name.partition(":")[0] in DATASETS:
            return read_our_examples(list(dataset(name).read(Path(path))))._replace(name=path)
        if DATASET_NAME.fullmatch(name):
            meant = did_you_mean(name, list(DATASETS))
            unknown = f"no such file, and no dataset called {name}{meant}"
            raise AssayError(f"{fspath(data)}: {unknown}. Check the path, or see `assay data list`.")
    return read_our_examples(data, **options)
