"""Who may read the references and inputs of a task: everyone, users who are signed in, or only organisers.

What the audience of a bundle may not read is removed from its examples; ids, languages, splits and tags remain. Scores,
confidence intervals and comparisons follow from the stored statistics without them, apart from statistics that contain
the texts themselves: these are left out, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import msgspec

from assay.benchmark.manifest import BenchmarkManifest, Task
from assay.metrics import resolve
from assay.records.types import Example
from assay.store.run_manifest import RunManifest

Audience = Literal["public", "signed-in"]
LEVELS = ("public", "signed-in", "hidden")
"""From the most to the least open."""
NOT_TEST = re.compile(r"(^|_)(train|training|valid|validation|val|dev|development)($|_)")
"""Names of tasks that are not on a test split."""
WITHHELD = "without statistics, which contain texts that the benchmark does not show: no tests and no subsets"


class Visibility(NamedTuple):
    """Who may read the references and the inputs of a task."""

    references: str
    inputs: str


def visibility(manifest: BenchmarkManifest, task: Task) -> Visibility:
    """Return the visibility of a task.

    Default: hidden for a test split with held-back metrics, as anyone with its references could compute them; public
    otherwise. A challenge set is at least as hidden as the task that it was made from.
    """
    default = "hidden" if task.held_back and not NOT_TEST.search(task.name) else "public"
    own = Visibility(task.show_references or default, task.show_inputs or default)
    if not task.parent:
        return own
    parent = visibility(manifest, manifest.task(task.parent))
    return Visibility(*(max(pair, key=LEVELS.index) for pair in zip(own, parent, strict=True)))


def stated(manifest: BenchmarkManifest) -> list[Task]:
    """Return the tasks with their visibility written out."""
    return [
        msgspec.structs.replace(task, show_references=level.references, show_inputs=level.inputs)
        for task in manifest.tasks
        for level in [visibility(manifest, task)]
    ]


def has_more(manifest: BenchmarkManifest) -> bool:
    """Return whether users who are signed in may read more than everyone."""
    return any("signed-in" in visibility(manifest, task) for task in manifest.tasks)


def is_whole(level: Visibility, audience: Audience) -> bool:
    """Return whether an audience may read everything of a task."""
    return all(LEVELS.index(each) <= LEVELS.index(audience) for each in level)


def readable(examples: Iterable[Example], level: Visibility, audience: Audience) -> Iterator[Example]:
    """Yield the examples without what an audience may not read."""
    references, inputs = (LEVELS.index(each) <= LEVELS.index(audience) for each in level)
    for example in examples:
        yield Example(
            id=example.id,
            references=example.references if references else (),
            source=example.source if inputs else None,
            input=example.input if inputs else None,
            language=example.language,
            split=example.split,
            parent=example.parent,
            tags=example.tags,
            contexts=example.contexts if inputs else (),
            messages=example.messages if inputs else (),
            expected=example.expected if references else None,
        )


def withheld_metrics(manifest: RunManifest, level: Visibility, audience: Audience) -> dict[str, str]:
    """Return the metrics of a run whose statistics an audience may not read, with the reason: they contain references
    or inputs, as words or as vectors from which texts can be found."""
    references, inputs = (LEVELS.index(each) > LEVELS.index(audience) for each in level)
    hidden = {"references"} if references else set()
    if inputs:
        hidden |= {"sources", "inputs", "messages"}
    kept = {entry["spec"]: resolve([entry["spec"]])[0].metric.texts_in_rows for entry in manifest["metrics"]}
    return {spec: WITHHELD for spec, texts in kept.items() if hidden & set(texts)}
