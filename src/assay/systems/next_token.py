"""Comparisons by the next token of a chat model, whose servers give the probabilities of a few alternatives only."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from assay.errors import AssayError
from assay.systems.base import Logprob

LETTERED = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
QUESTION = "Which of these fits best? Answer with one letter, nothing else."
NOT_LISTED = "not among the most likely tokens"
"""Note of a value that is an upper bound: that of the least likely alternative."""
Chats = list[dict[str, str]]


def refuse_phrases(texts: Sequence[str], model: str) -> None:
    """Raise an error for continuations that cannot be one token."""
    for text in texts:
        if len(text.split()) != 1:
            raise AssayError(
                f"chat:{model}: {text[:40]!r} is not one word, and a chat server gives the probabilities of one token "
                f"only; use completions:{model}"
            )


def continued(messages: Chats, prefix: str) -> Chats:
    """Return messages that ask for the next word after a prefix."""
    question = f"{messages[-1]['content']}\n\nContinue with the next word only:\n{prefix}".rstrip()
    return [*messages[:-1], {**messages[-1], "content": question}]


def lettered(messages: Chats, candidates: Sequence[str], id: str) -> Chats:
    """Return messages that ask for the letter of the best candidate."""
    if len(candidates) > len(LETTERED):
        raise AssayError(
            f"id {id}: {len(candidates)} candidates; with letters a chat model ranks at most {len(LETTERED)}"
        )
    listed = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERED, candidates, strict=False))
    return [*messages[:-1], {**messages[-1], "content": f"{messages[-1]['content']}\n\n{QUESTION}\n{listed}"}]


def next_logprob(tokens: Sequence[tuple[str, float]], text: str, id: str) -> Logprob:
    """Return the log-probability of a word as the next token, over all spellings with white space around it."""
    if not tokens:
        raise AssayError(f"id {id}: the server lists no alternatives of its next token")
    values = [value for token, value in tokens if token.strip() == text.strip()]
    if values:
        return Logprob((log(sum(map(exp, values))),))
    return Logprob((min(value for _, value in tokens),), notes=(NOT_LISTED,))
