"""Outputs as claims: sentences, clauses by rule, or claims that a chat model writes for each sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from assay.errors import AssayError
from assay.metrics.support.claims import Sentence, is_checkable, read_sentence, sentences
from assay.records.files import digest_of
from assay.records.types import Example

SENTENCES, CLAUSES, CHAT = "sentences", "clauses", "chat:"
WAYS = (SENTENCES, CLAUSES, f"{CHAT}MODEL")
REQUEST = (
    "Answer:\n{output}\n\nSplit this sentence of the answer into claims that can be checked one by one. Each claim is "
    "a short full sentence, with names instead of pronouns. Add nothing, leave out nothing. Answer with a JSON list "
    "of strings only.\n\nSentence: {sentence}"
)
MOST = 12
"""Claims of a sentence that are read."""
JOIN = re.compile(r";\s+|,?\s+(?:and|but|while|whereas|although|though)\s+(?=\S)")
AUXILIARY = frozenset(
    "is are was were am has have had will would can could may might must should shall do does did isn't aren't wasn't "
    "weren't hasn't haven't hadn't won't wouldn't can't couldn't shouldn't doesn't don't didn't".split()
)
VERBS = frozenset(
    "became began bought broke brought built came chose cost cut drew drove fell felt fought found gave gets gives "
    "goes got grew has held hit includes keeps kept knew led left lets lost made makes means met needs offers owns "
    "paid plans put ran rose said sang says saw sells sent set shows sold spent spoke sued takes taught tells "
    "thought told took uses wants went won works writes wrote".split()
)
OBJECT = re.compile(r"(?:a|an|the|its|his|her|their|our|my|this|that|these|those|it|him|them|to|in|on|at|for|from|with|"
                    r"by|of|into|over|up|down|all|some|no|more|[A-Z]\S*|[\d$€£]\S*)$")  # fmt: skip
"""What follows a participle that is a verb: `sold the firm`, but not `used cars`."""
RELATIVE = re.compile(r"\b(?:which|who|whose|whom)\b|[\"“”]")
LONGEST_SUBJECT = 8


def claims_of(outputs: Sequence[str], way: str = SENTENCES) -> list[list[Sentence]]:
    """Return the claims of each output; start and end are those of the sentence or clause in the output.

    Args:
        outputs: The texts.
        way: `sentences`; `clauses`, which splits at `and`, `but`, `while` or a semicolon before another verb; or
            `chat:MODEL`, a chat model on the server at OPENAI_BASE_URL.
    """
    if way == SENTENCES:
        return [list(sentences(text)) for text in outputs]
    if way == CLAUSES:
        return [[part for one in sentences(text) for part in clauses(one)] for text in outputs]
    return _by_chat(outputs, way)


def why_not_split(way: str) -> str | None:
    """Return why claims cannot be split in a way, or None.

    Raises:
        AssayError: The way is unknown.
    """
    if way in (SENTENCES, CLAUSES):
        return None
    if not way.startswith(CHAT) or way == CHAT:
        raise AssayError(f"claims={way}: unknown; use {', '.join(WAYS)}")
    reason: str | None = _chat(way).why_not()
    return reason


def signed_split(way: str) -> str:
    """Return a way of splitting as the signature names it."""
    if not way.startswith(CHAT):
        return way
    name = "".join(c if c.isalnum() or c in ".-" else "-" for c in way.removeprefix(CHAT))
    return f"chat-{name}-{digest_of(REQUEST)[:6]}"


@lru_cache(maxsize=1024)
def clauses(sentence: Sentence) -> tuple[Sentence, ...]:
    """Return the clauses of a sentence that have a verb of their own; a verb without a subject takes the first one."""
    text = sentence.text
    cuts, starts = [0], [""]
    if RELATIVE.search(text):  # where a relative clause ends is not known
        return (sentence,)
    for match in JOIN.finditer(text):
        left, right = text[cuts[-1] : match.start()], text[match.end() :]
        after = JOIN.search(right)
        own = right[: after.start()] if after else right
        if not _has_verb(left) or len(own.split()) < 2:
            continue
        subject = _subject(starts[-1] + left)
        if _is_verb(own.split(), 0) and subject:
            starts.append(f"{subject} ")
        elif match[0].startswith(";") or _has_subject(own):
            starts.append("")
        else:
            continue
        cuts.append(match.end())
    if len(cuts) == 1:
        return (sentence,)
    parts = []
    for low, high, start in zip(cuts, [*cuts[1:], len(text)], starts, strict=True):
        own = re.sub(r"(?:;|,?\s+(?:and|but|while|whereas|although|though))?\s*$", "", text[low:high])
        claim = start + own
        claim = claim[:1].upper() + claim[1:]
        claim += "" if claim.endswith((".", "!", "?")) else "."
        parts.append(read_sentence(claim, sentence.start + low, sentence.start + low + len(own)))
    return tuple(parts)


def _words(text: str) -> list[str]:
    return [word.strip(",.()\"'“”‘’") for word in text.split()]


def _is_verb(words: Sequence[str], place: int) -> bool:
    low = words[place].lower().strip(",.").replace("’", "'")
    if low in AUXILIARY or low in VERBS:
        return True
    return low.endswith("ed") and len(low) > 4 and place + 1 < len(words) and bool(OBJECT.match(words[place + 1]))


def _has_verb(text: str) -> bool:
    words = _words(text)
    return any(_is_verb(words, i) or words[i].lower().endswith("ed") for i in range(1, len(words)))


def _has_subject(text: str) -> bool:
    """Return whether a clause begins with a subject: a few words that end before a verb."""
    words = _words(text)
    return any(_is_verb(words, i) for i in range(1, min(len(words), LONGEST_SUBJECT))) and not _is_verb(words, 0)


def _subject(text: str) -> str:
    """Return the words before the first verb of the last clause; nothing if there are too many to be a subject."""
    text = JOIN.split(text)[-1] if _has_subject(JOIN.split(text)[-1]) else text
    words, plain = text.split(), _words(text)
    first = next((i for i in range(len(plain)) if _is_verb(plain, i) or plain[i].lower().endswith("ed")), 0)
    return " ".join(words[:first]) if 0 < first <= LONGEST_SUBJECT else ""


def _chat(way: str) -> Any:
    from assay.systems.endpoint import Chat

    return Chat(model=way.removeprefix(CHAT), max_tokens=400)


def _by_chat(outputs: Sequence[str], way: str) -> list[list[Sentence]]:
    own = [list(sentences(text)) for text in outputs]
    requests = {
        f"{i}.{k}": REQUEST.format(output=text, sentence=one.text)
        for i, text in enumerate(outputs)
        for k, one in enumerate(own[i])
        if is_checkable(one)
    }
    replies = _chat(way).reply(
        [Example(id=id) for id in requests], lambda example: [{"role": "user", "content": requests[example.id]}]
    )
    read = {reply.id: _read_list(reply.text) for reply in replies}
    return [
        [
            read_sentence(text, one.start, one.end)
            for k, one in enumerate(mine)
            for text in read.get(f"{i}.{k}") or [one.text]
        ]
        for i, mine in enumerate(own)
    ]


def _read_list(reply: str) -> list[str]:
    """Return the strings of the JSON list in a reply; none if there is no such list."""
    low, high = reply.find("["), reply.rfind("]")
    try:
        values = json.loads(reply[low : high + 1]) if 0 <= low < high else []
    except ValueError:
        return []
    return [value.strip() for value in values if isinstance(value, str) and value.strip()][:MOST]
