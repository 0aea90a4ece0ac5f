"""Asking a system about many examples: in batches of like length, kept as they come (`journal`), resumed after a stop.

A call with the same system, seed and examples goes on from OUT.part, or finds OUT finished and leaves it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from assay.errors import AssayError
from assay.progress import track
from assay.records import Example, digest_of, to_json, write_scored
from assay.systems.base import System, candidates_of, spent
from assay.systems.journal import Journal, Row
from assay.systems.judge import Asker, Judge
from assay.systems.sampling import set_sizes, set_statistics

Ask = Callable[[Sequence[Example]], Iterable[Row]]


class Done(NamedTuple):
    """What there is after the work."""

    rows: list[Row]
    reused: int
    """Answers that were there before."""
    seconds: float
    usage: dict[str, Any]


def generate(system: System, examples: Sequence[Example], out: Path, *, name: str = "", force: bool = False) -> Done:
    """A text for every example, as an outputs file."""
    label = name or system.spec or system.name

    def ask(batch: Sequence[Example]) -> Iterator[Row]:
        for answer in system.generate(batch):
            yield {"id": answer.id, "output": answer.text, "system": label, **answer.details}

    return _work(system, "generate", examples, out, ask, label, force)


def lists(system: System, examples: Sequence[Example], out: Path, *, name: str = "", force: bool = False) -> Done:
    """Every text that a system has for an example (its beams), with scores, as one output; one text has no score."""
    label = name or system.spec or system.name

    def ask(batch: Sequence[Example]) -> Iterator[Row]:
        for answer in system.generate(batch):
            listed = answer.details.get("nbest")
            output = write_scored(*zip(*listed, strict=True)) if listed else " ".join(answer.text.split())
            yield {"id": answer.id, "output": output, "system": label, **spent(answer.details)}

    return _work(system, "list", examples, out, ask, label, force)


def rank(
    system: System, examples: Sequence[Example], out: Path, *, name: str = "", force: bool = False,
    normalize: str = "mean",
) -> Done:  # fmt: skip
    """A score for every candidate of every example; systems without `classify` rank by likelihood."""
    label = name or system.spec or system.name
    for example in examples:
        candidates_of(example)  # a list without gold is refused before anything is paid for

    def ask(batch: Sequence[Example]) -> Iterator[Row]:
        candidates = [candidates_of(example)[0] for example in batch]
        for example, texts, scores in zip(
            batch, candidates, candidate_scores(system, batch, candidates, normalize), strict=True
        ):
            yield {"id": example.id, "output": write_scored(texts, scores), "scores": scores, "system": label}

    return _work(system, f"rank {normalize}", examples, out, ask, label, force)


def candidate_scores(
    system: System, examples: Sequence[Example], candidates: Sequence[Sequence[str]], normalize: str = "mean"
) -> Iterator[list[float]]:
    """By `classify` where a system can, else by likelihood: exp of the mean (end token included) or of the sum."""
    if "classify" in system.abilities:
        yield from system.classify(examples, candidates)
        return
    from math import exp

    for scored in system.logprob(examples, candidates, [""] * len(examples)):
        yield [exp(value.mean()) if normalize == "mean" else value.sum(end=True) for value in scored]


def choose(
    system: System, examples: Sequence[Example], out: Path, *, name: str = "", force: bool = False,
    normalize: str = "sum",
) -> Done:  # fmt: skip
    """Which of two continuations a system finds likelier after the prefix; end token not counted."""
    label = name or system.spec or system.name
    for example in examples:
        choice_of(example)

    def ask(batch: Sequence[Example]) -> Iterator[Row]:
        given = [choice_of(example) for example in batch]
        pairs = [(one["positive"], one["negative"]) for one in given]
        for example, texts, scored in zip(
            batch, pairs, system.logprob(batch, pairs, [one["prefix"] for one in given]), strict=True
        ):
            scores = [value.sum() if normalize == "sum" else value.mean(end=False) for value in scored]
            notes = sorted({note for value in scored for note in value.notes})
            yield {
                "id": example.id,
                "output": write_scored(texts, scores),
                "correct": scores[0] > scores[1],
                "margin": scores[0] - scores[1],
                "system": label,
                **({"notes": notes} if notes else {}),
            }

    return _work(system, f"choose {normalize}", examples, out, ask, label, force)


def judge(judge: Judge, asker: System, items: Sequence[Example], out: Path, *, force: bool = False) -> Done:
    """A judge's verdict on every item (`Judge.items`); those that could not be read have no value."""
    if not hasattr(asker, "reply"):
        raise AssayError(f"system {asker.name} cannot judge: it does not chat; use chat:MODEL or hf:MODEL")
    speaker = cast(Asker, asker)

    def ask(batch: Sequence[Example]) -> Iterator[Row]:
        return (msgspec.to_builtins(verdict) for verdict in judge.verdicts(speaker, batch))

    task = f"judge {judge.criterion} {judge.scale[0]:g}-{judge.scale[1]:g} by {judge.name} {digest_of(*judge.prompt)}"
    return _work(asker, task, items, out, ask, judge.name, force)


def choice_of(example: Example) -> dict[str, Any]:
    """The prefix and the two continuations of an instance."""
    given = example.input or {}
    if given.get("kind") != "choice" or not all(
        isinstance(given.get(k), str) for k in ("prefix", "positive", "negative")
    ):
        raise AssayError(f"id {example.id}: no choice; `input` needs kind choice, prefix, positive and negative")
    if not given["positive"].strip() or not given["negative"].strip():
        raise AssayError(f"id {example.id}: an empty continuation cannot be chosen")
    return given


def _work(system: System, task: str, examples: Sequence[Example], out: Path, ask: Ask, label: str, force: bool) -> Done:
    start = time.monotonic()
    why_not = system.why_not()
    if why_not:
        raise AssayError(f"system {system.spec or system.name}: {why_not}")
    if len({example.id for example in examples}) < len(examples):
        raise AssayError("two examples have the same id; answers could not be told apart")
    header = {"by": digest_of(task, label, system.fingerprint(), list(examples)), "task": task, "system": system.spec}
    journal = Journal(out, header, [example.id for example in examples], force)
    answered = journal.finished()
    if len(answered) == len(examples):
        return Done([answered[id] for id in journal.ids], len(answered), 0.0, {})
    answered |= journal.resumed()
    system.recall(answered.values())
    reused = len(answered)
    pending = sorted((e for e in examples if e.id not in answered), key=lambda e: -len(e.source or ""))
    size = max(1, system.batch)
    batches = [pending[i : i + size] for i in range(0, len(pending), size)]
    out.parent.mkdir(parents=True, exist_ok=True)
    wanted = set(journal.ids)
    try:
        with journal.part.open("a", encoding="utf-8") as kept:
            if not kept.tell():
                kept.write(to_json(header, indent=None) + "\n")
            for batch in track(batches, f"{system.name} {task}", len(batches)):
                for row in ask(batch):
                    if row["id"] not in wanted:
                        raise AssayError(f"{system.spec}: answered about id {row['id']}, which was not asked")
                    answered[row["id"]] = row
                    kept.write(to_json(row, indent=None) + "\n")
                    kept.flush()
    except AssayError as error:
        kept_so_far = f"; {len(answered)} of {len(examples)} answers are kept, the same command goes on from there"
        raise AssayError(f"{error}{kept_so_far}" if answered else str(error)) from error
    missing = [id for id in journal.ids if id not in answered]
    if missing:
        raise AssayError(f"{system.spec}: gave no answer for {len(missing)} items, {missing[0]} first; run it again")
    rows = [answered[id] for id in journal.ids]
    seconds = time.monotonic() - start
    sizes = set_sizes(rows)
    usage = system.usage() | ({"sampling_set": set_statistics(sizes)} if sizes else {})
    journal.finish(rows, {"options": system.options(), "seconds": round(seconds, 3), **usage})
    return Done(rows, reused, seconds, usage)
