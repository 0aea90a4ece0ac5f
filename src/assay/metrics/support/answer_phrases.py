"""Phrases of answers about the contexts themselves, which no context states: `Based on the context, ..`, `The documents
do not mention ..`."""

from __future__ import annotations

import re

_TEXTS = r"(?:contexts?|passages?|documents?|texts?|information|sources?|excerpts?)(?: (?:provided|given|above))?"
_KIND = r"(?:(?:provided|given|retrieved|above|available) )?"
LEAD = re.compile(
    rf"\s*(?:(?:based on|according to|as (?:stated|mentioned|noted) in|per) (?:the|this|these) {_KIND}{_TEXTS},"
    rf"|the {_KIND}{_TEXTS} (?:states?|says?|mentions?|indicates?) that)\s",
    re.IGNORECASE,
)
"""What an answer begins with before its statement."""
LACK = re.compile(
    r"(?:(?:unfortunately|however|but),? )?"
    rf"(?:(?:the|this|these|none of the|neither of the) {_KIND}{_TEXTS} (?:(?:does|do|did)(?: not|n['’]t) |fails? to )?"
    r"(?:contain|mention|provide|say|state|include|specify|specifie|indicate|give|answer|address)s?\b"
    r"|there is (?:no|not enough|insufficient) (?:information|mention|context)\b"
    r"|i(?:['’]m| am) (?:sorry|unable|not able|not sure)\b|i apologi[sz]e\b"
    r"|i (?:cannot|can['’]t|could not|couldn['’]t|do not|don['’]t) (?:answer|find|know|determine|have|tell|provide)\b)",
    re.IGNORECASE,
)
DENIED = re.compile(r"\b(?:not|no|none|neither|insufficient|fails?|sorry|unable|apologi[sz]e|cannot)\b|n['’]t\b", re.I)


def is_lack(text: str) -> bool:
    """Return whether a sentence states that the contexts lack something, or declines to answer."""
    match = LACK.match(text)
    return match is not None and DENIED.search(match[0]) is not None
