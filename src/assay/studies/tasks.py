"""Tasks from system outputs: the texts of all systems for one input, pairs of them, or groups of texts."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import msgspec

from assay.errors import AssayError
from assay.records import Example, Output
from assay.seeds import rng_for
from assay.studies.design import Design
from assay.studies.events import Task, Text
from assay.studies.kinds import kind_for, texts_per_task
from assay.studies.sampling import first_of_lengths, sample
from assay.studies.shown import missing_parts, placeholders, shown_source
from assay.text.sentences import split_sentences


@dataclass(frozen=True)
class TaskPlan:
    """The tasks of a study."""

    tasks: list[Task]
    inputs: int
    systems: list[str]
    notes: list[str]
    """What was left out, and why."""


OWN = "document"
"""Name of the system of texts that are no outputs: the examples themselves."""


def own_texts(examples: Sequence[Example]) -> list[Output]:
    """Return the examples as texts to annotate: the passage of a group of entities, else the source.

    Raises:
        AssayError: An example has neither.
    """
    texts = []
    for example in examples:
        text = str((example.input or {}).get("context") or example.source or "")
        if not text.strip():
            raise AssayError(f"id {example.id}: neither a source nor a passage to annotate")
        texts.append(Output(id=example.id, output=text, system=OWN))
    return texts


def plan_tasks(
    design: Design, outputs: Sequence[Output], examples: Sequence[Example] = (), stratify: str | None = None,
    choose: Callable[[list[str], int], list[str]] | None = None,
) -> TaskPlan:  # fmt: skip
    """Return the tasks of a study.

    Inputs that every system answered are sampled. A task has one text of each system for the same input, a pair of
    them, or a group of texts. A design with `sample.lengths` and different inputs for each system samples by length
    instead. An id such as `input/system` counts as the id of its input.

    Args:
        design: The design.
        outputs: Outputs of all systems.
        examples: The inputs, to be shown as sources.
        stratify: `length`, or a tag of the examples (default: simple random sample).
        choose: Draws a number of the inputs in another way.
    """
    texts: dict[str, dict[str, str]] = {}
    for output in outputs:
        name = output.system or "system"
        texts.setdefault(output.id.removesuffix(f"/{name}"), {})[name] = output.output
    systems = sorted({name for own in texts.values() for name in own})
    by_id = {example.id.removesuffix(f"/{example.tags.get('system')}"): example for example in examples}
    make = _text_maker(design, texts, by_id)
    if design.sample.lengths and not design.sample.shared:
        chosen = [make(id, name) for name in systems for id in _of_lengths(design, texts, name)]
        return TaskPlan(_with_overlap(design, _grouped(design, chosen)), len({text.id for text in chosen}), systems, [])
    common = [id for id, own in texts.items() if len(own) == len(systems)]
    notes = []
    if len(common) < len(texts):
        notes.append(f"{len(texts) - len(common)} inputs are left out: not every system has an output for them")
    if not common:
        raise AssayError("no input has outputs of all systems; check that their ids match")
    wanted = design.sample.items
    if wanted is not None and wanted < len(common):
        if choose is not None:
            common = choose(common, wanted)
        else:
            common = sample(common, wanted, design.seed, _stratum(stratify, by_id, texts))
    elif choose is not None:
        raise AssayError(f"{len(common)} inputs, and the design judges all of them: lower sample.items to draw some")
    elif wanted is not None and wanted > len(common):
        notes.append(f"the design has {wanted} inputs; only {len(common)} are available")
    missing = missing_parts(design, [by_id.get(id) for id in common])
    notes += [f"{each}; pass --examples that have it" for each in missing]
    notes += _empty(common, texts, systems)
    size = texts_per_task(design.questions)
    if size is not None and len(systems) < size:
        raise AssayError(f"tasks of {size} texts need at least {size} systems; there are {len(systems)}")
    if size is None and design.sample.groups is not None and design.sample.by_source:
        tasks = [task for id in common for task in _by_source(design, id, [make(id, name) for name in systems])]
    elif size is None and design.sample.groups is not None:
        tasks = _grouped(design, [make(id, name) for id in common for name in systems])
    else:
        tasks = [
            Task(_task_id(id, group, systems), group, shown_source(design, by_id.get(id)))
            for id in common
            for group in combinations([make(id, name) for name in systems], size or len(systems))
        ]
    tasks = [_without_repetition(task) for task in tasks]
    return TaskPlan(_with_overlap(design, tasks), len(common), systems, notes)


def _empty(ids: Sequence[str], texts: Mapping[str, Mapping[str, str]], systems: Sequence[str]) -> list[str]:
    """Return a note for each system with empty texts: annotators cannot judge them, and they reveal the system."""
    counts = {name: sum(not texts[id][name].strip() for id in ids) for name in systems}
    return [
        f"{name}: {count:,} of {len(ids):,} texts are empty, and are shown as they are"
        for name, count in counts.items()
        if count
    ]


def _without_repetition(task: Task) -> Task:
    """Return a task whose source is not shown twice where it is itself the text to annotate."""
    same = len(task.texts) == 1 and task.texts[0].text.strip() == task.source.strip()
    return msgspec.structs.replace(task, source="") if same else task


def _task_id(id: str, group: Sequence[Text], systems: Sequence[str]) -> str:
    return id if len(group) == len(systems) else f"{id}/{'+'.join(text.system for text in group)}"


def _text_maker(
    design: Design, texts: Mapping[str, Mapping[str, str]], examples: Mapping[str, Example]
) -> Callable[[str, str], Text]:
    """Return a function that makes a text, with its own source if sources differ, and sentences if they are judged."""
    by_sentence = any(kind_for(question).by_sentence for question in design.questions)

    def make(id: str, system: str) -> Text:
        text = texts[id][system]
        example = examples.get(id)
        source = shown_source(design, example) if design.sample.groups is not None else ""
        language = design.language or (example.language if example else None)
        sentences = tuple(split_sentences(text, language=language)) if by_sentence else ()
        return Text(id, system, text, source, sentences, placeholders(example, design.language))

    return make


def _grouped(design: Design, texts: Sequence[Text]) -> list[Task]:
    """Return random groups of `sample.groups` texts; the last group may be smaller."""
    size = design.sample.groups or 1
    shuffled = rng_for(design.seed, "groups", len(texts)).sample(list(texts), len(texts))
    return [
        Task(f"group-{number + 1}", tuple(shuffled[start : start + size]))
        for number, start in enumerate(range(0, len(shuffled), size))
    ]


def _by_source(design: Design, id: str, texts: Sequence[Text]) -> list[Task]:
    """Return the texts of one source in as few groups of at most `sample.groups` as possible, of nearly equal size."""
    count = math.ceil(len(texts) / (design.sample.groups or 1))
    shuffled = rng_for(design.seed, "groups", id).sample(list(texts), len(texts))
    groups = [shuffled[number::count] for number in range(count)]
    return [
        Task(
            id if count == 1 else f"{id}/{number + 1}",
            tuple(msgspec.structs.replace(text, source="") for text in group),
            texts[0].source,
        )
        for number, group in enumerate(groups)
    ]


def _of_lengths(design: Design, texts: Mapping[str, Mapping[str, str]], system: str) -> list[str]:
    """Return the first texts of a system of exactly each length in `sample.lengths`."""
    lengths = design.sample.lengths
    each = (design.sample.items or len(lengths)) // len(lengths)
    own = [id for id, by_system in texts.items() if system in by_system]
    try:
        return first_of_lengths(own, lengths, each, lambda id: len(texts[id][system].split()))
    except AssayError as why:
        raise AssayError(f"{system}: {why}") from None


def _with_overlap(design: Design, tasks: list[Task]) -> list[Task]:
    """Mark `presentation.overlap` random tasks as tasks for every annotator."""
    shared = min(design.presentation.overlap, len(tasks))
    chosen = set(rng_for(design.seed, "overlap").sample(range(len(tasks)), shared))
    return [
        msgspec.structs.replace(task, overlap=True) if number in chosen else task for number, task in enumerate(tasks)
    ]


def _stratum(
    stratify: str | None, examples: Mapping[str, Example], texts: Mapping[str, Mapping[str, str]]
) -> Callable[[str], Hashable] | None:
    """Return the stratum of an input: quartile of its length in words (`length`), or a tag of its example."""
    if stratify is None:
        return None
    if stratify != "length":
        missing = next((id for id in texts if stratify not in getattr(examples.get(id), "tags", {})), None)
        if missing is not None:
            raise AssayError(f"{missing}: its example has no tag '{stratify}'; add it, or use --stratify length")
        return lambda id: examples[id].tags[stratify]

    def words(id: str) -> int:
        source = examples[id].source if id in examples else None
        return len((source or " ".join(texts[id].values())).split())

    lengths = sorted(map(words, texts))
    cuts = [lengths[len(lengths) * quarter // 4] for quarter in (1, 2, 3)]
    return lambda id: bisect_right(cuts, words(id))


def blinded(task: Task, order: Iterable[int]) -> list[str]:
    """Return the texts and checks of a task in the order of one annotator, without system names."""
    return [task.shown_at(number).text for number in order]
