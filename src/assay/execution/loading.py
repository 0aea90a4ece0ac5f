"""From files and Python's own data to items: outputs joined with what they are judged against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

from assay.datasets import DATASETS, dataset
from assay.records.items import Items
from assay.records.join import join, join_parallel
from assay.records.read import ExampleFile, OutputFile, read_outputs, read_references, read_sources, read_systems
from assay.records.read import read_examples as read_our_examples
from assay.records.types import Data, References


def load_items(
    outputs: Data, references: References | None = None, *, system: str | None = None, **options: Any
) -> Items:
    """Outputs joined with whatever they are to be judged against; options as `load_all` has them."""
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
) -> list[Items]:
    """The outputs of several systems, each joined with the same references, sources and examples; `system` is which
    one is meant of files that hold several."""
    options: dict[str, Any] = {"dataset": dataset, "skip_bad": skip_bad}
    # what has to be put together or changed is loaded; a large set of one file each can stay where it is
    given = [data for data in (examples, references, sources) if data is not None]
    options["in_place"] = language is None and join_on is None and len(given) == 1 and not _are_parallel(references)
    read = [each if isinstance(each, OutputFile) else read_outputs(each, system=system, **options) for each in outputs]
    files = [] if examples is None else [read_examples(examples, **options)]
    if references is not None:
        files.append(_read_references(references, **options))
    if sources is not None:
        files.append(read_sources(sources, **options))
    own = _own_examples([*read, *_beside(outputs, system, **options)], files) or [files] * len(read)
    options = {"allow_missing": allow_missing, "language": language, "join_on": join_on}
    return [join(each, *mine, **options) for each, mine in zip(read, own[: len(read)], strict=True)]


def _beside(outputs: Sequence[Data | OutputFile], system: str | None, **options: Any) -> list[OutputFile]:
    """The other systems of files of which one is meant: their items are not missing."""
    files = [each for each in outputs if not isinstance(each, OutputFile)] if system else []
    return [held for file in files for held in read_systems(file, **options) if held.system != system]


def _own_examples(outputs: Sequence[OutputFile], files: Sequence[ExampleFile]) -> list[list[ExampleFile]] | None:
    """Where every item is of one system alone (judged summaries, `ARTICLE/SYSTEM`), the examples of each; what no
    system has answered is asked of all."""
    named = all(each.has_ids for each in outputs) and all(file.has_ids for file in files)
    if len(outputs) < 2 or not files or not named:
        return None
    answered = [id for each in outputs for id in each.ids]
    known = set(answered)
    if len(known) < len(answered) or any(file.stored is not None for file in files):
        return None
    found = []
    for each in outputs:
        others = known.difference(each.ids)
        found.append([file._replace(examples=[one for one in file.examples if one.id not in others]) for file in files])
    return found


def _read_references(data: References, **options: Any) -> ExampleFile:
    if _are_parallel(data):
        return join_parallel([read_references(path, **options) for path in cast("Sequence[PathLike[str]]", data)])
    return read_references(cast("Data", data), **options)


def _are_parallel(data: References | None) -> bool:
    """Paths of files; a list of texts holds references, even where they look like paths."""
    return isinstance(data, list | tuple) and len(data) > 0 and all(isinstance(each, PathLike) for each in data)


def read_examples(data: Data | ExampleFile, **options: Any) -> ExampleFile:
    """Examples of ours, or of a dataset as it was published: `web_nlg_en:FOLDER` is read by the reader of that name."""
    if isinstance(data, str | PathLike) and not Path(data).exists():
        name, _, path = fspath(data).rpartition(":")
        if name.partition(":")[0] in DATASETS:
            return read_our_examples(list(dataset(name).read(Path(path))))._replace(name=path)
    return read_our_examples(data, **options)
