"""`assay data turns`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import Call, write_jsonl


def chat(number: int) -> dict[str, Any]:
    call = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": "tide"}}]}
    turns = ["How is the harbour?", "The harbour is calm.", "And the tide?", "The tide is low today."]
    messages = [{"role": "user" if i % 2 == 0 else "assistant", "content": text} for i, text in enumerate(turns)]
    return {"id": f"d{number}", "model": "m", "messages": [*messages[:3], call, messages[3]]}


def test_each_turn_of_the_assistant_is_an_item(here: Callable[..., Call], tmp_path: Path) -> None:
    chats = write_jsonl(tmp_path / "chats.jsonl", [chat(i) for i in range(12)])
    out = tmp_path / "turns.jsonl"
    done = here("data", "turns", str(chats), "-o", str(out))
    assert done.code == 0, done.err
    assert "24 turns of 12 dialogues" in done.out
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows[:2]] == ["d0:1", "d0:2"]
    assert [len(row["messages"]) for row in rows[:2]] == [1, 4]
    assert rows[1]["tags"] == {"dialogue": "d0", "turn": "2"}
    assert rows[1]["messages"][-1]["tool_calls"]


def test_dialogues_are_the_clusters(here: Callable[..., Call], tmp_path: Path) -> None:
    chats = write_jsonl(tmp_path / "chats.jsonl", [chat(i) for i in range(12)])
    out = tmp_path / "turns.jsonl"
    assert here("data", "turns", str(chats), "-o", str(out)).code == 0
    done = here("score", str(out), "-m", "conversation", "--ci", "100", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["n"], found["cluster"], found["clusters"]) == (24, "dialogue", 12)
    assert found["scores"]["conversation.entrainment"]["value"] == 1.0


def test_outputs_without_messages_are_refused(here: Callable[..., Call], tmp_path: Path) -> None:
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "1", "output": "x", "system": "m"}])
    done = here("data", "turns", str(outputs), "-o", str(tmp_path / "t.jsonl"))
    assert done.code == 1
    assert "has no messages" in done.err
