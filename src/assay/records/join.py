"""Join outputs with examples, references and sources: by id, by a shared column, or by position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from assay.errors import AssayError
from assay.records.gem_ids import published_ids
from assay.records.id_column import Ids
from assay.records.items import Items
from assay.records.lazy_files import LazyRecords
from assay.records.positions import in_order_of_ids, off_by_one, written_otherwise
from assay.records.read import ExampleFile, OutputFile, stem_of
from assay.records.recognize import positions
from assay.records.shared_column import join_by_column
from assay.records.types import ANSWERABLE, NO, Example

T = TypeVar("T")
NO_COMMON = "No id is in both: name the examples that these outputs answer."


def join(
    outputs: OutputFile,
    *files: ExampleFile,
    allow_missing: bool = False,
    language: str | None = None,
    join_on: str | None = None,
    some_references: bool = False,
) -> Items:
    """Join outputs with any of examples, references and sources.

    Items are joined by id. If one side has no ids, they are joined by a column that both have, else by position.

    Args:
        outputs: Outputs of one system.
        files: Examples, references and sources; later files add what earlier ones lack.
        allow_missing: Score the common items if some ids are on one side only.
        language: Language of items that do not have one.
        join_on: Name of the column to join by.
        some_references: Accept references for some items only, for what does not read them.

    Raises:
        AssayError: Ids are repeated or unmatched, or lengths differ; the message names them.
    """
    if not len(outputs.ids):
        raise AssayError(f"{outputs.name}: no outputs. Add at least one.")
    _refuse_duplicates(outputs.name, outputs.ids, ', or name the systems in a field "system"')
    notes = [*outputs.notes, *(note for file in files for note in file.notes)]
    merged = _merge(files, outputs)
    if merged is None:
        if join_on:
            raise AssayError(f"--join-on {join_on}: there are no examples to join with. Add them with -e.")
        own = outputs.examples or [Example(id=id) for id in outputs.ids]
        merged = ExampleFile(list(own), outputs.has_ids, outputs.name, skipped=outputs.skipped)
    elif join_on or not (outputs.has_ids and merged.has_ids):
        outputs, merged = _by_column(outputs, merged, join_on, allow_missing, notes)
    texts, examples = _align(outputs, merged, allow_missing, notes)
    if language:
        examples = [_with(example, language=example.language or language) for example in examples]
    items = Items(
        _immutable(texts), _immutable(examples), outputs.system, tuple(notes),
        by_position=not (outputs.has_ids and merged.has_ids), numbered=not (outputs.has_ids or merged.has_ids),
    )  # fmt: skip
    return _with_references(items, merged.name, some_references)


def _immutable(records: Sequence[T]) -> Sequence[T]:
    return records if isinstance(records, LazyRecords) else tuple(records)


def join_parallel(files: Sequence[ExampleFile]) -> ExampleFile:
    """Join parallel files with one reference per item each, by id if they have ids, else by position.

    An empty line means that the file has no reference for this item.
    """
    merged = _combine(files, _add_references)
    return merged._replace(name=" and ".join(file.name for file in files))


def _merge(files: Sequence[ExampleFile], outputs: OutputFile) -> ExampleFile | None:
    """Merge examples, references and sources; later files add what earlier ones lack."""
    if not files:
        return None
    base = _combine(files, _overlay)
    if outputs.examples is not None and outputs.has_ids and base.has_ids:
        embedded = {example.id: example for example in outputs.examples}
        base = base._replace(
            examples=[_overlay(example, embedded.get(example.id, example), example.id) for example in base.examples]
        )
    return base


def _combine(files: Sequence[ExampleFile], combine: Callable[[Example, Example, str], Example]) -> ExampleFile:
    base = files[0]
    _refuse_duplicates(base.name, base.ids)
    for other in files[1:]:
        _refuse_duplicates(other.name, other.ids)
        if base.has_ids and other.has_ids:
            by_id = {example.id: example for example in other.examples}
            _refuse_unknown((example.id for example in base.examples), by_id, base.name, other.name)
            pairs = [(example, by_id[example.id]) for example in base.examples]
            skipped = base.skipped
        else:
            left, right = _by_position(base, len(base.examples), other)
            pairs = [(base.examples[i], other.examples[k]) for i, k in zip(left, right, strict=True)]
            skipped = tuple(sorted({*base.skipped, *other.skipped}))
        ids = [(a if base.has_ids or not other.has_ids else b).id for a, b in pairs]
        examples = [combine(a, b, id) for (a, b), id in zip(pairs, ids, strict=True)]
        base = ExampleFile(examples, base.has_ids or other.has_ids, base.name, skipped=skipped)
    return base


def _by_column(
    outputs: OutputFile, examples: ExampleFile, on: str | None, allow_missing: bool, notes: list[str]
) -> tuple[OutputFile, ExampleFile]:
    """Return outputs and examples in one order with the same ids if they share a column; else both unchanged."""
    records = examples.records
    if on is None and isinstance(records, LazyRecords):
        return outputs, examples
    names = (outputs.name, examples.name)
    matches = join_by_column(outputs.columns or {}, records, on, names=names, allow_missing=allow_missing)
    if matches is None:
        return outputs, examples
    if len(matches.outputs) < len(outputs.ids):
        left = len(outputs.ids) - len(matches.outputs)
        notes.append(_unknown(left, f"a {matches.column}", examples.name))
    if len(matches.examples) < len(records):
        missing = len(records) - len(matches.examples)
        notes.append(_not_scored(outputs.name, missing, len(records)))
    notes += matches.notes
    chosen = [records[k] for k in matches.examples]
    ids = [example.id for example in chosen]
    texts = [outputs.texts[i] for i in matches.outputs]
    matched = outputs._replace(ids=ids, texts=texts, has_ids=True, examples=None, skipped=())
    return matched, ExampleFile(chosen, True, examples.name)


def _align(
    outputs: OutputFile, examples: ExampleFile, allow_missing: bool, notes: list[str]
) -> tuple[Sequence[str], Sequence[Example]]:
    if not (outputs.has_ids and examples.has_ids):
        left, right = _by_position(outputs, len(outputs.ids), examples)
        if outputs.has_ids != examples.has_ids:
            _refuse_other_order(outputs, examples, left, right)
            without = outputs.name if examples.has_ids else examples.name
            notes.append(f"{without} has no ids: items were joined by position")
        texts, records = _take(outputs.texts, left), _take(examples.records, right)
        if outputs.has_ids:
            records = [_with(example, id=outputs.ids[i]) for i, example in zip(left, records, strict=True)]
        return texts, records
    ids = examples.ids
    if outputs.ids == ids:
        return outputs.texts, examples.records
    if not isinstance(examples.records, LazyRecords) and not set(ids).issuperset(outputs.ids):
        item_of = published_ids(outputs.ids, examples.records, (outputs.name, examples.name))
        if item_of:
            outputs = outputs._replace(ids=[item_of.get(id, id) for id in outputs.ids])
            counts = Counter(outputs.ids)
            repeated = next((id for id, item in item_of.items() if counts[item] > 1), None)
            if repeated:
                raise AssayError(
                    f"{outputs.name}: {repeated} is item {item_of[repeated]}, which is repeated. Keep one."
                )
            notes.append(f"{outputs.name} has GEM ids: they were resolved to the positions of items in their split")
    index_of = {id: i for i, id in enumerate(outputs.ids)}
    known = set(ids)
    unknown = [id for id in outputs.ids if id not in known]
    missing = [id for id in ids if id not in index_of]
    if off_by_one(outputs.ids, ids):
        raise AssayError(
            f"{outputs.name} and {examples.name}: ids differ by one ({outputs.ids[0]} and {ids[0]} are first). "
            "Count both from 0 or both from 1."
        )
    if len(unknown) == len(outputs.ids) and (pair := written_otherwise(unknown, ids)):
        raise AssayError(
            f"{outputs.name} and {examples.name}: ids are written differently ({pair[0]} and {pair[1]}). "
            "Write them alike."
        )
    if unknown and not allow_missing:
        common = len(unknown) < len(outputs.ids)
        raise AssayError(
            f"{outputs.name}: {_count(unknown, 'id')} not in {examples.name}: {_first(unknown)}. "
            + ("Correct the ids, or score the common items with --allow-missing." if common else NO_COMMON)
        )
    output = f"output of {outputs.system}" if outputs.system != stem_of(outputs.name) else "output"  # one of several
    if missing and not allow_missing:
        raise AssayError(
            f"{outputs.name}: no {output} for {_count(missing, 'id')} of {examples.name}: {_first(missing)}. "
            "Add the outputs, or score the common items with --allow-missing."
        )
    if unknown:
        notes.append(_unknown(len(unknown), "an id", examples.name))
    if missing:
        notes.append(_not_scored(outputs.name, len(missing), len(ids), output))
    kept = [k for k, id in enumerate(ids) if id in index_of]
    if not kept:
        raise AssayError(f"{outputs.name} and {examples.name} have no ids in common. Check that they belong together.")
    return _take(outputs.texts, [index_of[ids[k]] for k in kept]), _take(examples.records, kept)


def _refuse_other_order(outputs: OutputFile, examples: ExampleFile, left: list[int], right: list[int]) -> None:
    """Raise AssayError if lines without ids are in the order of the ids of the other file, not of its lines."""
    if isinstance(outputs.texts, LazyRecords) or isinstance(examples.records, LazyRecords):
        return
    texts = [outputs.texts[i] for i in left]
    records = [examples.records[k] for k in right]
    references = [(one.references or (one.source or "",))[0] for one in records]
    named, bare = (outputs.name, examples.name) if outputs.has_ids else (examples.name, outputs.name)
    ids = [outputs.ids[i] for i in left] if outputs.has_ids else [one.id for one in records]
    first, second = (texts, references) if outputs.has_ids else (references, texts)
    if in_order_of_ids(ids, first, second):
        raise AssayError(
            f"{bare} has no ids, and its lines are in the order of the ids of {named}, not of its lines "
            f"({', '.join(ids[:3])}, …). Sort {named} by id, or add ids to {bare}."
        )


def _by_position(file: OutputFile | ExampleFile, count: int, other: ExampleFile) -> tuple[list[int], list[int]]:
    """Return the indices of matching items of two files; a line that was left out of one has no match in the other."""
    skipped, other_skipped = len({each.position for each in file.skipped}), len({e.position for e in other.skipped})
    _same_length(file, count + skipped, other, len(other.records) + other_skipped)
    if not skipped and not other_skipped:
        return list(range(count)), list(range(count))
    index_of = {position: i for i, position in enumerate(positions(count, file.skipped))}
    pairs = [
        (index_of[position], k)
        for k, position in enumerate(positions(len(other.records), other.skipped))
        if position in index_of
    ]
    if not pairs:
        raise AssayError(f"{file.name} and {other.name}: no item is readable in both. Repair the unreadable lines.")
    return [i for i, _ in pairs], [k for _, k in pairs]


def _take(records: Sequence[T], chosen: list[int]) -> Sequence[T]:
    if len(chosen) == len(records) and chosen == list(range(len(records))):
        return records
    if isinstance(records, LazyRecords):
        return records.take(np.array(chosen, dtype=np.int64))
    return [records[k] for k in chosen]


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
        contexts=under.contexts or over.contexts,
        messages=under.messages or over.messages,
        expected=under.expected if under.expected is not None else over.expected,
    )


def _add_references(left: Example, right: Example, id: str) -> Example:
    references = tuple(text for text in (*left.references, *right.references) if text.strip())
    return _with(_overlay(left, right, id), references=references or left.references)


def _with(example: Example, **changes: Any) -> Example:
    from msgspec.structs import replace as replace_struct

    return replace_struct(example, **changes)


def _with_references(items: Items, name: str, some: bool) -> Items:
    """Return items of which all or none have references, unless `some` may. The reference of an unanswerable question
    is empty.

    Raises:
        AssayError: Other items lack references that some have: the file is incomplete.
    """
    counts = items.reference_counts
    if not counts.any() or counts.all():
        return items
    lacking = [(one, count == 0) for one, count in zip(items.examples, counts.tolist(), strict=True)]
    bare = [one.id for one, lacks in lacking if lacks and one.tags.get(ANSWERABLE, "").lower() not in NO]
    if bare and some:
        return items
    if bare:
        raise AssayError(
            f"{name}: {_count(bare, 'item')} without references, while others have some: {_first(bare)}. "
            "Add references, leave these items out, or choose metrics that need none with -m."
        )
    return replace(items, examples=tuple(_with(one, references=("",)) if lacks else one for one, lacks in lacking))


def _not_scored(name: str, missing: int, items: int, output: str = "output") -> str:
    return f"{name}: no {output} for {missing} of {items} items; not scored"


def _same_length(file: OutputFile | ExampleFile, count: int, other: ExampleFile, others: int) -> None:
    """Check that two files have the same number of items, unreadable lines included."""
    if count == others:
        return
    if not other.has_ids and {len(example.references) for example in other.records} == {count}:
        raise AssayError(
            f"{other.name}: looks transposed: {len(other.records)} lists of {count} texts for {count} outputs. "
            "Give one list of references per output."
        )
    if file.has_ids != other.has_ids:
        sides = (file.name, _number(count, "item")), (other.name, _number(others, "item"))
        (bare, few), (named, many) = sides[::-1] if file.has_ids else sides
        raise AssayError(
            f'{bare} has {few} and no ids, but {named} has {many}. Add an "id" to every entry of {bare}, '
            f"or write one entry for every item of {named}."
        )
    header = f" If {file.name} starts with a header, use known column names." if count == others + 1 else ""
    raise AssayError(
        f"{file.name} has {_number(count, 'item')} but {other.name} has {others}, and neither has ids. "
        f"Write one line or list entry per output, or add ids to both.{header}"
    )


def _refuse_duplicates(name: str, ids: Sequence[str], or_else: str = "") -> None:
    if not ids.distinct if isinstance(ids, Ids) else len(set(ids)) < len(ids):
        repeated = [id for id, count in Counter(ids).items() if count > 1]
        raise AssayError(
            f"{name}: {_count(repeated, 'id')} more than once: {_first(repeated)}. Keep one of each{or_else}."
        )


def _refuse_unknown(ids: Iterable[str], known: dict[str, Example], name: str, other: str) -> None:
    unknown = [id for id in ids if id not in known]
    if unknown:
        raise AssayError(f"{other}: no entry for {_count(unknown, 'id')} of {name}: {_first(unknown)}. Add them.")


def _unknown(count: int, what: str, examples: str) -> str:
    have, were = ("output has", "was") if count == 1 else ("outputs have", "were")
    return f"{count} {have} {what} that is not in {examples} and {were} not scored"


def _count(ids: Sequence[str], noun: str) -> str:
    return _number(len(ids), noun)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


def _first(ids: Sequence[str], shown: int = 10) -> str:
    return ", ".join(ids[:shown]) + (f" … and {len(ids) - shown} more" if len(ids) > shown else "")
