"""Token classification: windows of a text, BIO tags of its tokens, and spans from tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from assay.models.load import special_tokens_around
from assay.records.kinds import Span

OUTSIDE, WHOLE = "O", "="
"""Tag of tokens outside spans, and the prefix of labels of whole texts."""


LEANS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
"""Margins, in logits, of the tag O that training tries."""


class Cut(NamedTuple):
    """A window of a text as token ids."""

    ids: list[int]
    inner: list[bool]
    """True for the tokens of the text, False for special tokens."""
    places: list[tuple[int, int]]
    """Character offsets of the tokens of the text."""


def cut_windows(tokenizer: Any, text: str, limit: int) -> Iterator[Cut]:
    """Yield windows of equal length with special tokens, at most `limit` tokens each; at least one."""
    plain = text.encode("utf-8", "replace").decode()
    coded = tokenizer(plain, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False)
    before, after = special_tokens_around(tokenizer)
    ids, places = coded["input_ids"], coded["offset_mapping"]
    room = max(1, limit - len(before) - len(after))
    count = max(1, -(-len(ids) // room))
    size = -(-len(ids) // count)
    for start in range(0, max(1, len(ids)), max(1, size)):
        own = ids[start : start + size]
        inner = [False] * len(before) + [True] * len(own) + [False] * len(after)
        yield Cut([*before, *own, *after], inner, [tuple(place) for place in places[start : start + size]])


def tags_of(places: Sequence[tuple[int, int]], spans: Sequence[Span]) -> list[str]:
    """Return the BIO tags of tokens; spans must be sorted and must not overlap."""
    tags = []
    left = list(spans)
    inside = False
    for start, end in places:
        while left and left[0].end <= start:
            left.pop(0)
            inside = False
        within = bool(left) and start < left[0].end and end > left[0].start and end > start
        tags.append(f"{'I' if inside else 'B'}-{left[0].category}" if within else OUTSIDE)
        inside = within
    return tags


def decode_tags(tags: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return role, first token and end token (exclusive) of each span; a span may start with an I tag."""
    spans: list[tuple[str, int, int]] = []
    role, start = "", 0
    for i, tag in enumerate([*tags, OUTSIDE]):
        kind, _, name = tag.partition("-")
        if role and (kind != "I" or name != role):
            spans.append((role, start, i))
            role = ""
        if kind in ("B", "I") and not role:
            role, start = name, i
    return spans


def apply_lean(logits: Any, lean: float, outside: int = 0) -> Any:
    """Return logits of tags with that of OUTSIDE (index `outside`, default: 0) lowered by `lean`."""
    lowered = logits.clone()
    lowered[..., outside] -= lean
    return lowered


def document_logits(logits: Any, mask: Any, tags: int) -> Any:
    """Return the logits of whole-text labels: the mean over the tokens."""
    weights = mask.unsqueeze(-1).to(logits.dtype)
    return (logits[..., tags:] * weights).sum(dim=1) / weights.sum(dim=1)
