"""Token classifiers that find spans: windows of a text, tags of its tokens, and spans from tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from assay.models.load import special_tokens_around
from assay.records.kinds import Span

OUTSIDE, WHOLE = "O", "="
"""The tag of tokens in no span, and what labels of whole texts begin with."""


LEANS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
"""By how much, in logits, a token outside of spans may have to be likelier than one inside."""


class Cut(NamedTuple):
    """A window of a text as tokens."""

    ids: list[int]
    inner: list[bool]
    """Which tokens are the text's."""
    places: list[tuple[int, int]]
    """Where each of those stands in the text."""


def cut_windows(tokenizer: Any, text: str, limit: int) -> Iterator[Cut]:
    """Windows of equal length with the tokenizer's own marks, none longer than the limit; one at least."""
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
    """B-ROLE for the first token of a span, I-ROLE for the others, O outside. Spans are in order and apart."""
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
    """Role, first token and the token after the last of every span; one that begins with I counts, too."""
    found: list[tuple[str, int, int]] = []
    role, start = "", 0
    for i, tag in enumerate([*tags, OUTSIDE]):
        kind, _, name = tag.partition("-")
        if role and (kind != "I" or name != role):
            found.append((role, start, i))
            role = ""
        if kind in ("B", "I") and not role:
            role, start = name, i
    return found


def apply_lean(logits: Any, lean: float, outside: int = 0) -> Any:
    """Logits of tags with that of OUTSIDE, the first unless told, lowered."""
    lowered = logits.clone()
    lowered[..., outside] -= lean
    return lowered


def document_logits(logits: Any, mask: Any, tags: int) -> Any:
    """The logits of labels of whole texts: the mean over the tokens that are read."""
    weights = mask.unsqueeze(-1).to(logits.dtype)
    return (logits[..., tags:] * weights).sum(dim=1) / weights.sum(dim=1)
