"""Spans between two marks, in linear time: a pattern such as `<!--.*?-->` is quadratic if the end mark is missing."""

from __future__ import annotations


def find_span(text: str, begin: str, end: str, at: int = 0) -> tuple[int, int] | None:
    """Return start and end of the first span, with its marks; None if there is no closed one.

    >>> find_span("a <!-- b --> c", "<!--", "-->")
    (2, 12)
    """
    start = text.find(begin, at)
    stop = text.find(end, start + len(begin)) if start >= 0 else -1
    return (start, stop + len(end)) if stop >= 0 else None


def remove_spans(text: str, begin: str, end: str) -> str:
    """Return a text without its closed spans.

    >>> remove_spans("a<!-- b -->c <!-- d", "<!--", "-->")
    'ac <!-- d'
    """
    kept, at = [], 0
    while span := find_span(text, begin, end, at):
        kept.append(text[at : span[0]])
        at = span[1]
    return "".join(kept) + text[at:]
