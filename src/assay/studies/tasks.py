"""Tasks from outputs: the texts of all systems for one input, or pairs of them; names stay hidden."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from assay.errors import AssayError
from assay.records import Example, Output, kind_of, kinds, read_input
from assay.seeds import rng_for
from assay.studies.design import Design
from assay.studies.events import Task, Text
from assay.studies.kinds import kind_for, texts_per_task
from assay.studies.sampling import first_of_lengths, sample
from assay.text.sentences import split_sentences

NUMBERS = "no one two three four five six seven eight nine".split()
TYPES = {"person": "people", "location": "areas", "org": "organizations"}
"""What TESA's annotators read for each type."""


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
    """Tasks for a design: inputs that every system answered, sampled; those of one input together, in pairs, or in
    groups drawn from all. A design with lengths and inputs of their own for each system draws by length instead. An id
    like `input/system`, as datasets of judged outputs have it, is that of its input."""
    answers: dict[str, dict[str, str]] = {}
    for output in outputs:
        name = output.system or "system"
        answers.setdefault(output.id.removesuffix(f"/{name}"), {})[name] = output.output
    systems = sorted({name for given in answers.values() for name in given})
    by_id = {example.id.removesuffix(f"/{example.tags.get('system')}"): example for example in examples}
    make = _text_maker(design, answers, by_id)
    if design.sample.lengths and not design.sample.shared:
        texts = [make(id, name) for name in systems for id in _of_lengths(design, answers, name)]
        return Plan(_with_overlap(design, _packed(design, texts)), len({text.id for text in texts}), systems, [])
    common = [id for id, given in answers.items() if len(given) == len(systems)]
    notes = []
    if len(common) < len(answers):
        notes.append(f"{len(answers) - len(common)} inputs are left out: not every system answered them")
    if not common:
        raise AssayError("there is no input that all systems answered")
    wanted = design.sample.items
    if wanted is not None and wanted < len(common):
        common = sample(common, wanted, design.seed, _stratum(stratify, by_id, answers))
    elif wanted is not None and wanted > len(common):
        notes.append(f"{wanted} inputs are wanted and there are {len(common)}")
    together = texts_per_task(design.questions)
    if together is not None and len(systems) < together:
        raise AssayError(f"tasks of {together} texts need at least {together} systems; there are {len(systems)}")
    if together is None and design.sample.groups not in (None, len(systems)):
        tasks = _packed(design, [make(id, name) for id in common for name in systems])
    else:
        tasks = [
            Task(_name(id, group, systems), group, by_id[id].source or "" if id in by_id else "")
            for id in common
            for group in combinations([make(id, name) for name in systems], together or len(systems))
        ]
    return Plan(_with_overlap(design, tasks), len(common), systems, notes)


def _name(id: str, group: Sequence[Text], systems: Sequence[str]) -> str:
    return id if len(group) == len(systems) else f"{id}/{'+'.join(text.system for text in group)}"


def _text_maker(
    design: Design, answers: Mapping[str, Mapping[str, str]], examples: Mapping[str, Example]
) -> Callable[[str, str], Text]:
    """Texts with their sources where they do not share one, and with their sentences where these are judged."""
    apart = any(kind_for(question).by_sentence for question in design.questions)

    def make(id: str, system: str) -> Text:
        text = answers[id][system]
        example = examples.get(id)
        source = (example.source or "") if example and design.sample.groups is not None else ""
        language = design.language or (example.language if example else None)
        sentences = tuple(split_sentences(text, language=language)) if apart else ()
        return Text(id, system, text, source, sentences, gaps(example))

    return make


def gaps(example: Example | None) -> dict[str, str]:
    """What an example puts into the gaps of a question: of a group of entities their names, number and type."""
    if example is None or kind_of(example) != "entities":
        return {}
    given = read_input(example, kinds.Entities)
    *first, last = given.entities
    number = NUMBERS[len(given.entities)] if len(given.entities) < len(NUMBERS) else str(len(given.entities))
    names = f"{', '.join(first)} and {last}" if first else last
    return {"entities": names, "number": number, "type": TYPES.get(given.type or "", given.type or "entities")}


def _packed(design: Design, texts: Sequence[Text]) -> list[Task]:
    """Groups of texts drawn from all; the last may be smaller."""
    size = design.sample.groups or 1
    drawn = rng_for(design.seed, "groups", len(texts)).sample(list(texts), len(texts))
    return [
        Task(f"group-{number + 1}", tuple(drawn[start : start + size]))
        for number, start in enumerate(range(0, len(drawn), size))
    ]


def _of_lengths(design: Design, answers: Mapping[str, Mapping[str, str]], system: str) -> list[str]:
    """The first texts of a system of exactly each length, so many as make up its items."""
    lengths = design.sample.lengths
    each = (design.sample.items or len(lengths)) // len(lengths)
    own = [id for id, given in answers.items() if system in given]
    try:
        return first_of_lengths(own, lengths, each, lambda id: len(answers[id][system].split()))
    except AssayError as why:
        raise AssayError(f"{system}: {why}") from None


def _with_overlap(design: Design, tasks: list[Task]) -> list[Task]:
    """Some tasks, drawn once, are for everybody."""
    shared = min(design.presentation.overlap, len(tasks))
    chosen = set(rng_for(design.seed, "overlap").sample(range(len(tasks)), shared))
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
