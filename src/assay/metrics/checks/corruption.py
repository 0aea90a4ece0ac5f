"""Signs that an outputs file was damaged on its way here: each gives a number without complaint, and a wrong one.

Every sign is held against the references: what people wrote too (a dialog that begins with "Sure") is no damage.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.records.items import Items

LOOKED_AT = 1_000
"""How many items are looked at, spread over all of them."""
FEWEST_CUT = 4
"""Below so many outputs that stop in mid-sentence nobody says why."""
FEWEST = 10
"""Below so many outputs a habit cannot be told from chance."""
QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "«": "»", "‘": "’", "「": "」"}
END_MARKS = frozenset(".!?\"')”’»…。！？।؟")
LABEL_ENDS = (":", ">", "|", "]", "=", "#", "*", "-")
LABEL_BEGINNINGS = ("<", "|", "[", "=", "#", "*", "-")
PREAMBLE = re.compile(
    r"\W{0,3}(?:(?:sure|certainly|of course|absolutely|okay|ok|gladly|great)\b[^.\n:]{0,24}[,!.:]\s{0,2}"
    r"(?:here(?:'s|’s| is| are)|below (?:is|are)|i(?:'ll|’ll| will| can|'d|’d| would)\b)"
    r"|here(?:'s|’s| is| are)\b[^.\n]{0,80}:"
    r"|below (?:is|are)\b[^.\n]{0,80}:"
    r"|as an? (?:ai|large language model|language model)\b"
    r"|i(?:'m|’m| am) (?:sorry|unable)\b[^.\n]{0,20}\b(?:cannot|can't|can’t|unable|to)\b"
    r"|i (?:cannot|can't|can’t) (?:help|assist|fulfil|provide|comply)\b"
    r"|(?:the )?(?:summary|answer|output|response|translation|paraphrase|description|result)(?: is)?:)",
    re.IGNORECASE,
)
MARKUP = re.compile(r"\*\*[^*\n]+\*\*|^(?:#{1,6} |[-*] |\d\. )", re.MULTILINE)


@dataclass(frozen=True)
class Sample:
    """Items spread evenly over a set: what is looked at, and what to call it."""

    system: str
    ids: Sequence[str]
    outputs: Sequence[str]
    references: Sequence[str]
    """The first of each item; empty texts where there is none."""
    whole: bool = True
    """Whether these are all there are."""

    def named(self, found: Sequence[int]) -> str:
        """How many of how many outputs, and the first of them by id."""
        shown = ", ".join(self.ids[i] for i in found[:3]) + (" …" if len(found) > 3 else "")
        looked_at = "" if self.whole else " looked at"
        return f"{self.system}: {len(found)} of {len(self.outputs)} outputs{looked_at} ({shown})"


def take_sample(items: Items, most: int = LOOKED_AT) -> Sample:
    """At most so many items; a file of texts that lie on disk is read from its beginning only."""
    n = len(items)
    step = max(1, -(-n // most)) if isinstance(items.outputs, tuple) and isinstance(items.examples, tuple) else 1
    chosen = slice(0, n if step > 1 else most, step)
    examples = items.examples[chosen]
    references = [example.references[0] if example.references else "" for example in examples]
    ids = [example.id for example in examples]
    return Sample(items.system, ids, list(items.outputs[chosen]), references, len(ids) == n)


def find_damage(sample: Sample) -> Iterator[str]:
    """One sentence for every sign: whose outputs, which items, and what to do."""
    if len(sample.outputs) < FEWEST:
        return
    for share, sign, says in SIGNS:
        found = _beyond_references(sample, sign, share)
        if found:
            yield f"{sample.named(found)} {says}"
    yield from _common_beginning(sample)
    yield from _repeated(sample)
    yield from _cut_off(sample)


def _quoted(text: str) -> bool:
    """In quotes as a whole; a text of which only the first and the last words are quoted is not."""
    text = text.strip()
    closing = QUOTES.get(text[:1])
    return closing is not None and len(text) > 2 and text[-1] == closing and _pairs_inside(text)


def _pairs_inside(text: str) -> bool:
    mark = text[0]
    return mark == "'" or mark != QUOTES[mark] or text.count(mark) != 4 or text[1:-1].strip()[:1] == mark


def _fenced(text: str) -> bool:
    return "```" in text


def _chatting(text: str) -> bool:
    return PREAMBLE.match(text) is not None


def _marked_up(text: str) -> bool:
    return ("*" in text or "#" in text or "- " in text or "1. " in text) and MARKUP.search(text) is not None


SIGNS: tuple[tuple[float, Callable[[str], bool], str], ...] = (
    (0.05, _quoted, "are wrapped in quotes, which count as words; strip them before scoring"),
    (0.01, _fenced, "have Markdown fences (```); score the text between them"),
    (0.05, _marked_up, "have Markdown marks (**, #, lists); score plain text, as the references are"),
    (0.01, _chatting, "begin with words to the user ('Sure, here is …'); score what follows them"),
)
"""From which share of the outputs on, what is looked for, and what is said of it."""


def _beyond_references(sample: Sample, sign: Callable[[str], bool], share: float) -> list[int]:
    """The outputs with a sign, if there are enough and four times as many as references with it."""
    found = [i for i, text in enumerate(sample.outputs) if sign(text)]
    if len(found) < max(2, share * len(sample.outputs)):
        return []
    return found if 4 * sum(map(sign, sample.references)) < len(found) else []


def _common_beginning(sample: Sample) -> Iterator[str]:
    """A label or a sentence before nearly all outputs, and not before the references."""
    for backwards in (False, True):
        texts = [text[::-1] for text in sample.outputs] if backwards else sample.outputs
        references = [text[::-1] for text in sample.references] if backwards else sample.references
        (first, count), *_ = Counter(text[:3] for text in texts).most_common(1)
        if not first.strip() or count < 0.8 * len(texts):
            continue
        found = [i for i, text in enumerate(texts) if text.startswith(first)]
        shared = _shared_beginning([texts[i] for i in found])
        if sum(text.startswith(first) for text in references) > count / 4 or shared == texts[found[0]]:
            continue
        shared = shared[::-1] if backwards else shared
        label = any(
            len(word) > 1 and (word.startswith(LABEL_BEGINNINGS) if backwards else word.endswith(LABEL_ENDS))
            for word in shared.split()
        )
        if label or (len(shared.split()) >= 3 and count >= 0.95 * len(texts)):
            shown = " ".join(shared.split())[:40]
            yield f"{sample.named(found)} {'end' if backwards else 'begin'} with '{shown}'; cut it off before scoring"


def _shared_beginning(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


def _repeated(sample: Sample) -> Iterator[str]:
    """One text for many items that it does not fit."""
    outputs, references = Counter(sample.outputs), Counter(sample.references)
    text, count = outputs.most_common(1)[0]
    if count >= max(5, 0.05 * len(sample.outputs)) and text.strip() and count > 4 * references.most_common(1)[0][1]:
        found = [i for i, output in enumerate(sample.outputs) if output == text]
        if 2 * count > len(sample.outputs) or not _fits(sample, text, found):
            shown = text if len(text) <= 30 else text[:30] + "…"
            yield f"{sample.named(found)} are all '{shown}'; check that the system was given every item"


def _fits(sample: Sample, text: str, found: Sequence[int]) -> bool:
    """Whether a text has more words in common with the references of its own items than with those of others: thanks
    are often answered with the same words."""
    words, own = set(text.lower().split()), set(found)

    def shared(places: Sequence[int]) -> float:
        return sum(len(words & set(sample.references[i].lower().split())) for i in places) / max(1, len(places))

    others = [i for i in range(len(sample.outputs)) if i not in own]
    return shared(found[:100]) > 1.25 * shared(others[:: max(1, len(others) // 100)])


def _cut_off(sample: Sample) -> Iterator[str]:
    """Outputs that all end at one length, or long ones that stop in mid-sentence while short ones do not."""
    unended = {i for i, text in enumerate(sample.outputs) if not _ended(text)}
    if len(unended) < FEWEST_CUT:
        return
    open_references = sum(not _ended(text) for text in sample.references) / len(sample.references)
    if open_references > 0.5:
        return
    for unit, measure in (("characters", len), ("words", lambda text: len(text.split()))):
        lengths = [measure(text) for text in sample.outputs]
        longest = max(lengths)
        found = [i for i, length in enumerate(lengths) if length == longest and i in unended]
        if len(found) >= max(FEWEST_CUT, 0.03 * len(lengths)) and longest > 3:
            yield f"{sample.named(found)} stop in mid-sentence at {longest} {unit}; raise the limit and generate again"
            return
    order = sorted(range(len(sample.outputs)), key=lambda i: len(sample.outputs[i]))
    cut = -(-len(order) // 5)
    long, short = order[-cut:], order[:-cut]
    open_long = sorted(i for i in long if i in unended)
    open_short = sum(i in unended for i in short)
    usual = max(open_short / len(short), open_references)
    if len(open_long) >= max(FEWEST_CUT, 0.5 * len(long)) and usual < 0.25 * len(open_long) / len(long):
        yield f"{sample.named(open_long)} are long and stop in mid-sentence; raise the limit of the length"


def _ended(text: str) -> bool:
    return text[-1:] in END_MARKS or text.rstrip()[-1:] in END_MARKS
