"""Signs that an outputs file is damaged. Each would give a wrong score without an error.

Every sign is compared with the references: what references also have (a dialog turn that begins with "Sure") is normal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.records.items import Items

SAMPLE_SIZE = 1_000
"""Number of items that are checked, spread evenly over the set."""
MIN_CUT = 4
"""Minimum number of outputs that end mid-sentence for a warning."""
MIN_OUTPUTS = 10
"""Minimum number of outputs for a warning: below it, a pattern may be coincidence."""
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
    """Items spread evenly over a set."""

    system: str
    ids: Sequence[str]
    outputs: Sequence[str]
    references: Sequence[str]
    """First reference of each item; an empty text where there is none."""
    whole: bool = True
    """Whether the sample contains all items."""

    def named(self, matches: Sequence[int]) -> str:
        """Return the number of matching outputs and the ids of the first."""
        shown = ", ".join(self.ids[i] for i in matches[:3]) + (" …" if len(matches) > 3 else "")
        sampled = "" if self.whole else " sampled"
        return f"{self.system}: {len(matches)} of {len(self.outputs)}{sampled} outputs ({shown})"


def take_sample(items: Items, most: int = SAMPLE_SIZE) -> Sample:
    """Return at most this many items, evenly spaced; of texts on disk, the first ones."""
    n = len(items)
    step = max(1, -(-n // most)) if isinstance(items.outputs, tuple) and isinstance(items.examples, tuple) else 1
    chosen = slice(0, n if step > 1 else most, step)
    examples = items.examples[chosen]
    references = [example.references[0] if example.references else "" for example in examples]
    ids = [example.id for example in examples]
    return Sample(items.system, ids, list(items.outputs[chosen]), references, len(ids) == n)


def find_damage(sample: Sample) -> Iterator[str]:
    """Yield one warning per sign: system, items, and what to do."""
    if len(sample.outputs) < MIN_OUTPUTS:
        return
    for share, sign, warning in SIGNS:
        matches = _beyond_references(sample, sign, share)
        if matches:
            yield f"{sample.named(matches)} {warning}"
    yield from _common_beginning(sample)
    yield from _repeated(sample)
    yield from _cut_off(sample)


def _quoted(text: str) -> bool:
    """Return whether the whole text is in quotes; quoted first and last words do not count."""
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
    (0.05, _quoted, "are wrapped in quotes, which are scored as tokens; strip them before scoring"),
    (0.01, _fenced, "contain Markdown fences (```); score the text inside them"),
    (0.05, _marked_up, "contain Markdown markup (**, #, lists); score plain text, as in the references"),
    (0.01, _chatting, "begin with a chat preamble ('Sure, here is …'); remove it before scoring"),
)
"""Minimum share of outputs, test of one text, and warning."""


def _beyond_references(sample: Sample, sign: Callable[[str], bool], share: float) -> list[int]:
    """Return the outputs with a sign, if they reach the share and are over four times as many as such references."""
    matches = [i for i, text in enumerate(sample.outputs) if sign(text)]
    if len(matches) < max(2, share * len(sample.outputs)):
        return []
    return matches if 4 * sum(map(sign, sample.references)) < len(matches) else []


def _common_beginning(sample: Sample) -> Iterator[str]:
    """Warn about a label or sentence before (or after) nearly all outputs but not the references.

    Objects of JSON begin and end alike; what they share is no label.
    """
    if 2 * sum(text.lstrip().startswith(("{", "[")) for text in sample.outputs) > len(sample.outputs):
        return
    for backwards in (False, True):
        texts = [text[::-1] for text in sample.outputs] if backwards else sample.outputs
        references = [text[::-1] for text in sample.references] if backwards else sample.references
        (first, count), *_ = Counter(text[:3] for text in texts).most_common(1)
        if not first.strip() or count < 0.8 * len(texts):
            continue
        matches = [i for i, text in enumerate(texts) if text.startswith(first)]
        shared = _shared_beginning([texts[i] for i in matches])
        if sum(text.startswith(first) for text in references) > count / 4 or shared == texts[matches[0]]:
            continue
        shared = shared[::-1] if backwards else shared
        label = any(
            len(word) > 1 and (word.startswith(LABEL_BEGINNINGS) if backwards else word.endswith(LABEL_ENDS))
            for word in shared.split()
        )
        if label or (len(shared.split()) >= 3 and count >= 0.95 * len(texts)):
            shown = " ".join(shared.split())[:40]
            yield f"{sample.named(matches)} {'end' if backwards else 'begin'} with '{shown}'; remove it before scoring"


def _shared_beginning(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


def _repeated(sample: Sample) -> Iterator[str]:
    """Warn about one text that is the output of many items which it does not fit."""
    outputs, references = Counter(sample.outputs), Counter(sample.references)
    text, count = outputs.most_common(1)[0]
    if count >= max(5, 0.05 * len(sample.outputs)) and text.strip() and count > 4 * references.most_common(1)[0][1]:
        matches = [i for i, output in enumerate(sample.outputs) if output == text]
        if 2 * count > len(sample.outputs) or not _fits(sample, text, matches):
            one_line = " ".join(text.split())
            shown = one_line if len(one_line) <= 30 else one_line[:30] + "…"
            yield f"{sample.named(matches)} are identical ('{shown}'); check that the system received every item"


def _fits(sample: Sample, text: str, matches: Sequence[int]) -> bool:
    """Return whether a text shares more words with the references of its own items than with others, as frequent
    replies in dialogs do ("You are welcome.")."""
    words, own = set(text.lower().split()), set(matches)

    def shared(places: Sequence[int]) -> float:
        return sum(len(words & set(sample.references[i].lower().split())) for i in places) / max(1, len(places))

    others = [i for i in range(len(sample.outputs)) if i not in own]
    return shared(matches[:100]) > 1.25 * shared(others[:: max(1, len(others) // 100)])


def _cut_off(sample: Sample) -> Iterator[str]:
    """Warn about outputs that end mid-sentence at one length, or about long ones that do while short ones do not."""
    unended = {i for i, text in enumerate(sample.outputs) if not _ended(text)}
    if len(unended) < MIN_CUT:
        return
    open_references = sum(not _ended(text) for text in sample.references) / len(sample.references)
    if open_references > 0.5:
        return
    for unit, measure in (("characters", len), ("words", lambda text: len(text.split()))):
        lengths = [measure(text) for text in sample.outputs]
        longest = max(lengths)
        matches = [i for i, length in enumerate(lengths) if length == longest and i in unended]
        shorter = [i in unended for i, length in enumerate(lengths) if length < longest]
        habit = sum(shorter) > 0.5 * len(shorter)  # a system that writes no full stops is not cut off
        if len(matches) >= max(MIN_CUT, 0.03 * len(lengths)) and longest > 3 and not habit:
            yield (
                f"{sample.named(matches)} end mid-sentence at {longest} {unit}; raise the length limit and generate "
                "again"
            )
            return
    order = sorted(range(len(sample.outputs)), key=lambda i: len(sample.outputs[i]))
    cut = -(-len(order) // 5)
    long, short = order[-cut:], order[:-cut]
    open_long = sorted(i for i in long if i in unended)
    open_short = sum(i in unended for i in short)
    usual = max(open_short / len(short), open_references)
    if len(open_long) >= max(MIN_CUT, 0.5 * len(long)) and usual < 0.25 * len(open_long) / len(long):
        yield f"{sample.named(open_long)} are long and end mid-sentence; raise the length limit and generate again"


def _ended(text: str) -> bool:
    return text[-1:] in END_MARKS or text.rstrip()[-1:] in END_MARKS
