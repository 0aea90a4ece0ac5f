"""Outputs beside what they are judged against: by id where there are ids, by position only when lengths agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from assay.errors import AssayError
from assay.records.gem_ids import published_ids
from assay.records.id_column import Ids
from assay.records.items import Items
from assay.records.lazy_files import LazyRecords
from assay.records.read import ExampleFile, OutputFile
from assay.records.recognize import positions
from assay.records.shared_column import join_by_column
from assay.records.types import Example

T = TypeVar("T")


def join(
    outputs: OutputFile,
    *files: ExampleFile,
    allow_missing: bool = False,
    language: str | None = None,
    join_on: str | None = None,
) -> Items:
    """One `Items` from an outputs file and any of examples, references and sources. Where one side has no ids they are
    joined by a column that both have (`join_on` names one), else by position."""
    if not len(outputs.ids):
        raise AssayError(f"{outputs.name}: no outputs in it")
    _refuse_duplicates(outputs.name, outputs.ids, ", or name their systems in a column or field called system")
    notes = [*outputs.notes, *(note for file in files for note in file.notes)]
    merged = _merge(files, outputs)
    if merged is None:
        if join_on:
            raise AssayError(f"--join-on {join_on}: there are no examples to join with; give them with -e")
        own = outputs.examples or [Example(id=id) for id in outputs.ids]
        merged = ExampleFile(list(own), outputs.has_ids, outputs.name, skipped=outputs.skipped)
    elif join_on or not (outputs.has_ids and merged.has_ids):
        outputs, merged = _by_column(outputs, merged, join_on, allow_missing, notes)
    texts, examples = _align(outputs, merged, allow_missing, notes)
    if language:
        examples = [_with(example, language=example.language or language) for example in examples]
    items = Items(_held(texts), _held(examples), outputs.system, tuple(notes))
    _check_references(items, merged.name)
    return items


def _held(records: Sequence[T]) -> Sequence[T]:
    return records if isinstance(records, LazyRecords) else tuple(records)


def join_parallel(files: Sequence[ExampleFile]) -> ExampleFile:
    """Files that each hold one reference per item, side by side: by id where they have ids, else line by line.

    An empty line says that its file has no reference for this item.
    """
    merged = _laid_together(files, _side_by_side)
    return merged._replace(name=" and ".join(file.name for file in files))


def _merge(files: Sequence[ExampleFile], outputs: OutputFile) -> ExampleFile | None:
    """Examples, references and sources laid over each other; later files fill what earlier ones leave open."""
    if not files:
        return None
    base = _laid_together(files, _overlay)
    if outputs.examples is not None and outputs.has_ids and base.has_ids:
        embedded = {example.id: example for example in outputs.examples}
        base = base._replace(
            examples=[_overlay(example, embedded.get(example.id, example), example.id) for example in base.examples]
        )
    return base


def _laid_together(files: Sequence[ExampleFile], together: Callable[[Example, Example, str], Example]) -> ExampleFile:
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
        examples = [together(a, b, id) for (a, b), id in zip(pairs, ids, strict=True)]
        base = ExampleFile(examples, base.has_ids or other.has_ids, base.name, skipped=skipped)
    return base


def _by_column(
    outputs: OutputFile, examples: ExampleFile, on: str | None, allow_missing: bool, notes: list[str]
) -> tuple[OutputFile, ExampleFile]:
    """Both in one order and with the same ids, where they have a column in common; else as they are."""
    records = examples.records
    if on is None and isinstance(records, LazyRecords):
        return outputs, examples
    names = (outputs.name, examples.name)
    found = join_by_column(outputs.columns or {}, records, on, names=names, allow_missing=allow_missing)
    if found is None:
        return outputs, examples
    if len(found.outputs) < len(outputs.ids):
        left = len(outputs.ids) - len(found.outputs)
        notes.append(_unknown(left, f"a {found.column}", examples.name))
    if len(found.examples) < len(records):
        notes.append(f"{len(records) - len(found.examples)} of {len(records)} items have no output and were not scored")
    notes += found.notes
    chosen = [records[k] for k in found.examples]
    ids = [example.id for example in chosen]
    texts = [outputs.texts[i] for i in found.outputs]
    moved = outputs._replace(ids=ids, texts=texts, has_ids=True, examples=None, skipped=())
    return moved, ExampleFile(chosen, True, examples.name)


def _align(
    outputs: OutputFile, examples: ExampleFile, allow_missing: bool, notes: list[str]
) -> tuple[Sequence[str], Sequence[Example]]:
    if not (outputs.has_ids and examples.has_ids):
        left, right = _by_position(outputs, len(outputs.ids), examples)
        if outputs.has_ids != examples.has_ids:
            without = outputs.name if examples.has_ids else examples.name
            notes.append(f"{without} has no ids, so items were joined by position")
        texts, records = _take(outputs.texts, left), _take(examples.records, right)
        if outputs.has_ids:
            records = [_with(example, id=outputs.ids[i]) for i, example in zip(left, records, strict=True)]
        return texts, records
    ids = examples.ids
    if outputs.ids == ids:
        return outputs.texts, examples.records
    if not isinstance(examples.records, LazyRecords) and not set(ids).issuperset(outputs.ids):
        meant = published_ids(outputs.ids, examples.records, (outputs.name, examples.name))
        if meant:
            outputs = outputs._replace(ids=[meant.get(id, id) for id in outputs.ids])
            counts = Counter(outputs.ids)
            again = next((id for id, item in meant.items() if counts[item] > 1), None)
            if again:
                raise AssayError(f"{outputs.name}: {again} is {meant[again]}, which has another output; keep one")
            notes.append(f"{outputs.name} has GEM's ids, which name the place of an item in its split")
    places = {id: i for i, id in enumerate(outputs.ids)}
    known = set(ids)
    unknown = [id for id in outputs.ids if id not in known]
    missing = [id for id in ids if id not in places]
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
        notes.append(_unknown(len(unknown), "an id", examples.name))
    if missing:
        notes.append(f"{len(missing)} of {len(ids)} items have no output and were not scored")
    kept = [k for k, id in enumerate(ids) if id in places]
    if not kept:
        raise AssayError(f"{outputs.name} and {examples.name} have no id in common; check that they belong together")
    return _take(outputs.texts, [places[ids[k]] for k in kept]), _take(examples.records, kept)


def _by_position(file: OutputFile | ExampleFile, count: int, other: ExampleFile) -> tuple[list[int], list[int]]:
    """Where the items of two files stand that belong together: a line left out of one has no partner in the other."""
    skipped, other_skipped = len({each.position for each in file.skipped}), len({e.position for e in other.skipped})
    _same_length(file.name, count + skipped, other.name, other.records, other_skipped)
    if not skipped and not other_skipped:
        return list(range(count)), list(range(count))
    places = {position: i for i, position in enumerate(positions(count, file.skipped))}
    pairs = [
        (places[position], k)
        for k, position in enumerate(positions(len(other.records), other.skipped))
        if position in places
    ]
    if not pairs:
        raise AssayError(f"{file.name} and {other.name}: no item can be read in both; repair the unreadable lines")
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
    )


def _side_by_side(left: Example, right: Example, id: str) -> Example:
    written = tuple(text for text in (*left.references, *right.references) if text.strip())
    return _with(_overlay(left, right, id), references=written or left.references)


def _with(example: Example, **changes: Any) -> Example:
    from msgspec.structs import replace as replace_struct

    return replace_struct(example, **changes)


def _check_references(items: Items, name: str) -> None:
    """References for some items and not for others is a broken file, not a choice."""
    counts = items.reference_counts
    if counts.any() and not counts.all():
        bare = [id for id, count in zip(items.ids, counts.tolist(), strict=True) if not count]
        raise AssayError(
            f"{name}: {_count(bare, 'item')} without references while others have some: {_first(bare)}; "
            "add references or leave these items out"
        )


def _same_length(name: str, count: int, other_name: str, other: Sequence[Example], skipped: int) -> None:
    """Lengths of whole files: unreadable lines count."""
    if count == len(other) + skipped:
        return
    sizes = {len(example.references) for example in other}
    if sizes == {count}:
        raise AssayError(
            f"{other_name}: looks transposed: {len(other)} lists of {count} texts for {count} outputs; "
            "give one list of references per output"
        )
    header = (
        f"; if {name} begins with a header, give its columns names that are known"
        if count == len(other) + skipped + 1
        else ""
    )
    raise AssayError(
        f"{name} has {count} items but {other_name} has {len(other) + skipped}; without ids both must have the "
        f"same length (one line or list entry per output, references as one list per output){header}"
    )


def _refuse_duplicates(name: str, ids: Sequence[str], or_else: str = "") -> None:
    if not ids.distinct if isinstance(ids, Ids) else len(set(ids)) < len(ids):
        twice = [id for id, count in Counter(ids).items() if count > 1]
        raise AssayError(f"{name}: {_count(twice, 'id')} more than once: {_first(twice)}; keep one of each{or_else}")


def _refuse_unknown(ids: Iterable[str], known: dict[str, Example], name: str, other: str) -> None:
    unknown = [id for id in ids if id not in known]
    if unknown:
        raise AssayError(f"{other}: nothing for {_count(unknown, 'id')} of {name}: {_first(unknown)}; add them")


def _unknown(count: int, what: str, examples: str) -> str:
    have, were = ("output has", "was") if count == 1 else ("outputs have", "were")
    return f"{count} {have} {what} that {examples} does not know and {were} not scored"


def _count(ids: Sequence[str], noun: str) -> str:
    return f"{len(ids)} {noun}{'s' if len(ids) != 1 else ''}"


def _first(ids: Sequence[str], shown: int = 10) -> str:
    return ", ".join(ids[:shown]) + (f" … and {len(ids) - shown} more" if len(ids) > shown else "")
