"""A study under load: 200 people who answer at once, over a server that is killed five times and started again.

python -m benchmarks annotation

Everybody reads for 3 to 7 seconds, has a draft saved, sends the answer and gets the next item, as a browser would;
whoever meets a dead server tries again after 1 to 4 seconds. Every acknowledged judgement must be there, exactly once.
Times are those of whole exchanges, the clients' share of the same cores included.
"""

from __future__ import annotations

import asyncio
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import msgspec

from assay.serving.database import open_database
from assay.serving.listen import listen
from assay.serving.secret import Secret
from assay.studies.design import Design, People, Presentation, Question
from assay.studies.events import Answered, Assigned, Journal, Task, Text
from assay.studies.server.dashboard import export
from assay.studies.server.sign_in import invitation
from assay.studies.study import Study
from benchmarks.postgres import cluster, fresh_database, programs
from benchmarks.serving import Load
from benchmarks.timing import Result

PEOPLE, ITEMS, KILLS, PER_ITEM = 200, 12, 5, 3
P95 = 0.2
ANSWERS = "12345"
STUDY = "load"


@dataclass(frozen=True)
class Trial:
    """How many people do how much, and how long they take."""

    people: int = PEOPLE
    items: int = ITEMS
    kills: int = KILLS
    pause: tuple[float, float] = (3.0, 7.0)
    again: tuple[float, float] = (1.0, 4.0)

    def design(self) -> Design:
        values = [int(answer) for answer in ANSWERS]
        question = Question(criterion="quality", kind="likert", text="How good is it?", values=values)
        people = People(per_item=PER_ITEM, most_items=self.items)
        return Design(name=STUDY, questions=[question], people=people, presentation=Presentation(order="balanced"))

    def tasks(self) -> list[Task]:
        count = -(-self.people * self.items // PER_ITEM)
        return [
            Task(
                f"t{number}",
                (Text(f"t{number}", "a", f"Text {number} about the harbour."),),
                "The harbour is old. " * 40,
            )
            for number in range(count)
        ]


@dataclass
class Seen(Load):
    acknowledged: dict[str, tuple[str, float]] = field(default_factory=dict)
    """By assignment: who was told that their answer is stored, and which it was."""
    retries: int = 0
    worked: float = 0.0
    """Processor seconds of the last server, which nobody killed."""
    served: int = 0
    """Exchanges that it had a part in."""


@dataclass
class Outcome:
    seen: Seen
    journal: list[object]
    study: Study
    starts: int

    def faults(self, trial: Trial) -> list[str]:
        """What was lost, doubled, or given to too many."""
        found = [f"refused: {failure[:200]!r}" for failure in self.seen.failures[:3]]
        stored = Counter(event.assignment for event in self.journal if isinstance(event, Answered))
        told = self.seen.acknowledged
        found += [f"{name} is stored {count} times" for name, count in stored.items() if count > 1]
        found += [f"{name} was acknowledged and is lost" for name in told if name not in stored]
        found += [f"{name} is stored and nobody was told" for name in stored if name not in told]
        for name, (person, value) in told.items():
            held = self.study.assignments.get(name)
            if held is None or held.annotator != person or [answer.value for answer in held.answers] != [value]:
                found.append(f"{name} is not as it was sent")
        given = Counter(event.task for event in self.journal if isinstance(event, Assigned))
        found += [f"{task} was given to {count} people" for task, count in given.items() if count > PER_ITEM]
        if len(told) != trial.people * trial.items:
            found.append(f"{len(told)} answers of {trial.people * trial.items}")
        return found


def run() -> Iterator[Result]:
    yield measured("SQLite", None)
    if programs() is not None:
        with cluster() as url:
            yield measured("PostgreSQL", fresh_database(url, "load"))


def measured(name: str, url: str | None) -> Result:
    trial = Trial()
    outcome = hold(trial, url)
    faults = outcome.faults(trial)
    seen = outcome.seen
    return {
        "name": f"{name}: {trial.people} people answer at once, 95 % within",
        "pairs": len(seen.acknowledged),
        "seconds": seen.percentile(0.95),
        "target": P95,
        "equal": not faults,
        "values": {
            "median_s": seen.percentile(0.5),
            "p99_s": seen.percentile(0.99),
            "exchanges": len(seen.times),
            "cpu_seconds_per_exchange": seen.worked / max(1, seen.served),
            "kills": trial.kills,
            "retries": seen.retries,
            "faults": faults[:5],
        },
        "note": f"{len(seen.acknowledged)} answers, killed {outcome.starts - 1} times, {len(faults)} lost or doubled",
    }


def hold(trial: Trial, url: str | None = None) -> Outcome:
    """The whole trial: a server, its people, its deaths; and what is in the database at the end."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        design, tasks = home / "design.json.toml", home / "tasks.jsonl"
        write_design(design, trial.design())
        tasks.write_bytes(b"".join(msgspec.json.encode(task) + b"\n" for task in trial.tasks()))
        server = home / "server"
        more = ["--database", url] if url else []
        words = [sys.executable, "-m", "assay", "study", "serve", str(design), "--folder", str(server), *more]
        subprocess.run([*words, "--tasks", str(tasks), "--add"], check=True, capture_output=True)
        with closing(listen("127.0.0.1", 0)) as found:
            port = found.getsockname()[1]
        links = [invitation(Secret.of(server), STUDY, f"person {number}") for number in range(trial.people)]
        command = [sys.executable, "-m", "assay", "study", "serve", str(server), "--port", str(port), *more]
        with ThreadPoolExecutor(1) as apart:
            seen, starts = apart.submit(asyncio.run, _all(trial, command, port, links)).result()
        database = open_database(url, server)
        try:
            (home / "journal.jsonl").write_bytes(export(database, Secret.of(server), STUDY, "journal"))
        finally:
            database.close()
        journal = Journal(home / "journal.jsonl")
        return Outcome(seen, list(journal.events()), Study(trial.design(), journal), starts)


def write_design(path: Path, design: Design) -> None:
    """As TOML, in which a line of JSON is a value."""
    (question,) = design.questions
    path.write_text(
        f'name = "{design.name}"\n[[questions]]\ncriterion = "{question.criterion}"\nkind = "{question.kind}"\n'
        f'text = "{question.text}"\nvalues = {question.values}\n[people]\nper_item = {design.people.per_item}\n'
        f'most_items = {design.people.most_items}\n[presentation]\norder = "{design.presentation.order}"\n',
        encoding="utf-8",
    )


async def _all(trial: Trial, command: list[str], port: int, links: list[str]) -> tuple[Seen, int]:
    import psutil

    seen = Seen()
    everybody = asyncio.gather(
        *(Annotator(trial, port, number, link, seen).work() for number, link in enumerate(links))
    )
    starts = 0
    process: subprocess.Popen[bytes] | None = None
    try:
        for death in range(trial.kills + 1):
            process = await asyncio.to_thread(subprocess.Popen, command, stdout=subprocess.PIPE)
            starts += 1
            assert process.stdout is not None
            await asyncio.to_thread(process.stdout.readline)  # it listens
            if death == trial.kills:
                before, worked = len(seen.times), psutil.Process(process.pid)
                spent = sum(worked.cpu_times()[:2])
                break
            wanted = trial.people * trial.items * (death + 1) / (trial.kills + 1)
            while len(seen.acknowledged) < wanted and not everybody.done():
                await asyncio.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            await asyncio.to_thread(process.wait)
            process.stdout.close()
        await everybody
        seen.worked = sum(worked.cpu_times()[:2]) - spent
        seen.served = len(seen.times) - before
    finally:
        everybody.cancel()
        if process is not None:
            process.terminate()
            await asyncio.to_thread(process.wait)
            if process.stdout is not None:
                process.stdout.close()
    return seen, starts


class Annotator:
    """One browser: a connection, a cookie, a page."""

    def __init__(self, trial: Trial, port: int, number: int, link: str, seen: Seen) -> None:
        self.trial = trial
        self.port = port
        self.name = f"person {number}"
        self.link = link
        self.seen = seen
        self.rng = random.Random(number)
        self.cookie = self.csrf = ""
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def work(self) -> None:
        base = f"/studies/{STUDY}"
        await asyncio.sleep(self.rng.uniform(0, self.trial.pause[1]))
        _, place, _ = await self.ask("GET", f"{base}/enter?link={self.link}")
        await self.ask("GET", place)
        _, place, _ = await self.ask("POST", f"{base}/begin", agree="yes")
        while "/work/" in place:
            await self.ask("GET", place)
            await asyncio.sleep(self.rng.uniform(*self.trial.pause))
            value = self.rng.choice(ANSWERS)
            await self.ask("POST", place.replace("/work/", "/draft/"), q0=value, seconds="3")
            sent = place
            status, place, body = await self.ask("POST", place, q0=value, seconds="4")
            if status != 303:
                self.seen.failures.append(body)
                return
            self.seen.acknowledged[sent.split("/")[-2]] = self.name, float(value)
        if self.streams:
            self.streams[1].close()

    async def ask(self, method: str, path: str, **fields: str) -> tuple[int, str, bytes]:
        """One exchange, until it has an answer."""
        while True:
            start = time.perf_counter()
            try:
                status, head, body = await self._once(method, path, fields)
            except (OSError, asyncio.IncompleteReadError):
                if self.streams:
                    self.streams[1].close()
                self.streams = None
                self.seen.retries += 1
                await asyncio.sleep(self.rng.uniform(*self.trial.again))
                continue
            self.seen.times.append(time.perf_counter() - start)
            if status >= 400 and not (status == 409 and "/draft/" in path):
                self.seen.failures.append(body)
            if found := re.search(rb"set-cookie: ([^;]+)", head):
                self.cookie = found[1].decode()
            if marked := re.search(rb'name="csrf" value="([^"]+)"', body):
                self.csrf = marked[1].decode()
            target = re.search(rb"\r\nlocation: ([^\r]+)", head)
            return status, target[1].decode() if target else path, body

    async def _once(self, method: str, path: str, fields: dict[str, str]) -> tuple[int, bytes, bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        body = urlencode({"csrf": self.csrf, **fields}).encode() if method == "POST" else b""
        kind = "Content-Type: application/x-www-form-urlencoded\r\n" if body else ""
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {self.cookie}\r\n{kind}"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        return int(head[9:12]), head, await reader.readexactly(int(length[1]) if length else 0)
