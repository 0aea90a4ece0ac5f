"""Words in the manner of the Penn Treebank, as NLTK's word tokenizer cuts a sentence: quotes by side, clitics apart."""

from __future__ import annotations

import re

RULES = tuple(
    (re.compile(pattern), made)
    for pattern, made in (
        ("([«“‘„]|`+)", r" \1 "),
        (r'^"', "``"),
        ("(``)", r" \1 "),
        (r"""([ (\[{<])("|'{2})""", r"\1 `` "),
        (r"(?i)(?<!\w)(')(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", r"\1 "),
        (r"""([^.])(\.)([\])}>"'»”’ ]*)\s*$""", r"\1 \2 \3 "),
        (r"([:,])([^\d])", r" \1 \2"),
        ("([:,])$", r" \1 "),
        (r"(\.{2,}|[;@#$%&]|[\u2012-\u2015])", r" \1 "),
        (r"""([^.])(\.)([\])}>"']*)\s*$""", r"\1 \2\3 "),
        ("([?!])", r" \1 "),
        ("([^'])' ", r"\1 ' "),
        (r"([*\]\[(){}<>]|--)", r" \1 "),
        (r"\A|\Z", " "),
        ("([»”’])", r" \1 "),
        ("''|\"", " '' "),
        (r"\s+", " "),
        ("([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
        ("([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
        (r"(?i)\b(can)(not)\b", r" \1 \2 "),
        (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
        (r"(?i)\b(gim|lem)(me)\b", r" \1 \2 "),
        (r"(?i)\b(gon)(na)\b", r" \1 \2 "),
        (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
        (r"(?i)\b(more)('n)\b", r" \1 \2 "),
        (r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 "),
        (r"(?i) ('t)(is|was)\b", r" \1 \2 "),
    )
)
"""What is found and what is made of it, in this order."""


def treebank_words(sentence: str) -> list[str]:
    """The words of one sentence; a full stop is a word at its end alone."""
    for pattern, made in RULES:
        sentence = pattern.sub(made, sentence)
    return sentence.split()
