"""Tasks from outputs: the texts of all systems for one input, or pairs of them; names stay hidden."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from assay.errors import AssayError
from assay.records import Example, Output
from assay.seeds import chance
from assay.studies.design import Design
from assay.studies.events import Task, Text
from assay.studies.sampling import sample


@dataclass(frozen=True)
class Plan:
    """The tasks of a study, and what was left out for it."""

    tasks: list[Task]
    inputs: int
    systems: list[str]
    notes: list[str]


def plan_tasks(
    design: Design, outputs: Sequence[Output], examples: Sequence[Example] = (), stratify: str | None = None
) -> Plan:
    """Tasks for a design: inputs that every system answered, sampled, and for pairs every two systems of each."""
    answers: dict[str, dict[str, str]] = {}
    for output in outputs:
        answers.setdefault(output.id, {})[output.system or "system"] = output.output
    systems = sorted({name for given in answers.values() for name in given})
    common = [id for id, given in answers.items() if len(given) == len(systems)]
    notes = []
    if len(common) < len(answers):
        notes.append(f"{len(answers) - len(common)} inputs are left out: not every system answered them")
    if not common:
        raise AssayError("there is no input that all systems answered")
    wanted = design.sample.items
    by_id = {example.id: example for example in examples}
    if wanted is not None and wanted < len(common):
        common = sample(common, wanted, design.seed, _stratum(stratify, by_id, answers))
    elif wanted is not None and wanted > len(common):
        notes.append(f"{wanted} inputs are wanted and there are {len(common)}")
    kinds = {question.kind for question in design.questions}
    if "pairwise" in kinds and len(systems) < 2:
        raise AssayError("pairs need at least two systems")
    tasks: list[Task] = []
    for id in common:
        source = by_id[id].source or "" if id in by_id else ""
        texts = [Text(id, name, answers[id][name]) for name in systems]
        groups = combinations(texts, 2) if "pairwise" in kinds else [texts]
        for group in map(tuple, groups):
            name = id if len(group) == len(texts) else f"{id}/{'+'.join(text.system for text in group)}"
            tasks.append(Task(name, group, source))
    return Plan(_with_overlap(design, tasks), len(common), systems, notes)


def _with_overlap(design: Design, tasks: list[Task]) -> list[Task]:
    """Some tasks, drawn once, are for everybody."""
    shared = min(design.presentation.overlap, len(tasks))
    chosen = set(chance(design.seed, "overlap").sample(range(len(tasks)), shared))
    return [
        Task(task.id, task.texts, task.source, overlap=True) if place in chosen else task
        for place, task in enumerate(tasks)
    ]


def _stratum(
    stratify: str | None, examples: Mapping[str, Example], answers: Mapping[str, Mapping[str, str]]
) -> Callable[[str], Hashable] | None:
    """`length`: quartiles of the words of sources (or of all outputs, without sources); else a tag of the examples."""
    if stratify is None:
        return None
    if stratify != "length":
        missing = next((id for id in answers if stratify not in getattr(examples.get(id), "tags", {})), None)
        if missing is not None:
            raise AssayError(f"{missing}: its example has no tag '{stratify}' to stratify by")
        return lambda id: examples[id].tags[stratify]

    def words(id: str) -> int:
        source = examples[id].source if id in examples else None
        return len((source or " ".join(answers[id].values())).split())

    lengths = sorted(map(words, answers))
    cuts = [lengths[len(lengths) * quarter // 4] for quarter in (1, 2, 3)]
    return lambda id: bisect_right(cuts, words(id))


def blinded(task: Task, order: Iterable[int]) -> list[str]:
    """The texts as one person sees them, without a word of who wrote them."""
    texts = [*(text.text for text in task.texts), *(check.text for check in task.checks)]
    return [texts[number] for number in order]
