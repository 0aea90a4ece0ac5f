"""Detection of outputs that are not aligned with their items, or in another language, from the words they share."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.records.items import Items
    from assay.records.types import Example

POSITIONS = 100
"""Number of outputs that are compared with other items than their own, spread over the set."""
MIN_ITEMS = 30
"""Minimum number of items: below it, a shuffled file cannot be distinguished from a weak system."""
SHIFTED = 4.0
"""Standard errors by which outputs must fit a neighbouring item better than their own."""
PARTLY_SHIFTED = 2.5
"""The same for the end of a file whose beginning fits.

The statistic is below 0.2 in clean files and rarely above 3 in shuffled ones."""
ALIGNED = 3.0
"""Below this many standard errors, outputs do not fit their own items better than others."""
ALIKE = 0.6
"""Share of common words from which two neighbouring items are nearly alike: a shift by one cannot be seen there."""
MAX_CHARACTERS = 300
"""Characters of a text that are compared."""
MARKS = string.punctuation.encode()
WORD = re.compile(r"\w+")
SPACELESS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""A character of a script without spaces, which counts as a word."""
FEW_KNOWN = 0.2
"""Share of known words below which an output may be in another language."""


def find_mismatch(items: Items) -> Iterator[str]:
    """Yield warnings about shuffled or shifted lines and about outputs in another language."""
    n = len(items)
    if n < MIN_ITEMS:
        return
    spread = np.linspace(1, n - 2, min(POSITIONS, n - 2)).astype(np.int64)
    places = np.array(list(dict.fromkeys(spread.tolist())))  # np.unique would import masked arrays
    outputs = [_words(text) for text in _taken(items.outputs, places)]
    own, after, before = (_taken(items.examples, places + step) for step in (0, 1, -1))
    other = _taken(items.examples, (places + n // 2 + places % 7) % n)
    known = {step: [_words(_target(each)) for each in some] for step, some in ((0, own), (1, after), (-1, before))}
    known[n] = [_words(_target(each)) for each in other]
    ids = [example.id for example in own]
    strange = _strange(own, items.system, outputs, known)
    if strange:
        yield strange
        return
    fits = {step: _overlaps(outputs, texts) for step, texts in known.items()}
    for step in (1, -1):  # variants of one text follow each other
        fits[step] = np.where(_overlaps(known[0], known[step]) < ALIKE, fits[step], fits[0])
    yield from _misplaced(items.system, ids, fits, n, items.by_position)


def _misplaced(
    system: str, ids: Sequence[str], fits: dict[int, Floats], other: int, by_position: bool
) -> Iterator[str]:
    """Yield the warning about lines that are shifted (all, or from one item on) or shuffled.

    Outputs that were joined by id are not in another order; those of a weak system fit no item.
    """
    shifts = [(step, *_later_fits_better(fits[step] - fits[0])) for step in (1, -1)]
    step, start, clear = max(shifts, key=lambda shift: shift[2])
    shuffled = _standard_errors(fits[0] - fits[other]) < ALIGNED
    # A beginning that fits no better than its neighbours does not show that something changed after it.
    before = (fits[0] - fits[step])[:start]
    aligned = len(before) > 1 and bool(before.any()) and _standard_errors(before) > ALIGNED
    if clear > (PARTLY_SHIFTED if aligned and not shuffled else SHIFTED):
        where = "in the whole file" if start < len(ids) / 20 else f"from about item {ids[start]} on"
        yield (
            f"{system}: outputs fit the {'next' if step == 1 else 'previous'} item better than their own, {where}: "
            "lines are shifted by a missing or an extra line; repair the file, or give ids"
        )
    elif shuffled and by_position:
        yield (
            f"{system}: outputs fit their own items no better than other items ({', '.join(ids[:3])} …): lines may be "
            "in another order; give ids, or a column to join by (--join-on)"
        )


def _taken(records: Sequence[Any], places: Any) -> list[Any]:
    from assay.records.lazy_files import LazyRecords

    if isinstance(records, LazyRecords):
        return list(records.take(places))
    return [records[place] for place in places.tolist()]


def _target(example: Example) -> str:
    """Return the text that an output of this item should resemble."""
    if example.references:
        return example.references[0]
    return example.source or str(example.input or "")


def _words(text: str) -> set[str]:
    """Return the different words of a text; for scripts without spaces, its characters."""
    cut = text[:MAX_CHARACTERS].lower()
    if not cut.isascii() and SPACELESS.search(cut):
        return {*SPACELESS.findall(cut), *WORD.findall(SPACELESS.sub(" ", cut))}
    words = set(cut.encode().translate(None, MARKS).decode().split() if cut.isascii() else WORD.findall(cut))
    return words if len(words) > 1 or len(cut) < 12 else set(cut)


def _overlaps(outputs: Sequence[set[str]], texts: Sequence[set[str]]) -> Floats:
    pairs = ((len(a & b), len(a) + len(b)) for a, b in zip(outputs, texts, strict=True))
    return np.array([shared / max(1, both - shared) for shared, both in pairs])


def _standard_errors(differences: Floats) -> float:
    """Return the mean divided by its standard error; infinity if nothing varies."""
    spread = float(differences.std(ddof=1))
    mean = float(differences.mean())
    return mean / spread * len(differences) ** 0.5 if spread > 0 else np.inf


def _later_fits_better(gains: Floats) -> tuple[int, float]:
    """Return the position from which a neighbour fits better than the own item, and by how many standard errors: a
    missing or extra line shifts all that follow."""
    spread = float(gains.std(ddof=1))
    if spread == 0:
        return 0, 0.0
    sums = np.cumsum(gains[::-1])[::-1]
    counts = np.arange(len(gains), 0, -1)
    clear = np.where(counts >= MIN_ITEMS // 2, sums / spread / np.sqrt(counts), -np.inf)
    start = int(clear.argmax())
    return start, float(clear[start])


def _strange(
    own: Sequence[Example], system: str, outputs: Sequence[set[str]], known: dict[int, list[set[str]]]
) -> str | None:
    """Return the warning about outputs that share almost no words with the references of their language, or None."""
    if not own[0].references:
        return None
    of_language: dict[str | None, list[set[str]]] = {}
    for group in known.values():
        for example, words in zip(own, group, strict=True):
            of_language.setdefault(example.language, []).append(words)
    once = {language: set[str]().union(*texts) for language, texts in of_language.items()}

    def foreign(words: set[str], vocabulary: set[str]) -> bool:
        return len(words) >= 5 and len(words & vocabulary) < FEW_KNOWN * len(words)

    matches = [i for i, words in enumerate(outputs) if foreign(words, once[own[i].language])]
    if len(matches) < max(3, 0.05 * len(outputs)):
        return None
    twice = {
        language: {word for word, count in Counter(chain.from_iterable(texts)).items() if count > 1}
        for language, texts in of_language.items()
    }
    usual = sum(foreign(words, twice[example.language]) for words, example in zip(known[0], own, strict=True))
    if 4 * usual >= len(matches):
        return None
    shown = ", ".join(own[i].id for i in matches[:3]) + (" …" if len(matches) > 3 else "")
    return (
        f"{system}: {len(matches)} of {len(outputs)} sampled outputs ({shown}) share almost no words with the "
        "references; they may be in another language: check the prompt or the file"
    )
