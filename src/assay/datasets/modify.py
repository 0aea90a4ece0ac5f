"""GEM's changes to its datasets as reproducible transformations with counts of removed items."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError, UsageError

if TYPE_CHECKING:
    from assay.records import Example

Detector = Callable[[str], str]

FAITHFUL = 0.8
"""GEM's threshold for XSum: a pair is kept if the classifier's probability is above it."""


@dataclass
class Change:
    """Counts before and after a transformation."""

    name: str
    before: int = 0
    after: int = 0
    removed: dict[str, int] = field(default_factory=dict)

    def drop(self, reason: str) -> None:
        self.removed[reason] = self.removed.get(reason, 0) + 1


def without_duplicates(examples: Iterable[Example], change: Change) -> Iterator[Example]:
    """Remove examples with a repeated input text; memory grows by 16 bytes per example."""
    seen: set[bytes] = set()
    for example in examples:
        change.before += 1
        key = hashlib.blake2b((example.source or "").encode(), digest_size=16).digest()
        if key in seen:
            change.drop("duplicate input")
            continue
        seen.add(key)
        change.after += 1
        yield example


def in_language(examples: Iterable[Example], language: str, detect: Detector, change: Change) -> Iterator[Example]:
    """Remove examples whose input text is in another language according to `detect` (text to language code)."""
    for example in examples:
        change.before += 1
        detected = detect(example.source or "")
        if detected != language:
            change.drop(f"language {detected}")
            continue
        change.after += 1
        yield example


def faithful(
    examples: Iterable[Example], scores: Mapping[str, float], change: Change, above: float = FAITHFUL
) -> Iterator[Example]:
    """Keep pairs whose faithfulness score (by id, from any classifier) is above the threshold."""
    for example in examples:
        change.before += 1
        if example.id not in scores:
            raise AssayError(f"id {example.id}: no faithfulness score; pass one for each example")
        if not scores[example.id] > above:
            change.drop(f"faithfulness not above {above:g}")
            continue
        change.after += 1
        yield example


def resplit(
    examples: Sequence[Example],
    article: Callable[[Example], str],
    shares: Mapping[str, float],
    change: Change,
    seed: int = 0,
) -> list[Example]:
    """Assign splits by article, so that all languages of an article are in one split.

    The split of an article depends only on its key and the seed: new articles do not change the splits of others.
    """
    if abs(sum(shares.values()) - 1) > 1e-9:
        raise AssayError(f"shares of the splits add up to {sum(shares.values()):g}; they must add up to 1")
    change.before = len(examples)
    made = []
    moved: dict[str, int] = defaultdict(int)
    for example in examples:
        digest = hashlib.blake2b(f"{seed}\0{article(example)}".encode(), digest_size=8).digest()
        point = int.from_bytes(digest, "big") / 2**64
        total = 0.0
        split = list(shares)[-1]
        for name, share in shares.items():
            total += share
            if point < total:
                split = name
                break
        moved[f"{example.split} to {split}"] += split != example.split
        made.append(msgspec.structs.replace(example, split=split))
    change.after = len(made)
    change.removed = {}
    change.name += "".join(f"; {count} moved {way}" for way, count in sorted(moved.items()) if count)
    return made


def detector() -> Detector:
    """Language identification by an installed package; GEM used langdetect, which is not deterministic."""
    try:
        import py3langid  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise AssayError("language filtering needs a detector: pip install py3langid") from None
    return lambda text: str(py3langid.classify(text)[0])


def gem(
    name: str,
    examples: Iterable[Example],
    changes: list[Change],
    *,
    scores: Mapping[str, float] | None = None,
    detect: Detector | None = None,
    seed: int = 0,
) -> Iterable[Example]:
    """Apply GEM's changes to a dataset; `changes` receives the counts. A dataset without changes is an error."""
    if name.startswith("mlsum_"):
        duplicates, language = Change("duplicate inputs removed"), Change("other languages removed")
        changes += [duplicates, language]
        kept = without_duplicates(examples, duplicates)
        return in_language(kept, name.removeprefix("mlsum_"), detect or detector(), language)
    if name == "xsum":
        if scores is None:
            raise AssayError("xsum: GEM's filter needs faithfulness scores by id; pass --scores FILE")
        changes.append(Change(f"faithfulness above {FAITHFUL:g}"))
        return faithful(examples, scores, changes[-1])
    if name == "wiki_lingua":
        changes.append(Change("split again by article"))
        listed = list(examples)
        sizes = Counter(example.split or "unknown" for example in listed)
        shares = {split: count / len(listed) for split, count in sizes.items()}
        return resplit(listed, lambda example: example.tags["article"], shares, changes[-1], seed)
    raise UsageError(f"{name}: GEM did not change it; omit --gem")
