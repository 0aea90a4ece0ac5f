"""Tokenisation of examples: truncation of inputs and token boundaries of continuations."""

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
    """An input in two parts: the document may be truncated, the kept part may not."""

    document: str
    kept: str = ""


def form_of(example: Example, chosen: Form | None, tokenizer: Any = None) -> Form:
    """Return the chosen form, or the default form, with the separator of the tokenizer for templates."""
    if chosen is not None:
        return chosen
    match = form(form_for(example))
    if isinstance(match, EventTemplate) and tokenizer is not None:
        return replace(match, separator=separator(tokenizer))
    return match


def separator(tokenizer: Any) -> str:
    """Return the first additional special token of a tokenizer, its separator, or its end token."""
    additional = getattr(tokenizer, "additional_special_tokens", None) or getattr(
        tokenizer, "extra_special_tokens", None
    )
    first = next(iter(additional), None) if isinstance(additional, list | tuple) else None
    return str(first or tokenizer.sep_token or tokenizer.eos_token)


def pieces(example: Example, chosen: Form) -> Pieces:
    """Split an input into its two parts."""
    if isinstance(chosen, EventTemplate) and chosen.fields in ("template_and_document", "document_with_type"):
        inputs = read_input(example, Event)
        return Pieces(chosen.document(example, inputs), chosen.event(example, inputs))
    return Pieces(chosen.render(example))


def encode(tokenizer: Any, parts: Pieces, limit: int) -> tuple[list[int], int]:
    """Return the token ids of an input and the number of tokens truncated from the document."""
    inputs = (parts.document, parts.kept) if parts.kept else (parts.document,)
    whole: list[int] = tokenizer(*inputs, truncation=False, verbose=False).input_ids
    if len(whole) <= limit:
        return whole, 0
    if parts.kept and len(tokenizer("", parts.kept, verbose=False).input_ids) >= limit:
        raise AssayError(f"the part of the input that may not be cut has more than {limit} tokens")
    ids: list[int] = tokenizer(*inputs, truncation="only_first" if parts.kept else True, max_length=limit).input_ids
    return ids, len(whole) - len(ids)


def encode_pair(tokenizer: Any, text: str, candidate: str, limit: int) -> tuple[list[int], int]:
    """Return the token ids of an input with a candidate and the number of truncated tokens. The input is truncated;
    the candidate only if it exceeds the limit on its own."""
    if len(tokenizer("", candidate, verbose=False).input_ids) < limit:
        return encode(tokenizer, Pieces(text, candidate), limit)
    whole = tokenizer(text, candidate, truncation=False, verbose=False).input_ids
    ids: list[int] = tokenizer(text, candidate, truncation="longest_first", max_length=limit).input_ids
    return ids, len(whole) - len(ids)


def source_tokens(tokenizer: Any, example: Example, chosen: Form | None, limit: int) -> tuple[list[int], int]:
    """Return the encoder tokens of an example and the number of tokens truncated from its document."""
    try:
        return encode(tokenizer, pieces(example, form_of(example, chosen, tokenizer)), limit)
    except AssayError as error:
        raise AssayError(str(error) if example.id in str(error) else f"id {example.id}: {error}") from None


def fit(example: Example, render: Callable[[Example], str], count: Callable[[str], int], limit: int) -> tuple[str, int]:
    """Return the text of an example, truncated in its document to `limit` tokens, and the number of words removed."""
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
    """A text to score: the tokens of the prefix and of the continuation."""

    before: list[int]
    after: list[int]
    aligned: bool
    """Whether the prefix alone has the same tokens; if not, the boundary was found by characters."""


def edges(tokenizer: Any) -> list[int]:
    """Return the tokens that a tokenizer adds before a text."""
    ids: list[int] = list(tokenizer("").input_ids)
    while ids and ids[-1] in (tokenizer.eos_token_id, tokenizer.sep_token_id):
        ids.pop()
    return ids


def target(tokenizer: Any, prefix: str, continuation: str) -> Target:
    """Split the tokens of prefix, one space and continuation at the start of the continuation.

    A token belongs to the continuation if it extends beyond the prefix, so each space is counted once.
    """
    glue = "" if not prefix or prefix[-1].isspace() else " "
    text = prefix + glue + continuation
    if tokenizer.is_fast:
        match = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        ids = list(match.input_ids)
        cut = next((i for i, (_, end) in enumerate(match.offset_mapping) if end > len(prefix)), len(ids))
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
    """Return the input text of a causal model and the number of words truncated from the document."""

    def render(shown: Example) -> str:
        if chat and getattr(tokenizer, "chat_template", None):
            return str(tokenizer.apply_chat_template(messages(shown), tokenize=False, add_generation_prompt=True))
        return "\n\n".join(message["content"] for message in messages(shown))

    def count(text: str) -> int:
        return len(tokenizer(text, add_special_tokens=False, verbose=False).input_ids)

    return fit(example, render, count, limit)


def first_token(tokenizer: Any) -> int:
    """Return the first token of a causal model for an empty input."""
    return int(tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id)


def padded(rows: Sequence[list[int]], pad: int) -> Any:
    """Return rows of tokens as one tensor, padded on the right."""
    import torch

    longest = max(map(len, rows))
    return torch.tensor([row + [pad] * (longest - len(row)) for row in rows])


def text_of(tokenizer: Any, tokens: Sequence[int]) -> str:
    """Return tokens as text, with task markers and without special tokens of the tokenizer."""
    own = {tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id, tokenizer.sep_token_id}
    kept = [token for token in tokens if token not in own]
    return " ".join(tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False).split())
