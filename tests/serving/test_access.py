"""Whom a server of ours answers: exact names, its own pages, the user who started it or those with the token."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.serving.access import LOCAL, Access, access_for, is_loopback, own_names
from assay.serving.peers import listed_owner, other_user, queried_owner

fastapi = pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from fastapi import Request  # noqa: E402

from assay.serving.app import add_files, guarded_app, json_answer  # noqa: E402
from assay.serving.listen import address_of, listen, server_of  # noqa: E402

SECRET = "the texts of somebody"
HOSTILE = [
    b"evil.com", b"a{b.evil.com", b"127.0.0.1.evil.com", b"localhost.evil.com", b"evil.com:8000", b"127.0.0.1@evil.com",
    b"evil.com#127.0.0.1", b"evil.com/127.0.0.1", b"127.0.0.1:8000@evil.com", b"127.0.0.1:8000:8000", b"localhost.",
    b"127.0.0.1:port", b"127.0.0.1:", b":8000", b"", b" 127.0.0.1", b"127.0.0.1 ", b"127.0.0.1,evil.com",
    b"::1", b"0x7f.1", b"127.1", b"2130706433", b"0.0.0.0:8000", b"loc\xe4lhost", b"127.0.0.1\x00.evil.com", b"[::1",
    b"http://127.0.0.1", b"[::1].evil.com",
]  # fmt: skip


def scope(*headers: tuple[bytes, bytes], query: bytes = b"") -> dict[str, Any]:
    return {"type": "http", "headers": list(headers), "query_string": query, "client": None, "server": None}


@pytest.mark.parametrize("host", HOSTILE)
def test_other_names_are_refused(host: bytes) -> None:
    for access in (LOCAL, access_for("127.0.0.1", 8000), access_for("192.0.2.7", 8000), access_for("0.0.0.0", 8000)):
        refused = access.refuse(scope((b"host", host)))
        assert refused is not None
        assert refused.status == 421


@given(host=st.binary(max_size=40), port=st.integers(1, 65535))
def test_nothing_but_the_list_is_known(host: bytes, port: int) -> None:
    access = access_for("127.0.0.1", port)
    known = host.lower() in {value.encode() for value in access.hosts}
    assert (access.refuse(scope((b"host", host))) is None) is known


def test_names_of_this_machine_are_answered() -> None:
    access = access_for("127.0.0.1", 8000)
    for host in (b"127.0.0.1:8000", b"localhost:8000", b"LocalHost:8000", b"[::1]:8000"):
        assert access.refuse(scope((b"host", host))) is None
    assert access.refuse(scope((b"host", b"127.0.0.1:8001"))) is not None
    assert access_for("127.0.0.1", 80).refuse(scope((b"host", b"localhost"))) is None
    assert LOCAL.refuse(scope((b"host", b"localhost:12345"))) is None


def test_a_further_name_is_known_with_our_port_and_without() -> None:
    access = access_for("0.0.0.0", 8000, ["bench.example.org", "other.example.org:443"], sign_in=True)
    assert {"bench.example.org", "bench.example.org:8000", "other.example.org:443"} <= access.hosts
    assert not {"bench.example.org:443", "other.example.org", "other.example.org:443:8000"} & access.hosts


def test_one_name_a_request() -> None:
    both = scope((b"host", b"127.0.0.1"), (b"host", b"evil.com"))
    for request in (scope(), both, scope((b"host", b"127.0.0.1"), (b"host", b"127.0.0.1"))):
        refused = LOCAL.refuse(request)
        assert refused is not None
        assert refused.status == 421


@pytest.mark.parametrize(
    ("origin", "answered"),
    [
        (b"http://127.0.0.1:8000", True),
        (b"http://evil.com", False),
        (b"null", False),
        (b"http://127.0.0.1:8001", False),
        (b"http://localhost:8000", False),
        (b"http://127.0.0.1:8000.evil.com", False),
        (b"", False),
    ],
)
def test_pages_of_other_sites_are_refused(origin: bytes, answered: bool) -> None:
    refused = access_for("127.0.0.1", 8000).refuse(scope((b"host", b"127.0.0.1:8000"), (b"origin", origin)))
    assert (refused is None) is answered
    assert refused is None or refused.status == 403


def test_from_elsewhere_it_takes_the_token() -> None:
    access = access_for("192.0.2.7", 8000)
    host = (b"host", b"192.0.2.7:8000")
    assert len(access.token) >= 32
    assert access.token != access_for("192.0.2.7", 8000).token
    for query, headers, answered in [
        (b"", [], False),
        (b"token=", [], False),
        (b"token=x", [], False),
        (f"token={access.token}".encode(), [], True),
        (f"a=1&token={access.token}".encode(), [], True),
        (b"", [(b"cookie", f"assay-token={access.token}".encode())], True),
        (b"", [(b"cookie", f"other=1; assay-token={access.token}".encode())], True),
        (b"", [(b"cookie", b"assay-token=x")], False),
        (b"", [(b"cookie", b"\xff;=;assay-token")], False),
        ("token=ü".encode(), [], False),
    ]:
        assert (access.refuse(scope(host, *headers, query=query)) is None) is answered, (query, headers)


def test_which_hosts_need_a_token() -> None:
    assert [access_for(host, 8000).token == "" for host in ("127.0.0.1", "localhost", "::1", "127.0.0.2")] == [True] * 4
    for host in ("0.0.0.0", "::", "192.0.2.7", "example.org"):
        assert access_for(host, 8000).token
    assert access_for("127.0.0.1", 8000, token=True).token
    assert not is_loopback("example.org")
    assert access_for("0.0.0.0", 8000, ["Results.Example.org"]).hosts >= {
        "results.example.org", "localhost:8000", f"{socket.gethostname().lower()}:8000",
    }  # fmt: skip
    assert "::1" not in own_names()


async def _sent(request: Request) -> Any:
    return json_answer(len(await request.body()))


@contextmanager
def served(access: Access | None = None, token: bool = False) -> Iterator[tuple[str, int, Access]]:
    """A real server on a free port of this machine."""
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    access = access or access_for("127.0.0.1", port, token=token)
    app = guarded_app(access)
    app.get("/api/secret")(lambda: json_answer({"texts": SECRET}))
    app.post("/sent")(_sent)
    add_files(app, {"index.html": (b"a page", "text/html")})
    server = server_of(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield address_of(listener, access), port, access
    finally:
        server.should_exit = True
        thread.join()


def raw(port: int, *lines: bytes) -> bytes:
    """What a server answers to exactly these lines."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"\r\n".join([*lines, b"Connection: close", b"", b""]))
        found = b""
        while block := connection.recv(1 << 16):
            found += block
    return found


def test_hostile_requests_on_the_wire() -> None:
    with served() as (address, port, _):
        assert address == f"http://127.0.0.1:{port}/"
        own = b"Host: 127.0.0.1:%d" % port
        assert SECRET.encode() in raw(port, b"GET /api/secret HTTP/1.1", own)
        for lines in (
            [b"GET /api/secret HTTP/1.1", b"Host: a{b.evil.com"],
            [b"GET /api/secret HTTP/1.1", b"Host: evil.com:%d" % port],
            [b"GET http://evil.com/api/secret HTTP/1.1", b"Host: evil.com"],
            [b"GET /api/secret HTTP/1.1", own, b"Host: evil.com"],
            [b"GET /api/secret HTTP/1.0"],
            [b"GET /api/secret HTTP/1.1", own, b"Origin: http://evil.com"],
            [b"GET /api/secret HTTP/1.1", b"Host: evil.com", b"X-Forwarded-Host: 127.0.0.1:%d" % port],
            [b"GET /api/secret HTTP/1.1", own, b"Origin: http://evil.com", b"Upgrade: websocket",
             b"Connection: Upgrade", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="],
        ):  # fmt: skip
            said = raw(port, *lines)
            assert SECRET.encode() not in said, lines
            assert not said.startswith(b"HTTP/1.1 2"), lines


def test_the_head_of_a_page_has_no_body() -> None:
    with served() as (_, port, _access):
        said = raw(port, b"HEAD / HTTP/1.1", b"Host: 127.0.0.1:%d" % port)
        assert said.startswith(b"HTTP/1.1 200")
        assert b"content-length: 6" in said.lower()
        assert said.endswith(b"\r\n\r\n")
        assert raw(port, b"HEAD / HTTP/1.1", b"Host: evil.com").startswith(b"HTTP/1.1 421")


def test_a_server_ends_though_somebody_sends_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.serving.listen.SHUTDOWN_SECONDS", 1)
    with socket.socket() as slow:
        with served() as (_, port, _access):
            slow.connect(("127.0.0.1", port))
            slow.sendall(b"POST /sent HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 100\r\n\r\nx" % port)
            time.sleep(0.5)
            began = time.monotonic()
        assert time.monotonic() - began < 30


def test_a_token_leaves_the_address_and_stays_with_the_browser() -> None:
    import httpx

    with served(token=True) as (address, port, access):
        assert address == f"http://127.0.0.1:{port}/?token={access.token}"
        plain = f"http://127.0.0.1:{port}"
        assert httpx.get(f"{plain}/").status_code == 403
        assert SECRET not in httpx.get(f"{plain}/api/secret").text
        assert SECRET in httpx.get(f"{plain}/api/secret?token={access.token}").text
        with httpx.Client(follow_redirects=True) as browser:
            page = browser.get(address)
            assert (page.text, str(page.url)) == ("a page", f"{plain}/")
            kept = page.history[0].headers["set-cookie"].lower()
            assert "httponly" in kept
            assert "samesite=lax" in kept
            assert "default-src 'none'" in page.history[0].headers["content-security-policy"]
            assert SECRET in browser.get(f"{plain}/api/secret").text


def test_a_websocket_is_closed_before_it_is_open() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    asked = scope((b"host", b"evil.com")) | {"type": "websocket", "path": "/"}
    with ThreadPoolExecutor(1) as apart:  # other tests of this process may have left a loop running
        apart.submit(asyncio.run, guarded_app()(asked, receive, send)).result()
    assert sent == [{"type": "websocket.close", "code": 1008}]


CLIENT = """
import os, socket, sys
os.setuid(int(sys.argv[2]))
with socket.socket() as connection:
    connection.connect(("127.0.0.1", int(sys.argv[1])))
    connection.sendall(b"GET /api/secret HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nX-Forwarded-For: 127.0.0.9\\r\\n"
                       b"Connection: close\\r\\n\\r\\n" % sys.argv[1].encode())
    while block := connection.recv(1 << 16):
        os.write(1, block)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.getuid() != 0, reason="needs to become another user")
def test_another_user_of_this_machine_is_refused() -> None:
    with served() as (_, port, _access):
        own, other = (
            subprocess.run([sys.executable, "-c", CLIENT, str(port), uid], capture_output=True, text=True).stdout
            for uid in ("0", "65534")
        )
    assert SECRET in own
    assert "Only the user who started this server has access." in other
    assert SECRET not in other


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_kernel_knows_the_other_end(host: str) -> None:
    """By a question about one connection, and by the list of all."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip(f"needs {host}")
    with listener, socket.create_connection(listener.getsockname()[:2]) as client:
        ends = client.getsockname()[:2], client.getpeername()[:2]
        assert not other_user(*ends)
        if sys.platform.startswith("linux"):
            assert listed_owner(*ends) == os.getuid()
            assert queried_owner(*ends) in (os.getuid(), None)  # None where the kernel was built without
    assert not other_user(None, ("127.0.0.1", 1))
    assert not other_user(("testclient", 50000), ("127.0.0.1", 1))
