"""Judgements that survive kills: a loopback endpoint with time-outs and rubbish, and a judge killed three times.

    python -m benchmarks.judging [--items 10000]

Every item has a known rating. Of the items, 2 % never get an answer and 1 % get rubbish. After three kills, no item may
be lost, doubled or guessed, and the cost must be that of the server's own count.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

PRICE = 2.0
FLIGHT = 64


def fate(text: str) -> tuple[str, int]:
    """Return what happens to an item, and its true rating."""
    digest = hashlib.sha256(text.encode()).digest()
    share = int.from_bytes(digest[:4]) / 2**32
    return "hang" if share < 0.02 else "rubbish" if share < 0.03 else "rate", 1 + digest[4] % 5


class Endpoint:
    """An OpenAI-compatible server that answers after `latency` seconds, and counts the tokens it charges."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.charged = [0, 0, 0]
        self.port = 0
        self.ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self.ready.wait()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await server.serve_forever()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                )
                body = json.loads(await reader.readexactly(length))
                text = body["messages"][1]["content"].partition("Output:\n")[2].partition("\n")[0]
                kind, rating = fate(text)
                if kind == "hang":
                    await asyncio.sleep(3600)
                await asyncio.sleep(self.latency)
                content = "lovely weather" if kind == "rubbish" else json.dumps({"reason": "1 fact", "fluency": rating})
                used = [len(json.dumps(body["messages"])) // 4, len(content)]
                answer = {
                    "choices": [{"message": {"content": content}}],
                    "usage": {"prompt_tokens": used[0], "completion_tokens": used[1]},
                }
                data = json.dumps(answer).encode()
                self.charged = [self.charged[0] + 1, self.charged[1] + used[0], self.charged[2] + used[1]]
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data) + data)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()


def judge(items: int = 10_000, latency: float = 0.8, kills: int = 3, timeout: float = 2.0) -> dict[str, Any]:
    """Run the judge with kills, and return what was kept, lost, guessed and paid."""
    server = Endpoint(latency)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = {f"i{i}": f"text {i} of the set" for i in range(items)}
        (folder / "e.jsonl").write_text("".join(json.dumps({"id": id, "source": "s"}) + "\n" for id in texts))
        (folder / "o.jsonl").write_text(
            "".join(json.dumps({"id": id, "output": text, "system": "mine"}) + "\n" for id, text in texts.items())
        )
        spec = (
            f"chat:toy:base=http\\://127.0.0.1\\:{server.port}/v1:timeout={timeout}:backoff=0.05:price_in={PRICE}"
            f":price_out={PRICE}:cache={folder / 'cache'}"
        ).replace("\\", "")
        command = [
            sys.executable, "-m", "assay", "judge", "run", "o.jsonl", "-e", "e.jsonl", "--form", "fluency", "--system",
            spec, "--retry", "1", "--concurrency", str(FLIGHT), "--name", "toy", "-o", "j.jsonl", "--json",
        ]  # fmt: skip
        part = folder / "j.answers.jsonl.part"
        seconds = 0.0
        for goal in (*(items * (kill + 1) / (kills + 1) for kill in range(kills)), None):
            before, first = _lines(part), 0.0
            last = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while last.poll() is None and (goal is None or _lines(part) <= goal):
                if not first and _lines(part) > max(before, 1):
                    first = time.monotonic() - latency  # without the start of the interpreter
                time.sleep(0.05)
            if goal is not None:
                last.send_signal(signal.SIGKILL)
            seconds += time.monotonic() - first
            output, errors = last.communicate()
        if last.returncode:
            raise SystemExit(errors)
        report = json.loads(output)
        rows = [json.loads(line) for line in (folder / "j.answers.jsonl").read_text().splitlines()]
    fates = {id: fate(text) for id, text in texts.items()}
    kinds = {"hang": "timeout", "rubbish": "unreadable"}
    wrong = [
        row["id"] for row in rows
        if (row.get("value"), row.get("failure", "")) != (
            (fates[row["id"]][1], "") if fates[row["id"]][0] == "rate" else (None, kinds[fates[row["id"]][0]])
        )
    ]  # fmt: skip
    charged = (server.charged[1] + server.charged[2]) * PRICE / 1e6
    calls = server.charged[0]
    bare = float(
        subprocess.run(
            [sys.executable, "-m", "benchmarks.judging", "--client", str(server.port), "--items", str(items)],
            capture_output=True, text=True, check=True,
        ).stdout
    )  # fmt: skip
    return {
        "items": items, "rows": len(rows), "distinct": len({row["id"] for row in rows}), "wrong": len(wrong),
        "failures": report["failures"], "server_calls": calls, "cost": report["cost"],
        "server_cost": charged, "cost_ratio": report["cost"] / charged, "lost_calls": report.get("lost", 0),
        "seconds": seconds, "bare_client_seconds": bare, "throughput_share": bare / seconds,
    }  # fmt: skip


async def _bare(port: int, items: int, timeout: float) -> float:
    """Return the seconds of a bare client with the same calls: what the endpoint allows."""
    texts = iter([f"text {i} of the set" for i in range(items)])

    async def once(text: str) -> None:
        content = f"x Output:\n{text}\n"
        body = json.dumps({"messages": [{"content": "s" * 400}, {"content": content}]}).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), timeout)
            await reader.readexactly(int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0]))
        except TimeoutError:
            pass
        finally:
            writer.close()

    async def work() -> None:
        for text in texts:
            await once(text)
            if fate(text)[0] == "hang":  # one retry
                await once(text)

    start = time.monotonic()
    await asyncio.gather(*(work() for _ in range(FLIGHT)))
    return time.monotonic() - start


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--latency", type=float, default=0.8)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--client", type=int, help="port of an endpoint: time a bare client only")
    options = parser.parse_args()
    if options.client:
        print(asyncio.run(_bare(options.client, options.items, 2.0)))
        sys.exit()
    os.environ["OMP_NUM_THREADS"] = "1"
    print(json.dumps(judge(options.items, options.latency, options.kills), indent=1))
