"""Detokenization of English text in Penn Treebank format."""

from __future__ import annotations

import re

BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
GLUE_LEFT = re.compile(r"\s+([.,;:?!%)\]}]|n't\b|'(?:s|m|d|re|ve|ll)\b|'(?=\s|$))", re.IGNORECASE)
GLUE_RIGHT = re.compile(r"([(\[{$£€#])\s+")
ELISION = re.compile(r"\b([dlo])\s*'\s+(?=\w)", re.IGNORECASE)


def detokenize(text: str) -> str:
    """Undo Penn-Treebank tokenization: brackets, quotes, clitics and the space before punctuation."""
    words = [BRACKETS.get(word.lower(), word) for word in text.split()]
    text = " ".join('"' if word in ("``", "''") else word for word in words)
    text = GLUE_RIGHT.sub(r"\1", GLUE_LEFT.sub(r"\1", ELISION.sub(r"\1'", text)))
    return _close_quotes(text)


def _close_quotes(text: str) -> str:
    """Attach double quotes to the quoted text; an unmatched last one is attached to the previous word."""
    parts = text.split('"')
    for i in range(1, len(parts), 2):
        parts[i] = parts[i].strip() if i < len(parts) - 1 else parts[i].lstrip()
    return '"'.join(parts)
