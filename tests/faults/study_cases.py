"""What the fault sweep is run over in studies: sheets and journals, releases, and answers on a server."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

import msgspec

from tests.faults.answering import STUDY
from tests.faults.sweep import Case, Forks, Seen

DESIGN = f"""
name = "{STUDY}"
[[questions]]
criterion = "fluency"
kind = "likert"
values = [1, 2, 3, 4, 5]
[people]
per_item = 2
"""
OUTPUTS = ("good.jsonl", "poor.jsonl")
ASSIGN = ("study", "assign", "design.toml", *OUTPUTS, "-o", "j.jsonl", "--people", "2", "--sheets", "sheets")
SERVE = ("study", "serve", "design.toml", "--tasks", "tasks.jsonl", "--folder", "server", "--add")
SERVER_IMPORTS = ("sqlalchemy", "alembic.command", "fastapi", "assay.server.studies", "assay.serving.server")


def design(folder: Path) -> None:
    """A design with the outputs of two systems, and tasks of one text each for a server."""
    (folder / "design.toml").write_text(DESIGN)
    for name in OUTPUTS:
        rows = [{"id": f"i{i}", "output": f"{name} text {i}", "system": name[:4]} for i in range(4)]
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    tasks = [{"id": f"t{i}", "texts": [{"id": f"t{i}", "system": "a", "text": f"Text {i}."}]} for i in range(6)]
    (folder / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))


def done(forks: Forks, folder: Path, arguments: tuple[str, ...]) -> None:
    ended = forks.run(folder, arguments)
    assert ended.code == 0, ended.err


def fill(folder: Path) -> None:
    """Answer every question on every sheet."""
    for path in (folder / "sheets").glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            line["answers"]["fluency"] = [5 if text.startswith("good") else 2 for text in line["texts"]]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def events(folder: Path) -> list[dict[str, object]]:
    """All events of the journal; its last line may be half."""
    *lines, _ = (folder / "j.jsonl").read_bytes().split(b"\n")
    return [event for line in lines for event in msgspec.json.decode(line)]


class Assign(Case):
    """`study assign`: a journal with all of its sheets, or no journal."""

    name = "study assign"
    finished_is_refused = True
    arguments = ASSIGN

    def prepare(self, forks: Forks, folder: Path) -> None:
        design(folder)

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        if not (folder / "j.jsonl").exists():
            return {}, []
        given = sorted(str(event["assignment"]) for event in events(folder) if event["event"] == "given")
        sheets = [path.read_text().splitlines() for path in sorted((folder / "sheets").glob("*.jsonl"))]
        on_sheets = sorted(json.loads(line)["assignment"] for sheet in sheets for line in sheet)
        added = [event["tasks"] for event in events(folder) if event["event"] == "added"]
        tasks = [len(each) for each in added if isinstance(each, list)]
        return {"study": (tasks, len(given), [len(sheet) for sheet in sheets], given == on_sheets)}, []


class Collect(Case):
    """`study collect`: each task of a sheet is stored once with its answers, or is not yet stored."""

    name = "study collect"
    arguments = ("study", "collect", "j.jsonl", "sheets/person-1.jsonl", "sheets/person-2.jsonl",
                 "--design", "design.toml")  # fmt: skip

    def prepare(self, forks: Forks, folder: Path) -> None:
        design(folder)
        done(forks, folder, ASSIGN)
        fill(folder)

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        found: Seen = {}
        for event in events(folder):
            if event["event"] in ("given", "answered"):
                name = f"{event['event']} {event['assignment']}"
                found[name] = [event.get("answers")] if name not in found else "twice"
        return found, []


class Forget(Case):
    """`study forget`: all events of an annotator are gone, or none is."""

    name = "study forget"
    finished_is_refused = True
    arguments = ("study", "forget", "j.jsonl", "--design", "design.toml", "--person", "person-1")

    def prepare(self, forks: Forks, folder: Path) -> None:
        Collect().prepare(forks, folder)
        done(forks, folder, Collect.arguments)

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        return {"journal": events(folder)}, []


class Release(Case):
    """`study export --as bundle`: a release with its manifest, or nothing that looks like one."""

    name = "study export"
    finished_is_refused = True
    arguments = ("study", "export", "j.jsonl", "--design", "design.toml", "--as", "bundle", "-o", "release")

    def prepare(self, forks: Forks, folder: Path) -> None:
        Forget().prepare(forks, folder)

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        release = folder / "release"
        if not release.exists():
            return {}, []
        return {"release": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in release.iterdir()}}, []


def stored(folder: Path) -> list[dict[str, object]]:
    """All events of the study on the server."""
    path = folder / "server" / "assay.sqlite"
    if not path.exists():
        return []
    with sqlite3.connect(path) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'study_events'").fetchone():
            return []
        rows = connection.execute("SELECT event FROM study_events WHERE study = ? ORDER BY seq", (STUDY,)).fetchall()
    return [json.loads(event) for (event,) in rows]


class Serve(Case):
    """`study serve --add`: the study with all of its tasks, or without any."""

    name = "study serve"
    imports = SERVER_IMPORTS
    arguments = SERVE

    def prepare(self, forks: Forks, folder: Path) -> None:
        design(folder)

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        tasks = [event["tasks"] for event in stored(folder) if event["event"] == "added"]
        return {"tasks": tasks} if tasks else {}, []


class AnswerOnServer(Case):
    """Answers on a study server: one that was acknowledged is stored, each is stored once."""

    name = "study answers"
    imports = SERVER_IMPORTS
    arguments = ("tests.faults.answering",)

    def prepare(self, forks: Forks, folder: Path) -> None:
        design(folder)
        done(forks, folder, SERVE)

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        found = stored(folder)
        owners = {str(event["assignment"]): str(event["annotator"]) for event in found if event["event"] == "given"}
        answers: Seen = {}
        for event in found:
            if event["event"] == "answered":
                name = owners[str(event["assignment"])]
                answers[name] = [event["answers"]] if name not in answers else "twice"
        acknowledged = (forks.home / "asked").read_text().split() if (forks.home / "asked").exists() else []
        lost = [each for each in acknowledged if owners.get(each) not in answers]
        return answers, [f"lost: {each} was acknowledged" for each in lost]


STUDY_CASES: tuple[Case, ...] = (Assign(), Collect(), Forget(), Release(), Serve(), AnswerOnServer())
