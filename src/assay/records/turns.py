"""Chats as items: one for each turn of the assistant, with the turns before it and the dialogue as a tag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from assay.records.read import OutputFile
from assay.records.types import Example, Message

ASSISTANT = "assistant"


def turns_of(systems: Sequence[OutputFile]) -> Iterator[dict[str, Any]]:
    """Yield a record for each turn of an assistant: id DIALOGUE:TURN, output, messages before it, tags.

    Turns that only call tools have no text and are no items; they stay in the messages of later turns.
    """
    for file in systems:
        for output, example in zip(file.texts, file.examples or (), strict=True):
            yield from _turns(file.system, output, example)


def _turns(system: str, output: str, example: Example) -> Iterator[dict[str, Any]]:
    chat = [*example.messages, Message(role=ASSISTANT, content=output)]
    number = 0
    for place, message in enumerate(chat):
        if message.role != ASSISTANT or not message.content.strip():
            continue
        number += 1
        last = place == len(chat) - 1
        yield {
            "id": f"{example.id}:{number}", "system": system, "output": message.content,
            "messages": [msgspec.to_builtins(one) for one in chat[:place]],
            "tags": example.tags | {"dialogue": example.id, "turn": str(number)},
            **({"language": example.language} if example.language else {}),
            **({"contexts": msgspec.to_builtins(example.contexts)} if last and example.contexts else {}),
            **({"expected": example.expected} if last and example.expected is not None else {}),
            **({"references": list(example.references)} if last and example.references else {}),
        }  # fmt: skip
