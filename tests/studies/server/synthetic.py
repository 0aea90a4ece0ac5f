"""Synthetic studies of each question kind, with training items and tasks, on a server."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from starlette.testclient import TestClient

from assay.server.studies import serve_studies
from assay.serving.access import LOCAL
from assay.serving.server import Server, open_server
from assay.studies.design import Design, People, Presentation, Quality, Question
from assay.studies.events import Check, Task, Text
from assay.studies.kinds import QUESTION_KINDS
from assay.studies.presets import preset
from assay.studies.server.annotation_queue import AnnotationQueue
from assay.studies.server.publishing import StudyFiles, publish_study
from assay.studies.server.sign_in import invitation
from assay.studies.study import Study
from tests.support.signed_in import confirmed, sign_in

ADDRESS = "http://127.0.0.1"
TOWNS = [
    "Wexley", "Harrowmere", "Dunsford", "Pellgate", "Ostrey", "Lindholm", "Carrowby", "Tarnwick", "Melbury", "Quenby",
    "Farrowdale", "Ingleton",
]  # fmt: skip
MAYORS = [
    "Ada Lind", "Bram Vos", "Cleo Marsh", "Dov Stein", "Esme Roe", "Finn Aske", "Gwen Park", "Hugo Bell", "Ines Duarte",
    "Jory Penn", "Kira Holt", "Lars Munk",
]  # fmt: skip
CODES = ("", "OutE", "RelE", "EntE")


def article(number: int) -> str:
    town, mayor = TOWNS[number % len(TOWNS)], MAYORS[number % len(MAYORS)]
    return (
        f"The council of {town} met on Tuesday to talk about the harbour. Mayor {mayor} said that {town} would not "
        f"sell the old pier to anybody.\nTwo fishermen asked {mayor} for lower fees. The council will vote again in "
        f"spring, when {town} knows what repairs will cost."
    )


def frank_task(number: int, traps: int = 1) -> Task:
    town, mayor = TOWNS[number % len(TOWNS)], MAYORS[number % len(MAYORS)]
    sentences = (
        f"Mayor {mayor} said that {town} would not sell the old pier.",
        "The council will vote again in spring.",
    )
    checks = (Check("trap", f"Mayor {mayor} sold the old pier of {town}.", "RelE"),) * traps
    return Task(f"news-{number}", (Text(f"news-{number}", "lead", " ".join(sentences), sentences=sentences),),
                article(number), checks)  # fmt: skip


def frank_design(**quality: Any) -> Design:
    """FRANK's question and checks, one trap a task."""
    frank = preset("frank")
    defaults = {"tutorial": True, "qualification": 0.85, "reading_test": True, "traps_per_task": 1, "trap_block": 0.5}
    return msgspec.structs.replace(
        frank, name="news", title="Are the summaries true?", people=msgspec.structs.replace(frank.people, per_item=2),
        quality=Quality(**(defaults | quality)),
    )  # fmt: skip


def lessons(count: int = 2) -> list[dict[str, str]]:
    made = []
    for part in ("tutorial", "qualification"):
        for number in range(count):
            right = number % 2 == 0
            text = "The council met on Tuesday." if right else "The council sold the harbour to a bank."
            made.append(
                {"part": part, "text": text, "expected": "" if right else "RelE", "source": article(0),
                 "why": "The article says so." if right else "Nothing was sold: the relation is wrong."}
            )  # fmt: skip
    return made


SCALE = {"values": [1, 2, 3, 4, 5], "labels": {"1": "not at all", "5": "fully"}}
KINDS: dict[str, dict[str, Any]] = {
    "likert": SCALE,
    "slider": {"values": [0, 100], "labels": {"0": "no meaning kept", "100": "perfect"}},
    "choice": {"labels": {"clean": "free of errors", "slips": "a few slips", "hard": "hard to read"}},
    "pairwise": {},
    "best-worst": {},
    "ranking": {"ties": False},
    "typology": {"labels": {"RelE": "a wrong relation", "OtherE": "something else"}, "several": True, "comments": True},
    "spans": {"labels": {"minor": "noticed", "major": "changes the meaning"}, "comments": True},
    "free-text": {"most": 2},
    "post-editing": {"comments": True},
    "human-likeness": SCALE | {"threshold": 3.0},
}  # fmt: skip


def design_of(kind: str, **more: Any) -> Design:
    question = Question(
        criterion="quality", kind=kind, text="How good is it?", definition="As a whole.", **KINDS[kind]
    )  # fmt: skip
    return Design(
        name=f"by-{kind}", title=f"A study by {kind}", instructions="Read, then answer.", language="en",
        questions=[question], people=People(per_item=9), presentation=Presentation(order="balanced"), **more,
    )  # fmt: skip


def tasks_of(kind: str, count: int = 2, texts: int = 0) -> list[Task]:
    rules = QUESTION_KINDS.get(kind)
    size = texts or rules.texts_per_task or (3 if rules.compares else 1)
    return [
        Task(
            f"t{number}",
            tuple(
                Text(f"t{number}", f"system-{place}", f"Version {place + 1} of {TOWNS[number]}: the pier stays.")
                for place in range(size)
            ),
            article(number),
        )
        for number in range(count)
    ]  # fmt: skip


GOOD: dict[str, dict[str, str]] = {
    "likert": {"q0": "4"}, "slider": {"q0": "73"}, "choice": {"q0": "slips"}, "pairwise": {"q0": "tie"},
    "best-worst": {"q0_best": "t0", "q0_worst": "t1"}, "ranking": {"q0_t0": "2", "q0_t1": "1", "q0_t2": "3"},
    "typology": {"q0": "no", "q0_kinds": "RelE"}, "spans": {"q0": '[{"start":0,"end":7,"label":"major"}]'},
    "free-text": {"q0_0": "harbour towns"}, "post-editing": {"q0": "Better."}, "human-likeness": {"q0": "2"},
}  # fmt: skip
"""An answer of each kind, as a form sends it; `t0` is the first of compared texts."""


def filled(kind: str, page: str) -> dict[str, str]:
    """The answer of a kind, with texts called what this page calls them."""
    called = {f"t{int(place) - 1}": name for name, place in
              re.findall(r'aria-labelledby="text-(\w+)".*?Version (\d)', page, re.S)}  # fmt: skip
    return {
        re.sub(r"t\d$", lambda match: called[match[0]], name): called.get(value, value)
        for name, value in GOOD[kind].items()
    }


@dataclass
class Site:
    """A server with a study, and clients of it."""

    served: Server
    app: Any
    study: str

    def link(self, person: str) -> str:
        return f"/studies/{self.study}/enter?link={invitation(self.served.secret, self.study, person)}"

    def client(self, base: str = ADDRESS) -> TestClient:
        return TestClient(self.app, base_url=base, headers={"accept": "text/html"})

    def person(self, name: str) -> Browserlike:
        made = Browserlike(self, self.client())
        made.get(self.link(name))
        return made

    def of(self, study: str) -> Site:
        """Return another study on the same server."""
        return Site(self.served, self.app, study)

    def researcher(self, email: str = "ada@example.org", scope: str = "", role: str = "organiser") -> TestClient:
        with self.served.database.write() as connection:
            person = confirmed(connection, email, {scope: role})
        client = self.client()
        sign_in(client, self.served, person)
        return client

    def now(self) -> Study:
        """Return the study from the database."""
        from assay.studies.server.store import load_study

        with self.served.database.read() as connection:
            return load_study(connection, self.study).study


class Browserlike:
    """A client that follows redirects and sends the forms of the last page."""

    def __init__(self, site: Site, client: TestClient) -> None:
        self.site = site
        self.client = client
        self.page: Any = None

    def get(self, path: str) -> Any:
        self.page = self.client.get(path)
        return self.page

    @property
    def path(self) -> str:
        return str(self.page.url.path)

    @property
    def csrf(self) -> str:
        return str(re.findall(r'name="csrf" value="([^"]+)"', self.page.text)[0])

    def send(self, path: str | None = None, **fields: Any) -> Any:
        target = path or re.findall(r'<form method="post" action="([^"]+)"', self.page.text)[0]
        self.page = self.client.post(target, data={"csrf": self.csrf} | fields)
        return self.page

    def begin(self) -> Any:
        return self.send(agree="yes")


def make_site(
    folder: Path,
    url: str | None,
    design: Design,
    tasks: list[Task],
    lesson_list: list[dict[str, str]] | None = None,
    **more: Any,
) -> Site:
    """Return a server with this study."""
    files = write_study(folder, design, tasks, lesson_list)
    served = open_server(folder / "server", url, ADDRESS)
    app, put, _ = serve_studies(served, LOCAL, files, **more)
    assert put is not None
    return Site(served, app, put.id)


def write_study(
    folder: Path, design: Design, tasks: list[Task], lesson_list: list[dict[str, str]] | None = None
) -> StudyFiles:
    where = folder / design.name
    where.mkdir(parents=True, exist_ok=True)
    lines_of = (f"{name} = {toml(value)}\n" for name, value in msgspec.to_builtins(design).items())
    (where / "design.toml").write_text("".join(lines_of), encoding="utf-8")
    (where / "tasks.jsonl").write_bytes(b"".join(msgspec.json.encode(task) + b"\n" for task in tasks))
    lines = None
    if lesson_list:
        lines = where / "lessons.jsonl"
        lines.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in lesson_list))
    return StudyFiles(where / "design.toml", (where / "tasks.jsonl",), lines)


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(name))} = {toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def add_site(site: Site, folder: Path, design: Design, tasks: list[Task]) -> str:
    """Add a study to the same server and return its id."""
    queue = AnnotationQueue(site.served.database)
    put = publish_study(site.served.database, queue, write_study(folder, design, tasks))
    queue.close()
    return put.id
