"""Items of other tools, recognized by content: one module per tool.

A document of a tool is first taken apart into its rows, then rows are translated to our field names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from assay.records.tools import (
    deepeval,
    harness,
    langfuse,
    lighteval,
    mlflow_tables,
    mlflow_traces,
    openai_chat,
    otlp,
    promptfoo,
    ragas,
)
from assay.records.tools.common import Fields, Found, Source, blamed

CORRECT = frozenset(("references", "expected"))
"""Fields of which an item needs one to have a correct answer."""


class Tool(NamedTuple):
    """A format of another tool."""

    name: str
    is_row: Callable[[Fields], bool]
    read: Callable[[Source], Found]


TOOLS = (
    Tool("lm-evaluation-harness", harness.is_row, harness.read),
    Tool("lighteval", lighteval.is_row, lighteval.read),
    Tool("promptfoo", promptfoo.is_row, promptfoo.read),
    Tool("DeepEval", deepeval.is_row, deepeval.read),
    Tool("ragas", ragas.is_row, ragas.read),
    Tool("OTLP", otlp.is_row, otlp.read),
    Tool("MLflow traces", mlflow_traces.is_row, mlflow_traces.read),
    Tool("Langfuse", langfuse.is_row, langfuse.read),
    Tool("OpenAI", openai_chat.is_row, openai_chat.read),
    Tool("MLflow", mlflow_tables.is_row, mlflow_tables.read),
)


def rows_of(document: Mapping[str, Any]) -> list[Any] | None:
    """Return the rows of a document of another tool; None if it is not one."""
    for apart in (promptfoo.rows_of, deepeval.rows_of, langfuse.rows_of):
        if (rows := apart(document)) is not None:
            return rows
    alone = dict(document)
    return [alone] if any(tool.is_row(alone) for tool in TOOLS) else None


def translate(source: Source) -> Found | None:
    """Return the items of a file of another tool, or None if the tool is unknown."""
    first = source.rows[0] if source.rows else {}
    tool = next((tool for tool in TOOLS if tool.is_row(first)), None)
    if tool is None:
        return None
    result = tool.read(source)
    notes = [f"{tool.name}: {note}" for note in result.notes]
    items = [fields for fields, _ in result.items if fields is not None]
    for fields in items:
        if len(fields.get("contexts", ())) > 1:
            fields["contexts"] = _with_own_ids(fields["contexts"])
    lacking = sum(not CORRECT & fields.keys() for fields in items)
    if 0 < lacking < len(items):
        for fields in items:
            for name in CORRECT:
                fields.pop(name, None)
        notes.append(
            f"{tool.name}: {lacking} of {len(items)} items have no correct answer, so none is used; add them, or leave "
            "these items out"
        )
    return Found(result.items, tuple(notes))


def _with_own_ids(passages: list[Fields]) -> list[Fields]:
    """Return passages with different ids, because several retrievals of one trace number theirs from 1 each."""
    seen: dict[tuple[str, str], None] = dict.fromkeys((one["id"], one["text"]) for one in passages)
    if len({id for id, _ in seen}) == len(seen):
        return [{"id": id, "text": text} for id, text in seen]
    return [{"id": f"{number}", "text": text} for number, (_, text) in enumerate(seen, 1)]


__all__ = ["TOOLS", "Found", "Source", "Tool", "blamed", "rows_of", "translate"]
