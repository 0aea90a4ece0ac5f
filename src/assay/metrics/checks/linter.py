"""Warnings about common mistakes in evaluation, where a score can be computed but would mislead."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from assay.metrics.checks.corruption import find_damage, take_sample
from assay.metrics.checks.language_mismatch import find_languages
from assay.metrics.checks.mismatch import find_mismatch
from assay.metrics.engine.base import Metric
from assay.metrics.engine.statistics import Rows, Tokens
from assay.records.items import Items
from assay.show.numbers import counted
from assay.text.blank import is_blank

CHECKED = 2_000
"""Number of items that are checked; a mistake in a file is nearly always in all of it."""
TOKENIZED = re.compile(r"\w (?:[.,;:!?]|'s|n't)(?: |$)")
SPECIAL = re.compile(
    r"\[unused\d+\]|\[(?:UNK|PAD|CLS|SEP|MASK)\]|<\|?(?:endoftext|startoftext|pad|unk|s|/s)\|?>|(?<= )##\w"
)
MARKS = np.isin(np.arange(256), list(b".,;:!?'"))
"""By byte: whether TOKENIZED accepts it after a space (n't aside)."""
MIN_OUTPUTS = 100
"""Below this many outputs, entropies and type counts mostly reflect the amount of text."""


def lint(items: Items, metrics: Sequence[Metric]) -> list[str]:
    """Return warnings about scoring these items with these metrics."""
    warnings: list[str] = []
    if len(items):
        warnings += _about_outputs(items)
        if any("references" in metric.needs for metric in metrics):
            warnings += _about_references(items)
            warnings += find_languages(items)
        warnings += _about_sizes(items, metrics)
    for metric in metrics:
        warnings += metric.notes(items)
    return list(dict.fromkeys(warnings))


def lint_damage(items: Items) -> list[str]:
    """Return warnings about damaged or misaligned outputs: system, items, and what to do."""
    return [*find_damage(take_sample(items)), *find_mismatch(items)] if len(items) else []


def _about_outputs(items: Items) -> Iterator[str]:
    texts = list(items.outputs[:CHECKED])
    of = f"of {'the first ' if len(items) > len(texts) else ''}{len(texts):,} outputs"
    empty = sum(map(is_blank, texts))
    if empty:
        yield f"{items.system}: {empty} {of} are empty and are scored as empty texts"
    together = "\n".join([*texts, "\n"])
    marks = [mark for mark in "[<#" if mark in together]
    marked = [text for text in texts if any(mark in text for mark in marks)] if marks else []
    special = [match.group() for match in map(SPECIAL.search, marked) if match]
    if special:
        yield (
            f"{items.system}: {len(special)} {of} contain special tokens ({special[0]}), which are scored as words; "
            "remove them and report it"
        )
    tokenized = sum(bool(TOKENIZED.search(text)) for text in _with_spaced_marks(texts, together))
    if tokenized >= max(3, 0.3 * len(texts)):
        yield (
            f"{items.system}: {tokenized} {of} look tokenized (space before punctuation); score detokenized text, or "
            "scores are not comparable with published ones"
        )


def _with_spaced_marks(texts: Sequence[str], together: str) -> list[str]:
    """Return the texts with a space before a punctuation mark, searching all of them at once: only these can look
    tokenized, and searching text by text would take longer than scoring."""
    letters = np.frombuffer(together.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    # Nearly all bytes after a space are above the marks, so few candidates are left to test.
    likely = np.flatnonzero((letters[:-2] == ord(" ")) & ((letters[1:-1] < ord("@")) | (letters[2:] == ord("'"))))
    places = likely[MARKS[letters[likely + 1]] | (letters[likely + 2] == ord("'"))]
    if not len(places):
        return []
    ascii_only = together.isascii()
    sizes = [len(text if ascii_only else text.encode("utf-8", "surrogatepass")) for text in texts]
    ends = np.cumsum(sizes) + np.arange(1, len(texts) + 1)  # plus one for each line break between texts
    return [texts[i] for i in dict.fromkeys(np.searchsorted(ends, places, side="right").tolist())]


def _about_references(items: Items) -> Iterator[str]:
    per_item = [example.references for example in items.examples[:CHECKED]]
    counts = {len(references) for references in per_item}
    several = zip(items.outputs[:CHECKED], per_item, strict=True) if max(counts) > 2 else ()
    longer = [references for output, references in several if len(references) > 2 and len(output.split()) > 2]
    single = [references for references in longer if all(len(reference.split()) <= 1 for reference in references)]
    if single and len(single) >= 0.9 * len(longer):
        what = "character" if all(len(reference) <= 1 for reference in single[0]) else "word"
        yield (
            f"Every reference is a single {what}: a reference text was split into a list; "
            "give a list of whole references for each output"
        )
    if len(counts) > 1:
        some = f"The first {CHECKED:,} items" if len(items) > CHECKED else "Items"
        yield (
            f"{some} have {min(counts)} to {max(counts)} references; scores increase with the number of references, so "
            "items are not equally difficult"
        )


def _about_sizes(items: Items, metrics: Sequence[Metric]) -> Iterator[str]:
    sized = list(dict.fromkeys(metric.name for metric in metrics if depends_on_size(metric)))
    if len(items) < MIN_OUTPUTS and "ngrams" in sized:
        sized.remove("ngrams")
        yield (
            f"Small sample (n = {len(items)}): entropies and type counts reflect the amount of text more than the "
            "system"
        )
    if sized:
        yield f"{size_warning(sized)}; compare only sets of the same {counted(len(items), 'item')}"


def size_warning(metrics: Collection[str]) -> str:
    """Return the beginning of a warning. The metrics come before a colon: saved runs select their notes by it."""
    return f"{', '.join(metrics)}: scores depend on the number of outputs"


def depends_on_size(metric: Metric) -> bool:
    """Return whether the value of a score that tables show depends on the number of items."""
    return any(part.shown and metric.sized(part) for part in metric.parts())


def lint_sizes(
    names: Sequence[str], a: Mapping[str, Rows], b: Mapping[str, Rows], systems: tuple[str, str]
) -> list[str]:
    """Return warnings about a comparison of type counts over different amounts of text."""
    warnings = []
    for name in names:
        mine, theirs = a.get(name), b.get(name)
        if not isinstance(mine, Tokens) or not isinstance(theirs, Tokens):
            continue
        sizes = len(mine.ids), len(theirs.ids)
        if abs(sizes[0] - sizes[1]) > 0.1 * max(*sizes, 1):
            warnings.append(
                f"{name} depends on the amount of text: {systems[0]} has {sizes[0]:,} tokens, {systems[1]} "
                f"{sizes[1]:,}; part of the difference is due to length"
            )
    return warnings
