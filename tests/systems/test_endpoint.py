"""Endpoints that misbehave, the cache, and the key that must never be seen."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems import system
from assay.systems.answering import answer
from assay.systems.endpoint import Chat
from assay.systems.tasks import Generate, ListTexts
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import Server

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
    server.also = {"Location": "http://127.0.0.1:9/elsewhere"} if code == 302 else {}
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
    for number, harm in enumerate(("fine", "damaged"), 8):
        for file in (tmp_path / "cache").rglob("*.json"):
            file.write_text(file.read_text().replace("fine", "fire") if harm == "fine" else harm)
        texts(chat, EXAMPLES[:1])
        assert len(server.calls) == number
    chat.cache = "none"
    texts(chat, EXAMPLES[:1])
    assert len(server.calls) == 10


def test_a_dead_server_is_given_up_soon_and_resumed(here: Run, server: Server, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": str(i), "source": f"text {i}"} for i in range(12)])
    arguments = [
        "system", "generate", examples, "-o", tmp_path / "o.jsonl", "--system",
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
    assert "4 reused" in again.out
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
    call = run(
        "system", "generate", examples, "--system", spec, "-o", tmp_path / "o.jsonl", "--json", OPENAI_API_KEY=KEY
    )
    assert call.code == 0
    assert all(headers["Authorization"] == f"Bearer {KEY}" for headers in server.headers)
    assert KEY not in call.out + call.err + json.dumps(server.calls)
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(kept) == 5  # examples, outputs, info, two cached answers
    assert not [file for file in kept if KEY in file.read_text("utf-8")]


@pytest.mark.parametrize("command", ["generate", "judge"])
def test_what_was_paid_before_a_stop_is_counted(here: Run, server: Server, tmp_path: Path, command: str) -> None:
    """One of six answers is in the cache and two more come before the server goes down; the others come later."""
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": str(i), "source": f"text {i}"} for i in range(6)])
    outputs = write_jsonl(tmp_path / "texts.jsonl", [{"id": str(i), "output": f"text {i}"} for i in range(6)])
    spec = f"chat:toy:base={server.url}:retries=0:concurrency=1:price_in=1e5:price_out=1e5:cache={tmp_path / 'cache'}"
    arguments: list[Any] = {
        "generate": ["system", "generate", examples, "--system", spec],
        "judge": ["judge", "run", outputs, "-e", examples, "--criterion", "x", "--allow-missing", "--system", spec],
    }[command]
    server.behave = lambda number, body: (200, server.answer("4"))
    assert here(*arguments, "--limit", 1, "-o", tmp_path / "first.jsonl").code == 0
    server.behave = lambda number, body: (200, server.answer("4")) if number < 3 else (500, {})
    out = tmp_path / "o.jsonl"
    assert "3 of 6 answers are kept" in here(*arguments, "-o", out).err
    server.behave = lambda number, body: (200, server.answer("4"))
    again = here(*arguments, "-o", out, "--json").json
    info = tmp_path / ("o.answers.jsonl.info.json" if command == "judge" else "o.jsonl.info.json")
    for about in (again, json.loads(info.read_text())):
        assert (about["calls"], about["cached"], about["tokens_in"], about["tokens_out"]) == (5, 1, 35, 15)
        assert about["cost"] == pytest.approx(5)  # ten tokens a call


def test_what_was_paid_for_lists_is_counted(chat: Chat, server: Server, tmp_path: Path) -> None:
    chat.retries, chat.concurrency = 0, 1
    server.behave = lambda number, body: (200, server.answer("4")) if number < 2 else (500, {})
    with pytest.raises(AssayError, match="2 of 6 answers are kept"):
        answer(ListTexts(), chat, EXAMPLES, tmp_path / "l.jsonl")
    server.behave = lambda number, body: (200, server.answer("4"))
    used = answer(ListTexts(), chat, EXAMPLES, tmp_path / "l.jsonl").usage
    assert (used["calls"], used["tokens_in"]) == (6, 42)


def test_one_system_counts_each_piece_of_work_by_itself(chat: Chat, tmp_path: Path) -> None:
    answer(Generate(), chat, EXAMPLES[:2], tmp_path / "a.jsonl")
    done = answer(Generate(), chat, EXAMPLES[:3], tmp_path / "b.jsonl")
    assert (done.usage["calls"], done.usage["cached"], done.usage["tokens_in"]) == (1, 2, 7)


def test_answers_that_were_cut_are_counted(here: Run, server: Server, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": str(i), "source": f"text {i}"} for i in range(3)])

    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        answer = server.answer("and so")
        answer["choices"][0]["finish_reason"] = "length" if "text 1" in body["messages"][-1]["content"] else "stop"
        return 200, answer

    server.behave = behave
    for name in ("a", "b"):  # the second from the cache
        out = tmp_path / f"{name}.jsonl"
        call = here(
            "system", "generate", examples, "--system", f"chat:t:base={server.url}:cache={tmp_path / 'c'}", "-o", out
        )
        assert "1 of 3 answers were cut at max_tokens=256" in call.err
        assert [json.loads(line).get("cut") for line in out.read_text().splitlines()] == [None, True, None]
        assert json.loads(out.with_name(f"{name}.jsonl.info.json").read_text())["cut"] == 1


@pytest.mark.parametrize("trouble", ["again", "hanging"])
def test_a_stop_is_quick_whatever_the_server_does(server: Server, tmp_path: Path, trouble: str) -> None:
    """^C while calls wait for their next try, and while they wait for an answer; what is there is kept."""
    hold = threading.Event()

    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        if number >= 2 and trouble == "hanging":
            hold.wait(30)
        return (200, server.answer("ok")) if number < 2 else (500, {})

    server.behave = behave
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": str(i), "source": f"text {i}"} for i in range(20)])
    out = tmp_path / "o.jsonl"
    spec = f"chat:toy:base={server.url}:backoff=20:cache=none"
    command = [sys.executable, "-m", "assay", "system", "generate", str(examples), "--system", spec, "-o", str(out)]
    # A suite that runs in the background of a shell ignores SIGINT, and so would its children.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, handler)
    try:
        until = time.monotonic() + 60
        while len(server.calls) < 6 and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.2)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    finally:
        hold.set()
        process.kill()
    assert time.monotonic() - start < 5
    assert process.returncode == 130
    assert "stopped; 2 of " in said
    assert "answers are kept, and the same command continues" in said
    assert "Traceback" not in said
    assert len(out.with_name("o.jsonl.part").read_text().splitlines()) == 1 + 2
    assert len(server.calls) == 6  # four under way, none begun after the stop
