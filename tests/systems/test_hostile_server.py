"""Servers that mean harm: answers without end, bombs, numbers and letters that nothing can hold. One clear line each,
in time, and answers that can be read are read."""

from __future__ import annotations

import gzip
import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems import system
from assay.systems.http import LONGEST
from tests.conftest import read_jsonl, write_jsonl

Say = Callable[[], Iterable[bytes]]
ITEM = [Example(id="a", source="x")]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def whole(body: bytes, more: bytes = b"") -> list[bytes]:
    return [HEAD + more + f"Content-Length: {len(body)}\r\n\r\n".encode() + body]


def chat(content: str, **more: Any) -> bytes:
    """JSON as a careless server writes it: whatever Python has, escaped."""
    return json.dumps({"choices": [{"message": {"content": content}}], **more}).encode()


class Raw:
    """Sends bytes as they are, to whoever asks whatever."""

    def __init__(self) -> None:
        self.say: Say = lambda: whole(chat("fine"))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.ended = False
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while not self.ended:
            try:
                caller, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(caller,), daemon=True).start()

    def _answer(self, caller: socket.socket) -> None:
        with caller:
            try:
                caller.recv(1 << 16)
                for piece in self.say():
                    if self.ended:
                        return
                    caller.sendall(piece)
                caller.shutdown(socket.SHUT_WR)
                caller.settimeout(5)
                while caller.recv(1 << 16):  # what is left unread when a socket is closed takes the answer with it
                    pass
            except OSError:
                pass  # hung up

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"


@pytest.fixture
def raw() -> Iterator[Raw]:
    made = Raw()
    yield made
    made.ended = True
    made.listener.close()


def ask(raw: Raw, tmp_path: Path, more: str = "", retries: int = 0) -> str:
    spec = f"chat:m:base={raw.url}:retries={retries}:backoff=0:timeout=20:cache={tmp_path / 'cache'}{more}"
    (answer,) = system(spec).generate(ITEM)
    return answer.text


def slowly(head: bytes, piece: bytes) -> Iterator[bytes]:
    yield head
    for _ in range(200):
        time.sleep(0.05)
        yield piece


BOMB = gzip.compress(b" " * (LONGEST + 10), 1)
REFUSED: dict[str, tuple[Say, str]] = {
    "endless": (lambda: itertools.chain([HEAD + b"\r\n"], itertools.repeat(b"a" * 65536)), "longer than"),
    "gzip bomb": (lambda: whole(BOMB, b"Content-Encoding: gzip\r\n"), "longer than"),
    "packed otherwise": (lambda: whole(b"xx", b"Content-Encoding: br\r\n"), "has Content-Encoding br"),
    "damaged gzip": (lambda: whole(b"\x1f\x8b\x08xxxxxxxxxx", b"Content-Encoding: gzip\r\n"), "no chat completion"),
    "trickling body": (lambda: slowly(HEAD + b"Content-Length: 100000\r\n\r\n", b" "), "within 1 s"),
    "trickling head": (lambda: slowly(HEAD, b"X-A: b\r\n"), "within 1 s"),
    "nested": (lambda: whole(b"[" * 200_000), "no chat completion"),
    "nested inside": (lambda: whole(b'{"choices": ' + b"[" * 200_000), "no chat completion"),
    "many digits": (lambda: whole(b'{"choices": [{"message": {"content": ' + b"9" * 9999 + b"}}]}"), "no chat compl"),
    "a list": (lambda: whole(b"[1]"), "no chat completion"),
    "choices of another kind": (lambda: whole(b'{"choices": {"0": 1}}'), "no chat completion"),
    "no HTTP": (lambda: [b"\x00\xff" * 500], "no answer from the server"),
    "a head without end": (lambda: [HEAD + b"X: " + b"a" * 300_000 + b"\r\n\r\n"], "no answer from the server"),
    "nothing": (lambda: [b""], "no answer from the server"),
    "no text": (lambda: whole(b'{"choices": [{"message": {"content": null}}]}'), "no chat completion"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_line_and_in_time(raw: Raw, tmp_path: Path, case: str) -> None:
    raw.say, said = REFUSED[case]
    start = time.monotonic()
    with pytest.raises(AssayError, match=said) as caught:
        ask(raw, tmp_path, ":deadline=1" if "trickling" in case else "")
    assert "\n" not in str(caught.value)
    assert time.monotonic() - start < 8
    assert not list((tmp_path / "cache").rglob("*.json")), "what cannot be read is not kept"


@pytest.mark.parametrize(
    "wait", [b"inf", b"nan", b"-1", b"1e9", b"9" * 400, b"0.0" + b"0" * 300, b"\xb2", b"\xff\xfe", b"Fri, 31 Dec 9999"]
)
def test_a_server_cannot_make_anybody_wait_beyond_the_deadline(raw: Raw, tmp_path: Path, wait: bytes) -> None:
    raw.say = lambda: [b"HTTP/1.1 429 Slow\r\nRetry-After: " + wait + b"\r\nContent-Length: 0\r\n\r\n"]
    start = time.monotonic()
    # letters that no header may hold are no answer at all
    with pytest.raises(AssayError, match=r"the server answered 429|no answer from the server \(RemoteProtocolError\)"):
        ask(raw, tmp_path, ":deadline=1", retries=3)
    assert time.monotonic() - start < 8


READ: dict[str, tuple[bytes, str]] = {
    "half a letter": (chat("a \ud800 b"), "a \ufffd b"),
    "half a letter, raw": (chat("a X b").replace(b"X", b"\xed\xa0\x80"), "a \ufffd\ufffd\ufffd b"),
    "half a letter elsewhere": (chat("fine", id="\udfff"), "fine"),
    "no numbers": (chat("fine", usage={"prompt_tokens": float("nan")}, system_fingerprint=float("inf")), "fine"),
    "numbers too large": (chat("fine", usage={"prompt_tokens": 10**400, "completion_tokens": -1}), "fine"),
    "a float too large": (chat("fine", created=1).replace(b": 1}", b": 1e999}"), "fine"),
    "yes for a number": (chat("fine", usage={"prompt_tokens": True, "completion_tokens": [3]}), "fine"),
    "usage of another kind": (chat("fine", usage="none"), "fine"),
    "a whole pair": (chat("a \U0001f600"), "a \U0001f600"),
}


@pytest.mark.parametrize("case", READ)
def test_what_can_be_read_is_read_and_kept(
    raw: Raw, tmp_path: Path, here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    body, text = READ[case]
    raw.say = lambda: whole(body)
    assert ask(raw, tmp_path, ":price_in=1.5:price_out=2") == text
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "x"}])
    spec = f"chat:m:base={raw.url}:price_in=1.5:cache={tmp_path / 'cache'}"
    for _ in range(2):
        call = here("system", "generate", examples, "--system", spec, "-o", tmp_path / "o.jsonl", "--json")
        assert call.code == 0, call.err
    (row,) = read_jsonl(tmp_path / "o.jsonl")
    assert row["output"] == text
    assert row.get("tokens_in", 0) in range(1 << 53)


def test_a_packed_answer_is_unpacked(raw: Raw, tmp_path: Path) -> None:
    raw.say = lambda: whole(gzip.compress(chat("fine")), b"Content-Encoding: gzip\r\n")
    assert ask(raw, tmp_path) == "fine"


def test_a_cache_that_cannot_be_written_loses_no_answer(raw: Raw, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert ask(raw, tmp_path) == "fine"
