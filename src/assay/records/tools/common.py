"""What readers of other tools share: texts, numbers, chats and contexts of any shape."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from assay.errors import AssayError

T = TypeVar("T")
Fields = dict[str, Any]
TAKEN = frozenset("id output references source filter system parent target doc_id".split())
"""Names of fields that are not scores."""
TEXT_KEYS = ("text", "content", "page_content", "value", "document")
"""Keys under which tools store the text of a passage or of a part of a message."""
ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "gpt": "assistant", "function": "tool"}
"""Roles of a chat under their other names."""
MOST_NAMED = 8


class Found(NamedTuple):
    """The items of a file: fields under our names, and the index of the row each comes from; None for an item that was
    left out because it has no answer."""

    items: list[tuple[Fields | None, int]]
    notes: tuple[str, ...] = ()

    @staticmethod
    def each(rows: list[Fields], notes: tuple[str, ...] = ()) -> Found:
        """Return one item per row."""
        return Found([(fields, i) for i, fields in enumerate(rows)], notes)


class Source(NamedTuple):
    """The rows of a file of another tool, and how they are to be read."""

    rows: Sequence[Fields]
    where: Callable[[int], str]
    """Location of a row, for errors."""
    texts: bool = True
    """Whether each item needs an output. Logs may have scores alone."""
    skip_bad: bool = False

    def failed(self, row: int, why: str) -> None:
        """Refuse an item that has no answer; return if such items are left out.

        Raises:
            AssayError: Unless `skip_bad` is set.
        """
        if not self.skip_bad:
            raise AssayError(f"{self.where(row)}: {why}. Run it again, or leave such items out with --skip-bad.")


def blamed(path: object, make: Callable[[], T]) -> T:
    """Return the result of `make`; turn any exception into one line, because fields can have any type."""
    try:
        return make()
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(f"{path}: looks like a file of another tool, but is incomplete ({error!r:.120})") from None


def texts(value: Any) -> list[str]:
    """Return one text or number, or a list of them, as a list of strings."""
    values = value if isinstance(value, list | tuple) else [value]
    return [str(each) for each in values if isinstance(each, str | int | float) and not isinstance(each, bool)]


def numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """Return the numeric fields of a row: scores that the tool has computed."""
    return {
        name: float(value)
        for name, value in row.items()
        if isinstance(value, int | float) and not name.endswith("_hash") and name not in TAKEN
    }


def leaves(value: Any) -> Iterator[Any]:
    """Yield the elements of nested lists in order."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    elif value is not None:
        yield value


def listed(value: Any) -> Any:
    """Parse a list that was written as text; return other values unchanged."""
    return printed(value) if isinstance(value, str) and value.startswith("[") else value


def printed(value: Any) -> Any:
    """Parse a list or object as Python prints it, as data frames write theirs to CSV; return others unchanged."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
    return value


def parsed(value: Any) -> Any:
    """Parse a value that was written as JSON text, as attributes of spans are; return other values unchanged."""
    if isinstance(value, str) and value[:1] in '{["':
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def content_text(content: Any) -> str:
    """Return the text of the content of a message: a string, or the joined text parts of a list."""
    if isinstance(content, str):
        return content
    pieces = content if isinstance(content, list) else [content]
    pieces = [piece if isinstance(piece, str) else passage_text(piece) for piece in pieces]
    return "\n".join(text for text in pieces if text)


def passage_text(value: Any) -> str:
    """Return the text of an object that has it under one of several keys; empty if it has none."""
    if not isinstance(value, Mapping):
        return ""
    return next((value[key] for key in (*TEXT_KEYS, "refusal") if isinstance(value.get(key), str)), "")


def message_text(value: Any) -> str:
    """Return a text, or the joined content of a list of chat messages."""
    if isinstance(value, str):
        return value
    messages = value if isinstance(value, list) else []
    parts = [content_text(each.get("content")) for each in messages if isinstance(each, Mapping)]
    return "\n".join(part for part in parts if part)


def is_chat(value: Any) -> bool:
    """Return whether a value is a list of chat messages."""
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(each, Mapping) and ("role" in each or "type" in each) for each in value)
    )


def chat(value: Any) -> list[Fields]:
    """Return messages in our form. `parts` (OpenTelemetry) and `type` (LangChain) are other names of their fields."""
    messages = []
    for each in value if isinstance(value, list | tuple) else []:
        if not isinstance(each, Mapping):
            continue
        role = str(each.get("role") or each.get("type") or "user").lower()
        content = content_text(each.get("content", each.get("parts"))) or content_text(each.get("refusal"))
        message: Fields = {"role": ROLES.get(role, role), "content": content}
        calls = each.get("tool_calls")
        if isinstance(calls, list | tuple) and calls:
            message["tool_calls"] = [dict(call) for call in calls if isinstance(call, Mapping)]
        for key in ("name", "tool_call_id"):
            if isinstance(each.get(key), str):
                message[key] = each[key]
        messages.append(message)
    return messages


def of_chat(value: Any) -> Fields:
    """Return messages and source of the chat that a system got; the source is its text."""
    messages = chat(value)
    text = "\n".join(one["content"] for one in messages if one["content"])
    return {"messages": messages, **({"source": text} if text else {})} if messages else {}


def contexts(value: Any) -> list[Fields]:
    """Return passages with ids, from texts or objects; a passage without an id gets its number."""
    pieces = []
    for number, each in enumerate(value if isinstance(value, list | tuple) else [value], 1):
        text = each if isinstance(each, str) else passage_text(each)
        id = next((each[key] for key in ("id", "doc_id") if each.get(key)), None) if isinstance(each, Mapping) else None
        if text:
            pieces.append({"id": str(id if isinstance(id, str | int) else number), "text": text})
    return pieces


def answer_text(value: Any) -> str | None:
    """Return the text of an answer of any shape: a text, a chat completion, messages, or an object with one text."""
    value = parsed(value)
    if isinstance(value, str):
        return value
    if is_chat(value):
        last = chat(value)[-1]
        return str(last["content"])
    if isinstance(value, Mapping):
        choices = value.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
            message = choices[0].get("message")
            return chat([message])[0]["content"] if isinstance(message, Mapping) else passage_text(choices[0])
        if is_chat(value.get("messages")):
            return answer_text(value["messages"])
        if isinstance(value.get("output"), list):  # the Responses API: reasoning and tool calls are other entries
            parts = [one for one in value["output"] if isinstance(one, Mapping) and one.get("type") == "message"]
            return "\n".join(content_text(one.get("content")) for one in parts)
        for key in ("content", "output", "answer", "response", "text", "result"):
            if isinstance(value.get(key), str | list):
                return content_text(value[key])
    return None if value is None else json.dumps(value, ensure_ascii=False)


def prompt_of(value: Any) -> Fields:
    """Return source and messages of a request of any shape."""
    value = parsed(value)
    if is_chat(value):
        return of_chat(value)
    if isinstance(value, Mapping):
        if is_chat(value.get("messages")):
            return of_chat(value["messages"])
        strings = [each for each in value.values() if isinstance(each, str)]
        if len(strings) == 1:
            return {"source": strings[0]}
        return {"source": json.dumps(value, ensure_ascii=False)} if value else {}
    return {"source": value} if isinstance(value, str) and value else {}


def unused(rows: Sequence[Mapping[str, Any]], used: frozenset[str]) -> tuple[str, ...]:
    """Return a note that names the fields of a file which are not used, if there are any with a value."""
    empty: tuple[Any, ...] = (None, "", [], {})
    names = dict.fromkeys(
        name for row in rows for name, value in row.items() if name not in used and value not in empty
    )
    if not names:
        return ()
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return (f"not used: {', '.join(list(names)[:MOST_NAMED])}{more}",)
