"""Outputs beside what they are judged against: by id where there are ids, by position only when lengths agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.errors import AssayError
from assay.records.read import ExampleFile, OutputFile
from assay.records.types import Example


@dataclass(frozen=True)
class Items:
    """The outputs of one system with their examples, in the order of the examples; parallel tuples."""

    outputs: tuple[str, ...]
    examples: tuple[Example, ...]
    system: str = "system"
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What a person should know about how the items came together; one sentence each."""

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def ids(self) -> list[str]:
        return [example.id for example in self.examples]

    @property
    def references(self) -> list[tuple[str, ...]]:
        return [example.references for example in self.examples]

    @property
    def sources(self) -> list[str]:
        return [example.source or "" for example in self.examples]

    def has(self, need: str) -> bool:
        """Whether every item has `references`, a `source` or an `input`."""
        attribute = {"sources": "source", "inputs": "input"}.get(need, need)
        if attribute == "references":
            return all(example.references for example in self.examples)
        return all(getattr(example, attribute) is not None for example in self.examples)

    def shards(self, size: int) -> Iterator[Items]:
        """Cuts of at most `size` items; how work is divided never depends on how many workers there are."""
        for start in range(0, max(len(self), 1), size):
            cut = slice(start, start + size)
            yield replace(self, outputs=self.outputs[cut], examples=self.examples[cut], notes=())


def join(
    outputs: OutputFile,
    *files: ExampleFile,
    allow_missing: bool = False,
    language: str | None = None,
) -> Items:
    """One `Items` from an outputs file and any of examples, references and sources."""
    if not outputs.outputs:
        raise AssayError(f"{outputs.name}: no outputs in it")
    _refuse_duplicates(outputs.name, (output.id for output in outputs.outputs))
    notes: list[str] = []
    if outputs.skipped:
        notes.append(f"{outputs.skipped} unreadable lines of {outputs.name} were left out")
    merged = _merge(files, outputs)
    if merged is None:
        own = outputs.examples or [Example(id=output.id) for output in outputs.outputs]
        merged = ExampleFile(list(own), outputs.has_ids, outputs.name)
    texts, examples = _align(outputs, merged, allow_missing, notes)
    _check_references(examples, merged.name)
    if language:
        examples = [_with(example, language=example.language or language) for example in examples]
    return Items(tuple(texts), tuple(examples), outputs.system, tuple(notes))


def _merge(files: Sequence[ExampleFile], outputs: OutputFile) -> ExampleFile | None:
    """Examples, references and sources laid over each other; later files fill what earlier ones leave open."""
    if not files:
        return None
    base = files[0]
    _refuse_duplicates(base.name, (example.id for example in base.examples))
    for other in files[1:]:
        _refuse_duplicates(other.name, (example.id for example in other.examples))
        if base.has_ids and other.has_ids:
            by_id = {example.id: example for example in other.examples}
            _refuse_unknown((example.id for example in base.examples), by_id, base.name, other.name)
            pairs = [(example, by_id[example.id]) for example in base.examples]
        else:
            _same_length(base.name, len(base.examples), other.name, other.examples)
            pairs = list(zip(base.examples, other.examples, strict=True))
        ids = [(a if base.has_ids or not other.has_ids else b).id for a, b in pairs]
        examples = [_overlay(a, b, id) for (a, b), id in zip(pairs, ids, strict=True)]
        base = ExampleFile(examples, base.has_ids or other.has_ids, base.name)
    if outputs.examples is not None and outputs.has_ids and base.has_ids:
        embedded = {example.id: example for example in outputs.examples}
        base = base._replace(
            examples=[_overlay(example, embedded.get(example.id, example), example.id) for example in base.examples]
        )
    return base


def _align(
    outputs: OutputFile, examples: ExampleFile, allow_missing: bool, notes: list[str]
) -> tuple[list[str], list[Example]]:
    if not (outputs.has_ids and examples.has_ids):
        _same_length(outputs.name, len(outputs.outputs), examples.name, examples.examples)
        if outputs.has_ids != examples.has_ids:
            without = outputs.name if examples.has_ids else examples.name
            notes.append(f"{without} has no ids, so items were joined by position")
        texts = [output.output for output in outputs.outputs]
        if outputs.has_ids:
            named = zip(examples.examples, outputs.outputs, strict=True)
            return texts, [_with(example, id=output.id) for example, output in named]
        return texts, list(examples.examples)
    texts_by_id = {output.id: output.output for output in outputs.outputs}
    known = {example.id for example in examples.examples}
    unknown = [id for id in texts_by_id if id not in known]
    missing = [example.id for example in examples.examples if example.id not in texts_by_id]
    if unknown and not allow_missing:
        raise AssayError(
            f"{outputs.name}: {_count(unknown, 'id')} not in {examples.name}: {_first(unknown)}; "
            "correct the ids, or score the common items with --allow-missing"
        )
    if missing and not allow_missing:
        raise AssayError(
            f"{outputs.name}: no output for {_count(missing, 'id')} of {examples.name}: {_first(missing)}; "
            "add them, or score what is there with --allow-missing"
        )
    if unknown:
        notes.append(f"{len(unknown)} outputs have an id that {examples.name} does not know and were not scored")
    if missing:
        notes.append(f"{len(missing)} of {len(examples.examples)} items have no output and were not scored")
    kept = [example for example in examples.examples if example.id in texts_by_id]
    if not kept:
        raise AssayError(f"{outputs.name} and {examples.name} have no id in common; check that they belong together")
    return [texts_by_id[example.id] for example in kept], kept


def _overlay(under: Example, over: Example, id: str) -> Example:
    return Example(
        id=id,
        references=under.references or over.references,
        source=under.source if under.source is not None else over.source,
        input=under.input if under.input is not None else over.input,
        language=under.language or over.language,
        split=under.split or over.split,
        parent=under.parent or over.parent,
        tags={**over.tags, **under.tags},
    )


def _with(example: Example, **changes: Any) -> Example:
    from msgspec.structs import replace as replace_struct

    return replace_struct(example, **changes)


def _check_references(examples: Sequence[Example], name: str) -> None:
    """References for some items and not for others is a broken file, not a choice."""
    bare = [example.id for example in examples if not example.references]
    if bare and len(bare) < len(examples):
        raise AssayError(
            f"{name}: {_count(bare, 'item')} without references while others have some: {_first(bare)}; "
            "add references or leave these items out"
        )


def _same_length(name: str, count: int, other_name: str, other: Sequence[Example]) -> None:
    if count == len(other):
        return
    sizes = {len(example.references) for example in other}
    if sizes == {count}:
        raise AssayError(
            f"{other_name}: looks transposed: {len(other)} lists of {count} texts for {count} outputs; "
            "give one list of references per output"
        )
    raise AssayError(
        f"{name} has {count} items but {other_name} has {len(other)}; without ids both must have the same length "
        "(one line or list entry per output, references as one list per output)"
    )


def _refuse_duplicates(name: str, ids: Iterable[str]) -> None:
    twice = [id for id, count in Counter(ids).items() if count > 1]
    if twice:
        raise AssayError(f"{name}: {_count(twice, 'id')} more than once: {_first(twice)}; keep one of each")


def _refuse_unknown(ids: Iterable[str], known: dict[str, Example], name: str, other: str) -> None:
    unknown = [id for id in ids if id not in known]
    if unknown:
        raise AssayError(f"{other}: nothing for {_count(unknown, 'id')} of {name}: {_first(unknown)}; add them")


def _count(ids: Sequence[str], noun: str) -> str:
    return f"{len(ids)} {noun}{'s' if len(ids) != 1 else ''}"


def _first(ids: Sequence[str], shown: int = 10) -> str:
    return ", ".join(ids[:shown]) + (f" … and {len(ids) - shown} more" if len(ids) > shown else "")
