"""A server with two benchmarks, people in every role, and work of one of them that is hidden from the others."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from assay.benchmark.cards.card import new_card
from assay.benchmark.cards.editor.drafts import create_draft
from assay.benchmark.cards.template import template
from assay.benchmark.freezing import freeze
from assay.benchmark.manifest import read_manifest, write_manifest
from assay.benchmark.service.hosted_versions import HostedVersions
from assay.benchmark.service.scoring import failures, handlers
from assay.server.app import build_app
from assay.serving.access import Access
from assay.serving.accounts import User
from assay.serving.credentials import new_token
from assay.serving.server import Server, open_server
from assay.serving.worker import Worker
from tests.support.made_benchmarks import MANIFEST, made
from tests.support.made_submissions import good
from tests.support.signed_in import confirmed, sign_in

ROLES = {
    "nobody": {},
    "stranger": {},
    "reader": {"benchmark:tides": "reader"},
    "other": {"benchmark:tides": "submitter"},
    "elsewhere": {"benchmark:winds": "organiser"},
    "author": {"benchmark:tides": "submitter"},
    "organiser": {"benchmark:tides": "organiser"},
    "owner": {"": "owner"},
}
"""Who asks, by what they are; `author` has sent the hidden submission."""
HIDDEN = "veiled-heron"
"""What the hidden submission is called."""
ANYWHERE = Access(sign_in=True)
SETTINGS = """requests_per_minute = 1000000
sign_ins_per_minute = 1000000
submissions_per_day = 1000
lease_seconds = 2.0
largest_body = 2000000
"""


def frozen(folder: Path, text: str = MANIFEST) -> Path:
    path = made(folder, text)
    write_manifest(path, freeze(read_manifest(path), path.parent).manifest)
    return path


def sent(**changes: Any) -> bytes:
    return json.dumps(good(**changes)).encode()


@dataclass
class MadeService:
    server: Server
    people: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.versions = HostedVersions(self.server)
        self.app = build_app(self.server, ANYWHERE)

    def invite(self, role: str, roles: dict[str, str]) -> None:
        with self.server.database.write() as connection:
            self.people[role] = confirmed(connection, f"{role}@example.org", roles)
            self.tokens[role] = new_token(connection, self.people[role], "tests", self.server.settings)

    def work(self) -> int:
        """Do every job that waits; how many."""
        worker = Worker(self.server.database, self.server.settings, handlers(self.versions), failures())
        done = 0
        while worker.once():
            done += 1
        return done

    def client(self, role: str = "nobody") -> TestClient:
        """A browser that is signed in as somebody."""
        client = self.bare(Accept="text/html")
        if role != "nobody":
            sign_in(client, self.server, self.people[role])
        return client

    def program(self, role: str = "nobody") -> TestClient:
        """The same with a token."""
        return self.bare(**({} if role == "nobody" else {"Authorization": f"Bearer {self.tokens[role]}"}))

    def bare(self, **headers: str) -> TestClient:
        return TestClient(
            self.app,
            base_url="http://127.0.0.1",
            follow_redirects=False,
            raise_server_exceptions=False,
            headers=headers,
        )

    def submit(self, role: str, version: str = "1", **changes: Any) -> Any:
        return self.program(role).post(f"/api/benchmarks/tides/versions/{version}/submissions", content=sent(**changes))


def csrf(client: TestClient) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/me").text)
    return found[1] if found else ""


def made_service(folder: Path, url: str | None = None, manifest: str = MANIFEST) -> MadeService:
    """Tides has one submission, anonymous and scored; winds has none. Its author writes a card, too."""
    home = folder / "server"
    home.mkdir(parents=True)
    (home / "assay.toml").write_text(SETTINGS)
    service = MadeService(open_server(home, url, "http://127.0.0.1"))
    service.versions.add(frozen(folder / "tides", manifest))
    service.versions.add(frozen(folder / "winds", MANIFEST.replace('name = "tides"', 'name = "winds"', 1)))
    for role, roles in ROLES.items():
        if role != "nobody":
            service.invite(role, roles)
    answer = service.submit("author", submission_name=HIDDEN, anonymous_until="2999-01-01", description="by the heron")
    assert answer.status_code == 201, answer.text
    with service.server.database.write() as connection:
        create_draft(connection, User(service.people["author"]), new_card(template("model"), HIDDEN), template("model"))
    service.work()
    return service
