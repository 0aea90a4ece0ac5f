"""Warnings where a number would be computed without complaint and still mislead: the classic mistakes of evaluation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from assay.metrics.checks.corruption import find_damage, take_sample
from assay.metrics.checks.mismatch import find_mismatch
from assay.metrics.engine.base import Metric
from assay.metrics.engine.statistics import Rows, Tokens
from assay.records.items import Items
from assay.show.numbers import counted
from assay.text.blank import is_blank

LOOKED_AT = 2_000
"""How many items are looked at; a mistake in a file is nearly always in all of it."""
TOKENIZED = re.compile(r"\w (?:[.,;:!?]|'s|n't)(?: |$)")
SPECIAL = re.compile(
    r"\[unused\d+\]|\[(?:UNK|PAD|CLS|SEP|MASK)\]|<\|?(?:endoftext|startoftext|pad|unk|s|/s)\|?>|(?<= )##\w"
)
MARKS = np.isin(np.arange(256), list(b".,;:!?'"))
"""By letter: what TOKENIZED asks for after a space, but for n't."""
FEW = 100
"""Below this many items entropies and other numbers of types are mostly a matter of size."""


def lint(items: Items, metrics: Sequence[Metric]) -> list[str]:
    """What a person should know about these items before believing these metrics; one sentence each."""
    found: list[str] = []
    if len(items):
        found += _about_outputs(items)
        if any("references" in metric.needs for metric in metrics):
            found += _about_references(items)
        found += _about_sizes(items, metrics)
    for metric in metrics:
        found += metric.notes(items)
    return list(dict.fromkeys(found))


def lint_damage(items: Items) -> list[str]:
    """Signs that the outputs are not what the system wrote for these items: whose, which items, and what to do."""
    return [*find_damage(take_sample(items)), *find_mismatch(items)] if len(items) else []


def _about_outputs(items: Items) -> Iterator[str]:
    texts = list(items.outputs[:LOOKED_AT])
    of = f"of {'the first ' if len(items) > len(texts) else ''}{len(texts):,} outputs"
    empty = sum(map(is_blank, texts))
    if empty:
        yield f"{items.system}: {empty} {of} are empty; they are scored as empty texts"
    together = "\n".join([*texts, "\n"])
    marks = [mark for mark in "[<#" if mark in together]
    marked = [text for text in texts if any(mark in text for mark in marks)] if marks else []
    special = [match.group() for match in map(SPECIAL.search, marked) if match]
    if special:
        yield (
            f"{items.system}: {len(special)} {of} have special tokens in them ({special[0]}); "
            "remove them, and say so: they count as words"
        )
    tokenized = sum(bool(TOKENIZED.search(text)) for text in _with_spaced_marks(texts, together))
    if tokenized >= max(3, 0.3 * len(texts)):
        yield (
            f"{items.system}: {tokenized} {of} look tokenized already (spaces before punctuation); give the text "
            "as a person would write it, or scores are not comparable with published ones"
        )


def _with_spaced_marks(texts: Sequence[str], together: str) -> list[str]:
    """The texts in which a space stands before a mark, found over all of them at once: only these can look tokenized,
    and searching every text for that takes longer than scoring it."""
    letters = np.frombuffer(together.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    # Nearly all letters are beyond the marks: this leaves few to look at one by one.
    likely = np.flatnonzero((letters[:-2] == ord(" ")) & ((letters[1:-1] < ord("@")) | (letters[2:] == ord("'"))))
    found = likely[MARKS[letters[likely + 1]] | (letters[likely + 2] == ord("'"))]
    if not len(found):
        return []
    ascii_only = together.isascii()
    sizes = [len(text if ascii_only else text.encode("utf-8", "surrogatepass")) for text in texts]
    ends = np.cumsum(sizes) + np.arange(1, len(texts) + 1)  # one more for each line break between them
    return [texts[i] for i in np.unique(np.searchsorted(ends, found, side="right"))]


def _about_references(items: Items) -> Iterator[str]:
    given = [example.references for example in items.examples[:LOOKED_AT]]
    counts = {len(references) for references in given}
    several = zip(items.outputs[:LOOKED_AT], given, strict=True) if max(counts) > 2 else ()
    longer = [references for output, references in several if len(references) > 2 and len(output.split()) > 2]
    single = [references for references in longer if all(len(reference.split()) <= 1 for reference in references)]
    if single and len(single) >= 0.9 * len(longer):
        what = "character" if all(len(reference) <= 1 for reference in single[0]) else "word"
        yield (
            f"every reference is a single {what}: one reference was taken apart into a list; "
            "give a list of whole references for each output"
        )
    if len(counts) > 1:
        some = f"the first {LOOKED_AT:,} items" if len(items) > LOOKED_AT else "items"
        yield (
            f"{some} have {min(counts)} to {max(counts)} references; scores rise with their number, so items with more "
            "count as easier"
        )


def _about_sizes(items: Items, metrics: Sequence[Metric]) -> Iterator[str]:
    sized = list(dict.fromkeys(metric.name for metric in metrics if depends_on_size(metric)))
    if len(items) < FEW and "ngrams" in sized:
        sized.remove("ngrams")
        yield (
            f"{counted(len(items), 'output')}: below {FEW}, entropies and numbers of types say more about the amount "
            "of text than about the system"
        )
    if sized:
        same = counted(len(items), "item")
        yield f"{dependent(sized)} on how many outputs there are; compare only sets of the same {same}"


def dependent(metrics: Collection[str]) -> str:
    """`mauve: depends`, `nist, cider: depend`."""
    return f"{', '.join(metrics)}: depend{'s' * (len(metrics) == 1)}"


def depends_on_size(metric: Metric) -> bool:
    """Whether one of the numbers that tables show does."""
    return any(part.shown and metric.sized(part) for part in metric.parts())


def lint_sizes(
    names: Sequence[str], a: Mapping[str, Rows], b: Mapping[str, Rows], systems: tuple[str, str]
) -> list[str]:
    """For a comparison: numbers of types over different amounts of text, which would differ for one system too."""
    found = []
    for name in names:
        mine, theirs = a.get(name), b.get(name)
        if not isinstance(mine, Tokens) or not isinstance(theirs, Tokens):
            continue
        sizes = len(mine.ids), len(theirs.ids)
        if abs(sizes[0] - sizes[1]) > 0.1 * max(*sizes, 1):
            found.append(
                f"{name} depends on the amount of text, and {systems[0]} has {sizes[0]:,} tokens, {systems[1]} "
                f"{sizes[1]:,}: part of the difference is length"
            )
    return found
