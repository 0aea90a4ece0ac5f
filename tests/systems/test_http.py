"""Keys and addresses: what no header can hold, what must not be shown, and where a key could get out."""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems import refuse_secrets, system
from assay.systems.endpoint import Chat
from assay.systems.http import address, hidden
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import Server

Run = Callable[..., Call]
KEY = "sk-SECRETKEY-0123456789"
ITEM = [Example(id="a", source="x")]


def everything(folder: Path) -> str:
    return "".join(f"{file}{file.read_text('latin-1')}" for file in sorted(folder.rglob("*")) if file.is_file())


def config(folder: Path, spec: str) -> Path:
    folder.mkdir(exist_ok=True)
    write_jsonl(folder / "e.jsonl", [{"id": "a", "source": "x", "references": ["x"]}])
    path = folder / "c.toml"
    path.write_text(
        'name = "m"\nci = 0\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\nmetrics = ["rouge1"]\n'
        f'[[systems]]\nname = "s"\nsystem = "{spec}"\n[[systems]]\nname = "lead"\nsystem = "lead"\n'
    )
    return path


@pytest.mark.parametrize("key", [f"{KEY}\n", f"  {KEY}\r\n", f"\t{KEY} "])
def test_white_space_around_a_key_is_no_part_of_it(server: Server, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert [answer.text for answer in system(f"chat:x:base={server.url}:cache=none").generate(ITEM)] == ["fine"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("bad", ["SECRET\nKEY", "SECRET\x07KEY", "SECRET\x85KEY", "SECRET\u2026KEY", "SECRET\udcffKEY"])
def test_a_key_that_no_header_can_hold_is_not_shown(
    here: Run, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    monkeypatch.setenv("MY_KEY", bad)
    spec = f"chat:x:base={server.url}:cache={tmp_path / 'cache'}:key_env=MY_KEY"
    path = config(tmp_path, spec)
    call = here("system", "generate", tmp_path / "e.jsonl", "--system", spec, "-o", tmp_path / "o.jsonl")
    assert call.code == 1
    assert "MY_KEY: the key contains a line break" in call.err
    ran = here("run", path, "-o", tmp_path / "out")
    assert "MY_KEY" in json.loads((tmp_path / "out" / "results.json").read_text())["entries"][0]["why"]
    with pytest.raises(AssayError, match="MY_KEY") as caught:
        list(system(spec).generate(ITEM))
    shown = call.out + call.err + ran.out + ran.err + str(caught.value) + everything(tmp_path)
    assert not re.search("SECRET|KEY", shown.replace("MY_KEY", ""))
    assert not server.calls


def test_what_a_server_repeats_is_hidden(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = 'sk/SECRET"KEY\\0123456789'
    monkeypatch.setenv("OPENAI_API_KEY", key)
    chat = system(f"chat:x:base={server.url}:retries=0:cache={tmp_path}")
    answers: list[str] = []
    server.behave = lambda number, body: (401, answers[-1].encode())
    for said in (key, json.dumps(key), "sk%2FSECRET%22KEY%5C0123456789", " " * 3995 + key):
        answers.append(said)
        with pytest.raises(AssayError, match="the server answered 401") as caught:
            list(chat.generate(ITEM))
        assert "SEC" not in str(caught.value)
        assert "sk" not in str(caught.value)
    server.behave = lambda number, body: (200, server.answer("fine") | {"headers": {"Authorization": f"Bearer {key}"}})
    assert next(iter(chat.generate(ITEM))).text == "fine"
    assert "SECRET" not in everything(tmp_path)
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in key)
    body = json.dumps(server.answer("Your key: KEY, yes.")).replace("KEY", escaped)
    server.behave = lambda number, _: (200, body.encode())
    other = system(f"chat:x:base={server.url}:retries=0:cache={tmp_path}:temperature=0.5")
    assert next(iter(other.generate(ITEM))).text == "Your key: ***, yes."
    assert "SECRET" not in everything(tmp_path)
    assert hidden("EMPTY", "") == "EMPTY"


def test_a_placeholder_for_a_key_does_not_change_answers(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    server.behave = lambda number, body: (200, server.answer("An EMPTY room."))
    chat = system(f"chat:x:base={server.url}:cache=none")
    assert next(iter(chat.generate(ITEM))).text == "An EMPTY room."


@pytest.mark.parametrize(
    "part",
    [
        "base=http://me:SECRET@127.0.0.1:9/v1", "base=https://SECRET@host/v1", "base=http://me:12345@host/v1",
        "base=https://host/v1?key=SECRET", f"base=http://127.0.0.1:9/v1:key_env={KEY}",
        "base=http://127.0.0.1:9/v1:api_key=SECRET", "KEY=SECRET",
    ],
)  # fmt: skip
def test_secrets_in_a_spec_are_refused_and_not_kept(here: Run, tmp_path: Path, part: str) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "x", "references": ["x"]}])
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "a", "output": "x"}])
    spec, out = f"chat:x:{part}", tmp_path / "out"
    for command in (
        ["system", "generate", examples, "--system", spec, "-o", out / "x.jsonl"],
        ["judge", "run", outputs, "-e", examples, "--system", spec, "--criterion", "c", "-o", out / "j.jsonl"],
        ["run", config(tmp_path / "one", spec), "-o", out / "run"],
        ["run", config(tmp_path / "two", "lead"), "-o", out / "more", "--system", spec],
    ):
        call = here(*command)
        assert call.code == 1
        assert "must not contain a secret" in call.err
        assert not re.search("SECRET|12345|sk-", call.out + call.err)
    assert not out.exists()
    refuse_secrets("cmd:./my.sh https://me:word@host")  # a command line is its writer's business


def test_secrets_given_otherwise_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssayError, match="give the name of the variable") as caught:
        Chat(model="x", key_env=KEY)
    assert KEY not in str(caught.value)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:SECRET@host/v1")
    said = system("chat:x").why_not() or ""
    assert said.startswith("OPENAI_BASE_URL: remove user, password and ?query")
    assert "SECRET" not in said


@pytest.mark.parametrize(
    "base",
    ["nonsense", "localhost/v1", "http://", "http:///v1", "http://host:port/v1", "file:///etc/passwd", "ftp://host/v1",
     "http://host:99999/v1", "http://ho st/v1", "http://höst/v1", "http://[::1/v1"],
)  # fmt: skip
def test_what_is_no_address_is_said_in_one_line(run: Run, here: Run, tmp_path: Path, base: str) -> None:
    with pytest.raises(AssayError, match=r"base: not the address of a server; write http://HOST:PORT/v1"):
        address(base, "base")
    with pytest.raises(AssayError, match="base: not the address of a server"):
        list(Chat(model="x", base=base, cache="none").generate(ITEM))
    if base == "nonsense":
        examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "x"}])
        call = run("system", "generate", examples, "--system", f"chat:x:base={base}", "-o", tmp_path / "o.jsonl")
        assert (call.code, call.err.count("\n")) == (1, 1)
        assert "system chat:x:base=nonsense: base: not the address of a server" in call.err


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_no_redirect_carries_the_key_elsewhere(server: Server, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    elsewhere = Server()
    try:
        server.also = {"Location": f"{elsewhere.url}/chat/completions"}
        server.behave = lambda number, body: (code, {})
        with pytest.raises(AssayError, match=f"the server answered {code}"):
            list(system(f"chat:x:base={server.url}:cache=none").generate(ITEM))
        assert (len(server.calls), len(elsewhere.calls)) == (1, 0)
    finally:
        elsewhere.stop()


def test_calls_know_nothing_of_each_other(server: Server) -> None:
    """A cookie would make an answer depend on those before it."""
    server.also = {"Set-Cookie": "who=me; Path=/"}
    chat = system(f"chat:x:base={server.url}:cache=none")
    for _ in range(2):
        list(chat.generate(ITEM))
    assert [headers.get("Cookie") for headers in server.headers] == [None, None]


@pytest.mark.parametrize(
    "said", [f"{KEY} is wrong\r\n\r\n", f"HTTP/1.1 {KEY}\r\n\r\n", f"HTTP/1.1 200 OK\r\n {KEY}\r\n\r\n"]
)
def test_what_is_no_http_is_not_repeated(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def speak() -> None:
            connection, _ = listening.accept()
            connection.recv(65536)
            connection.sendall(said.encode())
            connection.close()

        thread = threading.Thread(target=speak, daemon=True)
        thread.start()
        spec = f"chat:x:base=http://127.0.0.1:{listening.getsockname()[1]}/v1:cache=none:retries=0"
        with pytest.raises(AssayError, match=r"no answer from the server") as caught:
            list(system(spec).generate(ITEM))
        thread.join(5)
    assert "SECRET" not in str(caught.value)


def test_a_key_of_all_letters_of_a_header(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "schlüssel-0123456789")
    list(system(f"chat:x:base={server.url}:cache=none").generate(ITEM))
    assert server.headers[0]["Authorization"] == "Bearer schlüssel-0123456789"


def test_without_the_extra_it_is_named(
    here: Run, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "x"}])
    call = here("system", "generate", examples, "--system", f"chat:x:base={server.url}", "-o", tmp_path / "o.jsonl")
    assert (call.code, call.err.count("\n")) == (1, 1)
    assert "httpx is not installed; pip install 'assay-eval[endpoint]'" in call.err
    assert here("system", "list", "--json").json["systems"]["chat"]["why_not"].startswith("httpx is not installed")
    with pytest.raises(AssayError, match="httpx is not installed"):
        list(Chat(model="x", base=server.url, cache="none").generate(ITEM))
    assert not server.calls
