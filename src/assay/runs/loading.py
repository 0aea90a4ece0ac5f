"""From files and Python's own data to items: outputs joined with what they are judged against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.records.items import Items
from assay.records.join import join
from assay.records.read import read_examples, read_outputs, read_references, read_sources
from assay.records.types import Data


def load_items(outputs: Data, references: Data | None = None, *, system: str | None = None, **options: Any) -> Items:
    """Outputs joined with whatever they are to be judged against; options as `load_all` has them."""
    (items,) = load_all([outputs], references, **options)
    return replace(items, system=system) if system else items


def load_all(
    outputs: Sequence[Data],
    references: Data | None = None,
    *,
    sources: Data | None = None,
    examples: Data | None = None,
    dataset: str | None = None,
    language: str | None = None,
    allow_missing: bool = False,
    skip_bad: bool = False,
    join_on: str | None = None,
) -> list[Items]:
    """The outputs of several systems, each joined with the same references, sources and examples."""
    options: dict[str, Any] = {"dataset": dataset, "skip_bad": skip_bad}
    # what has to be put together or changed is loaded; a large set of one file each can stay where it is
    given = sum(data is not None for data in (examples, references, sources))
    options["in_place"] = language is None and join_on is None and given == 1
    read = [read_outputs(each, **options) for each in outputs]
    files = [
        reader(data, **options)
        for reader, data in ((read_examples, examples), (read_references, references), (read_sources, sources))
        if data is not None
    ]
    return [join(each, *files, allow_missing=allow_missing, language=language, join_on=join_on) for each in read]
