"""Endpoints that misbehave, the cache, and the key that must never be seen."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems import system
from assay.systems.endpoint import Chat
from assay.systems.prompts import built_in, prompt
from conftest import Call, write_jsonl
from systems_fixtures import Server

Run = Callable[..., Call]
EXAMPLES = [Example(id=str(i), source=f"text {{{i}}}") for i in range(6)]
KEY = "sk-very-secret-93"


@pytest.fixture
def chat(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chat:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = system(f"chat:toy:base={server.url}:backoff=0.01:timeout=0.3:retries=3:cache={tmp_path / 'cache'}")
    assert isinstance(made, Chat)
    return made


def texts(chat: Chat, examples: list[Example] = EXAMPLES) -> dict[str, str]:
    return {answer.id: answer.text for answer in chat.generate(examples)}


def test_answers_tokens_and_cost(chat: Chat, server: Server) -> None:
    server.behave = lambda number, body: (200, server.answer(body["messages"][-1]["content"].upper()))
    chat.price_in, chat.price_out = 1.0, 2.0
    assert texts(chat) == {str(i): f"TEXT {{{i}}}" for i in range(6)}
    used = chat.usage()
    assert (used["calls"], used["tokens_in"], used["tokens_out"]) == (6, 42, 18)
    assert used["cost"] == pytest.approx((42 + 36) / 1e6)
    assert server.most <= chat.concurrency


BROKEN: dict[str, Callable[[Server], tuple[int, Any]]] = {
    "429": lambda server: (429, {"error": "slow down"}),
    "500": lambda server: (500, {"error": "oops"}),
    "cut": lambda server: (200, "cut"),
    "slow": lambda server: (200, "slow"),
    "no json": lambda server: (200, b"<html>"),
    "no choices": lambda server: (200, {"choices": []}),
    "no text": lambda server: (200, server.answer(None)),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_trouble_that_passes_is_ridden_out(chat: Chat, server: Server, kind: str) -> None:
    server.behave = lambda number, body: BROKEN[kind](server) if number < 2 else (200, server.answer("fine"))
    assert texts(chat, EXAMPLES[:1]) == {"0": "fine"}
    assert chat.usage()["retries"] == 2


@pytest.mark.parametrize(("code", "calls"), [(401, 1), (404, 1), (302, 1), (503, 4)])
def test_what_makes_no_sense_again_is_not_tried_again(chat: Chat, server: Server, code: int, calls: int) -> None:
    server.behave = lambda number, body: (code, {"error": f"key {KEY} refused"})
    with pytest.raises(AssayError, match=rf"id 0: the server answered {code}") as caught:
        texts(chat, EXAMPLES[:1])
    assert len(server.calls) == calls
    assert KEY not in str(caught.value)


def test_no_more_calls_at_once_than_allowed(chat: Chat, server: Server) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        time.sleep(0.02)
        return 200, server.answer("fine")

    server.behave = behave
    chat.concurrency = 2
    texts(chat)
    assert server.most == 2


def test_cache_is_by_content(chat: Chat, server: Server, tmp_path: Path) -> None:
    texts(chat)
    texts(chat)
    assert len(server.calls) == 6
    assert chat.usage()["cached"] == 6
    chat.temperature = 0.5
    texts(chat, EXAMPLES[:1])
    assert len(server.calls) == 7
    for file in (tmp_path / "cache").rglob("*.json"):
        file.write_text("damaged")
    texts(chat, EXAMPLES[:1])
    assert len(server.calls) == 8
    chat.cache = "none"
    texts(chat, EXAMPLES[:1])
    assert len(server.calls) == 9


def test_a_dead_server_is_given_up_soon_and_resumed(here: Run, server: Server, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": str(i), "source": f"text {i}"} for i in range(12)])
    arguments = [
        "generate", examples, "-o", tmp_path / "o.jsonl", "--system",
        f"chat:toy:base={server.url}:backoff=0.01:retries=1:concurrency=1:cache=none",
    ]  # fmt: skip
    server.behave = lambda number, body: (200, server.answer("ok")) if number < 4 else (500, {})
    call = here(*arguments)
    assert call.code == 1
    assert "8 of 12 items failed" in call.err
    assert "4 of 12 answers are kept" in call.err
    assert len(server.calls) == 4 + 3 * 2  # three items in a row, then nobody is asked any more
    assert not (tmp_path / "o.jsonl").exists()
    server.behave = lambda number, body: (200, server.answer("ok"))
    again = here(*arguments)
    assert again.code == 0
    assert "4 were there" in again.out
    assert len(server.calls) == 10 + 8


def test_nobody_listens(tmp_path: Path) -> None:
    chat = system("chat:toy:base=http://127.0.0.1:9/v1:retries=0:cache=none")
    with pytest.raises(AssayError, match="no answer from the server"):
        list(chat.generate(EXAMPLES[:1]))
    assert system("chat").why_not() == "name the model: chat:MODEL"


def test_the_key_goes_into_the_header_and_nowhere_else(run: Run, server: Server, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "x"}, {"id": "b", "source": "y"}])
    server.behave = lambda number, body: (200, server.answer("ok")) if number else (500, {"echo": KEY})
    spec = f"chat:toy:base={server.url}:backoff=0.01:cache={tmp_path / 'cache'}"
    call = run("generate", examples, "--system", spec, "-o", tmp_path / "o.jsonl", "--json", OPENAI_API_KEY=KEY)
    assert call.code == 0
    assert all(headers["Authorization"] == f"Bearer {KEY}" for headers in server.headers)
    assert KEY not in call.out + call.err + json.dumps(server.calls)
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(kept) == 5  # examples, outputs, info, two cached answers
    assert not [file for file in kept if KEY in file.read_text("utf-8")]


def test_prompts_are_files_with_versions(tmp_path: Path) -> None:
    assert {"eks-1", "eks-2", "eks-3", "judge", "plain"} <= set(built_in())
    assert len({prompt(f"eks-{i}").system for i in (1, 2, 3)}) == 3
    own = tmp_path / "mine.toml"
    own.write_text('name = "mine"\nversion = 2\nuser = "Say {text}!"\n')
    assert prompt(str(own)).version == "2"
    assert prompt(str(own)).messages(text="{x}") == [{"role": "user", "content": "Say {x}!"}]
    with pytest.raises(AssayError, match=r"no field \{text\}"):
        prompt(str(own)).messages(other="")
    with pytest.raises(AssayError, match="did you mean eks-1"):
        prompt("eks1")
    own.write_text("name = 1")
    with pytest.raises(AssayError, match="not a prompt"):
        prompt(str(own))
