"""The service under fire: 50 clients send 100 submissions at once while server and worker are killed five times.

    python -m benchmarks service

On SQLite and on a PostgreSQL that is started for it (skipped where there is none). Checked: every submission that a
client was told of is there, each is there once and was scored once, and the published bundle has all of them. Timed:
pages that three readers in a process of their own ask for all the while, without a pause of more than 50 ms; asking a
server that is being started again does not count, waiting for its first answer does.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.timing import Result

sys.path.append(str(Path(__file__).parents[1]))
CLIENTS, SUBMISSIONS, KILLS = 50, 100, 5
P95 = 0.3
PATIENCE = 600.0


@dataclass
class Fire:
    """One server under fire."""

    folder: Path
    url: str | None = None
    clients: int = CLIENTS
    submissions: int = SUBMISSIONS
    kills: int = KILLS
    acknowledged: dict[int, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """A synthetic benchmark, and a person with a token for each client; the port is chosen once."""
        from assay.benchmark.service.hosted_versions import HostedVersions
        from assay.serving.credentials import new_token
        from assay.serving.server import open_server
        from tests.support.made_service import SETTINGS, frozen
        from tests.support.signed_in import confirmed, session_of

        home = self.folder / "server"
        home.mkdir(parents=True)
        (home / "assay.toml").write_text(SETTINGS)
        server = open_server(home, self.url)
        HostedVersions(server).add(frozen(self.folder / "tides"))
        with server.database.write() as connection:
            roles = [{"benchmark:tides": "submitter"} for _ in range(self.clients)]
            roles[0][""] = "owner"
            people = [confirmed(connection, f"p{i}@example.org", own) for i, own in enumerate(roles)]
            self.tokens = [new_token(connection, person, "t", server.settings) for person in people]
        self.cookie = f"assay-session={session_of(server, people[0])}"
        server.database.close()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])

    def start(self) -> None:
        words = [
            sys.executable,
            "-m",
            "assay",
            "server",
            "start",
            str(self.folder / "server"),
            "--port",
            str(self.port),
        ]
        environment = {**os.environ, **({"ASSAY_DATABASE": self.url} if self.url else {})}
        self.process = subprocess.Popen(
            words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def kill(self) -> None:
        """The server and the worker beside it, without a chance to say anything."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def fire(self) -> None:
        """All clients at once; a kill whenever another share of the submissions was acknowledged."""
        with ThreadPoolExecutor(self.clients) as pool:
            sending = [pool.submit(self.send, i) for i in range(self.submissions)]
            for kill in range(1, self.kills + 1):
                wanted = kill * self.submissions // (self.kills + 1)
                while len(self.acknowledged) < wanted and not all(each.done() for each in sending):
                    time.sleep(0.01)
                self.kill()
                self.start()
            for each in sending:
                each.result()

    def send(self, number: int) -> None:
        """One submission until it is acknowledged, as `assay benchmark submit --to` does."""
        from tests.support.made_service import sent

        content = sent(submission_name=f"system-{number}")
        token = self.tokens[number % self.clients]
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            answer = self.ask("POST", "/api/benchmarks/tides/versions/1/submissions", token, content)
            if answer is None:
                time.sleep(0.2)
                continue
            status, told = answer
            if status in (200, 201):
                self.acknowledged[number] = told["id"]
            else:
                self.refused.append(f"{status} {told}")
            return
        self.refused.append(f"{number}: no answer")

    def ask(self, method: str, path: str, token: str, content: bytes | None = None) -> tuple[int, Any] | None:
        """An answer; None where the server is away or was killed on the way."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, content, {"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def settle(self) -> None:
        """Until nothing waits any more."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            answer = self.ask("GET", "/api/queue", self.tokens[0])
            if answer and answer[0] == 200 and not answer[1]["waiting"] and not answer[1]["running"]:
                return
            time.sleep(0.3)
        raise TimeoutError("jobs are still waiting")

    def account(self) -> dict[str, int]:
        """What the database says after everything: what was lost, doubled or not done."""
        from sqlalchemy import select

        from assay.serving.server import open_server
        from assay.serving.tables import audit, submissions

        server = open_server(self.folder / "server", self.url)
        with server.database.read() as connection:
            rows = connection.execute(select(submissions)).mappings().all()
            log = connection.execute(select(audit.c.action, audit.c.object)).all()
        server.database.close()
        scored = Counter(row.object for row in log if row.action == "submission.score")
        answer = self.ask("GET", "/api/benchmarks/tides/versions/1/results", self.tokens[0])
        ids, names = {row["id"] for row in rows}, Counter(row["name"] for row in rows)
        return {
            "acknowledged": len(self.acknowledged), "refused": len(self.refused), "stored": len(rows),
            "lost": len(set(self.acknowledged.values()) - ids),
            "doubled": sum(n - 1 for n in names.values()) + sum(n - 1 for n in scored.values()),
            "scored": sum(row["state"] == "scored" for row in rows), "marked": len(scored),
            "published": len(answer[1]["results"]) if answer else 0,
        }  # fmt: skip


PAGES = ("/", "/b/tides", "/b/tides/1", "/b/tides/1/cards/tides_test", "/queue", "/me", "/b/tides/1/submit")


def read_pages(port: int, cookie: str, times: Any, ended: Any) -> None:
    """Readers in a process of their own; each time that a page was answered, and how long that took."""
    lock = threading.Lock()

    def read(seed: int) -> None:
        draw = random.Random(seed)
        connection = None
        while not ended.is_set():
            connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            begun = time.perf_counter()
            try:
                connection.request("GET", draw.choice(PAGES), headers={"Cookie": cookie, "Accept": "text/html"})
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                connection = None
                time.sleep(0.05)
                continue
            with lock:
                times.append((answer.status, time.perf_counter() - begun))
            time.sleep(draw.random() * 0.05)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def under_fire(fire: Fire) -> tuple[dict[str, int], list[tuple[int, float]], float]:
    """What became of it, the answers to readers, and how long it took until everything was scored."""
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager:
        times, ended = manager.list(), manager.Event()
        fire.prepare()
        fire.start()
        reader = context.Process(target=read_pages, args=(fire.port, fire.cookie, times, ended))
        try:
            signed = time.monotonic()
            reader.start()
            while not len(times):
                assert time.monotonic() < signed + 60, "the server does not start"
                time.sleep(0.05)
            begun = time.monotonic()
            fire.fire()
            fire.settle()
            took = time.monotonic() - begun
            ended.set()
            reader.join()
            return fire.account(), list(times), took
        finally:
            ended.set()
            if reader.is_alive():
                reader.kill()
            fire.kill()


def run() -> Iterator[Result]:
    from benchmarks.postgres import cluster, programs

    with tempfile.TemporaryDirectory() as folder:
        yield from measured("SQLite", Fire(Path(folder)))
    if programs() is None:
        print("    skipped on PostgreSQL: its server is not installed (make postgres)")
        return
    with cluster() as url, tempfile.TemporaryDirectory() as folder:
        yield from measured("PostgreSQL", Fire(Path(folder), url))


def measured(name: str, fire: Fire) -> Iterator[Result]:
    found, times, took = under_fire(fire)
    n = fire.submissions
    whole = {
        "acknowledged": n,
        "refused": 0,
        "stored": n,
        "lost": 0,
        "doubled": 0,
        "scored": n,
        "marked": n,
        "published": n,
    }
    answered = sorted(seconds for _, seconds in times)
    wrong = Counter(status for status, _ in times if status != 200)
    print(f"    {name}: {found}; {len(times)} pages, statuses other than 200: {dict(wrong)}")
    print(f"    median {answered[len(answered) // 2] * 1000:.0f} ms, slowest {answered[-1] * 1000:.0f} ms")
    yield {"name": f"{n} submissions, {fire.kills} kills, {name}: all scored", "seconds": took, "equal": found == whole}
    p95 = answered[int(0.95 * len(answered))]
    yield {"name": f"p95 of pages meanwhile, {name}", "seconds": p95, "target": P95, "equal": not wrong}
