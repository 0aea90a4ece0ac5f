"""Every page that people meet, served for measurements and pictures: explorer, studies, benchmarks, cards, files.

All of it is synthetic: the sample benchmark, and the small studies and benchmarks of the tests.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.studies.events import Task
    from tests.studies.server.synthetic import Browserlike

sys.path.append(str(Path(__file__).parents[1]))
ROOT = Path(__file__).parents[1]
EXPLORER = {
    "results": "#/overview",
    "results with table": "#/overview?table=1",
    "all scores": "#/scores",
    "compare": "#/compare?a=lead&b=template&dataset=news",
    "texts": "#/examples?dataset=news&metric=rouge1&system=lead&against=template&order=up",
    "dialogues": "#/examples?dataset=dialog",
    "human correlation": "#/correlation?dataset=news",
    "cards": "#/cards",
    "a card": "#/cards?kind=metric&name=chrf",
}
SERVICE = {
    "home": "/",
    "benchmark": "/b/tides",
    "version": "/b/tides/1",
    "task card": "/b/tides/1/cards/tides_test",
    "submit": "/b/tides/1/submit",
    "queue": "/queue",
    "account": "/me",
    "users": "/people",
    "audit log": "/audit",
    "refusal": "/b/nothing",
}

PARTS = ("progress", "people", "invite", "tasks", "export")
"""Tabs of an organiser's page."""


@dataclass(frozen=True)
class Place:
    """A page of a surface: where it is, and the cookie of whoever may read it."""

    surface: str
    name: str
    address: str
    cookie: str = ""


@contextmanager
def surfaces(folder: Path, documentation: Path | None = None, wanted: Collection[str] = ()) -> Iterator[list[Place]]:
    """Make and serve surfaces in an empty folder.

    Args:
        folder: Where results, servers and files are written.
        documentation: The built site (`mkdocs build`), if its pages are wanted.
        wanted: Names of surfaces (default: all).
    """
    makers = {
        ("explorer", "files"): files,
        ("service", "cards"): benchmarks_and_cards,
        ("annotation", "organiser"): studies,
    }
    with ExitStack() as stack:
        places: list[Place] = []
        for names, maker in makers.items():
            if not wanted or set(names) & set(wanted):
                places += stack.enter_context(maker(folder / names[0]))
        if documentation:
            address = stack.enter_context(site(documentation))
            for page in sorted(documentation.rglob("*.html")):
                name = page.relative_to(documentation).as_posix()
                places.append(Place("documentation", name, f"{address}/{name}"))
        yield [place for place in places if not wanted or place.surface in wanted]


@contextmanager
def site(folder: Path) -> Iterator[str]:
    """Serve files: the page for missing ones names its scripts from the root, which no file has."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def assay(*words: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    sample = ROOT / "src" / "assay" / "sample"
    command = [sys.executable, "-m", "assay", *words]
    subprocess.run(command, cwd=sample, env=environment, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def files(folder: Path) -> Iterator[list[Place]]:
    """The explorer as one file, the plain report, and the page of `assay support`."""
    folder.mkdir(parents=True)
    assay("run", "sample", "-o", f"{folder}/results")
    assay("report", f"{folder}/results", "-o", f"{folder}/report.html")
    assay("report", f"{folder}/results", "--plain", "-o", f"{folder}/plain.html")
    for name in ("news.jsonl", "outputs/rewrite/news.jsonl"):
        (folder / "english" / name).parent.mkdir(parents=True, exist_ok=True)
        english(ROOT / "src/assay/sample" / name, folder / "english" / name)
    outputs, examples = f"{folder}/english/outputs/rewrite/news.jsonl", f"{folder}/english/news.jsonl"
    assay("support", outputs, "-e", examples, "-o", f"{folder}/support.html")
    explorer = (folder / "report.html").as_uri()
    yield [
        *(Place("explorer", name, explorer + where) for name, where in EXPLORER.items()),
        Place("files", "plain report", (folder / "plain.html").as_uri()),
        Place("files", "support", (folder / "support.html").as_uri()),
    ]


def english(source: Path, path: Path) -> None:
    """Keep the first 12 items of the sample's news that are English."""
    examples = [json.loads(line) for line in (ROOT / "src/assay/sample/news.jsonl").read_text("utf-8").splitlines()]
    wanted = [each["id"] for each in examples if each.get("language") == "en"][:12]
    lines = [line for line in source.read_text("utf-8").splitlines() if json.loads(line)["id"] in wanted]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@contextmanager
def served(app: Any) -> Iterator[str]:
    from assay.serving.listen import listen, server_of

    listener = listen("127.0.0.1", 0)
    server = server_of(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


@contextmanager
def benchmarks_and_cards(folder: Path) -> Iterator[list[Place]]:
    """Two benchmarks, one with two scored submissions, and a card that is being written."""
    from tests.support.made_service import HIDDEN, made_service
    from tests.support.made_submissions import KEYS, TEXTS, task
    from tests.support.signed_in import session_of

    made = made_service(folder)
    made.submit("other", submission_name="newcomer", **task([text.replace(" and ", " or ") for text in TEXTS], KEYS))
    made.work()
    owner = session_of(made.server, made.people["owner"])
    author = session_of(made.server, made.people["author"])
    cards = made.client("author").get("/cards").text
    draft = next(part.split('"')[0] for part in cards.split('href="/cards/')[1:])
    queue = made.client("owner").get("/queue").text
    submission = next(part.split('"')[0] for part in queue.split('href="/submissions/')[1:])
    assert HIDDEN in cards
    with served(made.app) as address:
        places = [Place("service", name, address + path, owner) for name, path in SERVICE.items()]
        places += [
            Place("service", "submission", f"{address}/submissions/{submission}", owner),
            Place("service", "sign in", f"{address}/sign-in"),
            Place("cards", "drafts", f"{address}/cards", author),
            Place("cards", "editor", f"{address}/cards/{draft}", author),
            Place("cards", "preview", f"{address}/cards/{draft}/preview", author),
        ]
        yield places
    made.server.database.close()


def of_systems(tasks: list[Task]) -> list[Task]:
    """Return the same tasks with the texts of three systems in turn."""
    from msgspec.structs import replace

    return [
        replace(task, texts=tuple(replace(text, system=f"system-{number % 3}") for text in task.texts))
        for number, task in enumerate(tasks)
    ]


def rate(person: Browserlike, who: int, tasks: int = 9) -> None:
    """Answer some tasks; annotators agree on most of them."""
    person.begin()
    for done in range(tasks):
        shown = re.search(r"Version \d of (\w+)", person.page.text)
        worth = len(shown[1]) % 3 + 2 if shown else 3
        person.send(q0=str(worth - (done + who) % 4 // 3))


@contextmanager
def studies(folder: Path) -> Iterator[list[Place]]:
    """A study of every kind with somebody in the middle of it, and the organiser's pages."""
    from tests.studies.server.synthetic import KINDS, add_site, design_of, make_site, tasks_of
    from tests.support.signed_in import confirmed, session_of

    first, *others = KINDS
    made = make_site(folder, None, design_of(first), of_systems(tasks_of(first, 12)))
    for who, name in enumerate(("ben", "cleo", "dan")):
        rate(made.person(name), who)
    for kind in others:
        add_site(made, folder, design_of(kind), tasks_of(kind, 12))
    with made.served.database.write() as connection:
        person = confirmed(connection, "ada@example.org", {"": "organiser"})
    organiser = session_of(made.served, person)
    with served(made.app) as address:
        made.served.address = address
        places = [Place("organiser", "studies", f"{address}/running", organiser)]
        for kind in KINDS:
            study = made.of(f"by-{kind}")
            places.append(Place("annotation", f"introduction: {kind}", address + study.link("before")))
            places.append(Place("annotation", f"task: {kind}", address + study.link("anna")))
            places += [
                Place("organiser", f"{kind}: {part}", f"{address}/running/by-{kind}#h-{part}", organiser)
                for part in (PARTS if kind == first else PARTS[:1])
            ]
        yield places
    made.served.database.close()
