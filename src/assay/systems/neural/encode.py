"""Examples as tokens: which part of an input may be cut, and where a continuation begins among the tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from assay.errors import AssayError
from assay.inputs import Form, form, form_for
from assay.inputs.events import EventTemplate
from assay.records.inputs import read_input, texts_of, with_input
from assay.records.kinds import Event
from assay.records.types import Example


class Pieces(NamedTuple):
    """An input in two parts: the document may be cut at its end, what is kept may not."""

    document: str
    kept: str = ""


def form_of(example: Example, chosen: Form | None, tokenizer: Any = None) -> Form:
    """The form asked for, or the usual one; templates then use the tokenizer's own separator."""
    if chosen is not None:
        return chosen
    found = form(form_for(example))
    if isinstance(found, EventTemplate) and tokenizer is not None:
        return replace(found, separator=separator(tokenizer))
    return found


def separator(tokenizer: Any) -> str:
    """The first additional special token of a tokenizer, else its separator, else its end token."""
    additional = getattr(tokenizer, "additional_special_tokens", None) or getattr(
        tokenizer, "extra_special_tokens", None
    )
    first = next(iter(additional), None) if isinstance(additional, list | tuple) else None
    return str(first or tokenizer.sep_token or tokenizer.eos_token)


def pieces(example: Example, chosen: Form) -> Pieces:
    """The two parts of an input."""
    if isinstance(chosen, EventTemplate) and chosen.fields in ("template_and_document", "document_with_type"):
        given = read_input(example, Event)
        return Pieces(chosen.document(example, given), chosen.event(example, given))
    return Pieces(chosen.render(example))


def encode(tokenizer: Any, parts: Pieces, limit: int) -> tuple[list[int], int]:
    """Token ids of an input and how many tokens were cut, all of them from the document."""
    given = (parts.document, parts.kept) if parts.kept else (parts.document,)
    whole: list[int] = tokenizer(*given, truncation=False, verbose=False).input_ids
    if len(whole) <= limit:
        return whole, 0
    if parts.kept and len(tokenizer("", parts.kept, verbose=False).input_ids) >= limit:
        raise AssayError(f"the part of the input that may not be cut has more than {limit} tokens")
    ids: list[int] = tokenizer(*given, truncation="only_first" if parts.kept else True, max_length=limit).input_ids
    return ids, len(whole) - len(ids)


def encode_pair(tokenizer: Any, text: str, candidate: str, limit: int) -> tuple[list[int], int]:
    """Token ids of an input with a candidate, and how many were cut: from the input, unless the candidate alone is too
    long. One overlong candidate among thousands is no reason to refuse them all."""
    if len(tokenizer("", candidate, verbose=False).input_ids) < limit:
        return encode(tokenizer, Pieces(text, candidate), limit)
    whole = tokenizer(text, candidate, truncation=False, verbose=False).input_ids
    ids: list[int] = tokenizer(text, candidate, truncation="longest_first", max_length=limit).input_ids
    return ids, len(whole) - len(ids)


def source_tokens(tokenizer: Any, example: Example, chosen: Form | None, limit: int) -> tuple[list[int], int]:
    """What an encoder reads of an example, and how many tokens of its document were cut."""
    try:
        return encode(tokenizer, pieces(example, form_of(example, chosen, tokenizer)), limit)
    except AssayError as error:
        raise AssayError(str(error) if example.id in str(error) else f"id {example.id}: {error}") from None


def fit(example: Example, render: Callable[[Example], str], count: Callable[[str], int], limit: int) -> tuple[str, int]:
    """The text of an example with as much of its document as fits into `limit` tokens, and the words cut."""
    whole = render(example)
    words = _document_words(example)
    if count(whole) <= limit:
        return whole, 0
    low, high = 0, len(words)  # low words fit, high words do not
    if count(render(_with_document(example, []))) > limit:
        raise AssayError(f"id {example.id}: even without its document the input has more than {limit} tokens")
    while high - low > 1:
        middle = (low + high) // 2
        fits = count(render(_with_document(example, words[:middle]))) <= limit
        low, high = (middle, high) if fits else (low, middle)
    return render(_with_document(example, words[:low])), len(words) - low


def _document_words(example: Example) -> list[str]:
    document = texts_of(example, "document")
    return " ".join(document).split() if document is not None else (example.source or "").split()


def _with_document(example: Example, words: Sequence[str]) -> Example:
    text = " ".join(words)
    shown = msgspec.structs.replace(example, source=text)
    return shown if texts_of(example, "document") is None else with_input(shown, document=[text])


class Target(NamedTuple):
    """A text to be scored: the tokens before and those of the continuation."""

    before: list[int]
    after: list[int]
    aligned: bool
    """Whether the prefix alone has the same tokens; if not, the cut was found by characters."""


def edges(tokenizer: Any) -> list[int]:
    """The tokens that a tokenizer puts before a text."""
    ids: list[int] = list(tokenizer("").input_ids)
    while ids and ids[-1] in (tokenizer.eos_token_id, tokenizer.sep_token_id):
        ids.pop()
    return ids


def target(tokenizer: Any, prefix: str, continuation: str) -> Target:
    """Where the continuation begins among the tokens of prefix, one space, continuation.

    A token belongs to the continuation if it reaches beyond the prefix: no space is counted twice or forgotten.
    """
    glue = "" if not prefix or prefix[-1].isspace() else " "
    text = prefix + glue + continuation
    if tokenizer.is_fast:
        found = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        ids = list(found.input_ids)
        cut = next((i for i, (_, end) in enumerate(found.offset_mapping) if end > len(prefix)), len(ids))
    else:
        ids = list(tokenizer(text, add_special_tokens=False, verbose=False).input_ids)
        cut = len(tokenizer(prefix, add_special_tokens=False, verbose=False).input_ids) if prefix else 0
    alone = list(tokenizer(prefix, add_special_tokens=False, verbose=False).input_ids) if prefix else []
    if cut >= len(ids) or not continuation.strip():
        raise AssayError(f"the continuation {continuation[:40]!r} has no tokens")
    return Target(ids[:cut], ids[cut:], alone == ids[:cut])


def context(
    tokenizer: Any, example: Example, messages: Callable[[Example], list[dict[str, str]]], limit: int, chat: bool = True
) -> tuple[str, int]:
    """What a causal model reads before it goes on, and the words of the document that were cut to fit the limit."""

    def render(shown: Example) -> str:
        if chat and getattr(tokenizer, "chat_template", None):
            return str(tokenizer.apply_chat_template(messages(shown), tokenize=False, add_generation_prompt=True))
        return "\n\n".join(message["content"] for message in messages(shown))

    def count(text: str) -> int:
        return len(tokenizer(text, add_special_tokens=False, verbose=False).input_ids)

    return fit(example, render, count, limit)


def first_token(tokenizer: Any) -> int:
    """What a causal model begins with where there is nothing to begin with."""
    return int(tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id)


def padded(rows: Sequence[list[int]], pad: int) -> Any:
    """Rows of tokens as one tensor, filled up on the right."""
    import torch

    longest = max(map(len, rows))
    return torch.tensor([row + [pad] * (longest - len(row)) for row in rows])
