"""Every route and method of studies, with existing ids of somebody else: nothing is read or changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from assay.serving.credentials import new_token
from assay.serving.tables import annotators
from tests.studies.server.synthetic import Site, add_site, design_of, tasks_of
from tests.studies.server.test_security import rows
from tests.support.signed_in import confirmed

OPEN = {"/studies/{study}/language/{code}", "/studies/{study}/enter", "/running", "/api/studies"}
"""Without content of a study, or with a list of what the user may see, which is tested by itself."""
MINE = ("begin", "next", "device", "leave", "tutorial", "qualification")
"""Pages about the annotator who asks; they have no id of another."""
BERT = "bertold-the-other"


def routes(site: Site) -> list[tuple[str, str]]:
    return [
        (method, route.path)
        for route in site.app.routes
        if str(getattr(route, "path", "")).startswith(("/studies", "/running", "/api/studies"))
        for method in sorted(route.methods - {"HEAD"})
        if route.path not in OPEN
    ]


@pytest.fixture
def two(site: Callable[..., Site], tmp_path: Any) -> tuple[Site, Site]:
    """A study with two annotators, and another study on the same server."""
    made = site(design_of("likert"), tasks_of("likert", 3))
    other = made.of(add_site(made, tmp_path / "more", design_of("choice"), tasks_of("choice", 3)))
    for name in ("anna", BERT):
        made.person(name).begin()
    other.person("olaf").begin()
    return made, other


def test_ids_of_others(two: tuple[Site, Site]) -> None:
    site, other = two
    study = site.now()
    (bert,) = [each.id for each in study.assignments.values() if each.annotator == BERT]
    anna = site.person("anna")
    clients = {
        "nobody": site.client(),
        "annotator": anna.client,
        "annotator elsewhere": other.person("olaf").client,
        "reader": site.researcher("reader@example.org", role="reader"),
        "organiser elsewhere": site.researcher("o@example.org", scope=f"study:{other.study}"),
    }
    with site.served.database.write() as connection:
        person = confirmed(connection, "token@example.org", {f"study:{other.study}": "organiser"})
        token = new_token(connection, person, "t", site.served.settings)
    clients["token elsewhere"] = site.client()
    clients["token elsewhere"].headers["Authorization"] = f"Bearer {token}"
    before, asked = rows(site), 0
    for who, client in clients.items():
        csrf = anna.csrf if who == "annotator" else token_on(client)
        for method, route in routes(site):
            if who == "annotator" and (any(f"/{word}" in route for word in MINE) or route == "/studies/{study}/"):
                continue
            path = route.format(study=site.study, assignment=bert, number="0", person=BERT, form="journal")
            answer = client.request(
                method, path, data={"csrf": csrf, "q0": "3", "person": BERT}, follow_redirects=False
            ) if method == "POST" else client.request(method, path, follow_redirects=False)  # fmt: skip
            if who == "annotator" and answer.status_code == 303:  # to the step of the annotator who asks
                assert bert not in answer.headers["location"]
                continue
            assert answer.status_code in (401, 403, 404), (who, method, route, answer.status_code)
            assert BERT not in answer.text, (who, route)
            asked += 1
    assert rows(site) == before
    assert asked > 100


def token_on(client: Any) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/me").text)
    return found[1] if found else ""


def test_sessions_of_annotators_are_stored_as_digests(two: tuple[Site, Site]) -> None:
    site, _ = two
    anna = site.person("anna")
    cookie = next(iter(anna.client.cookies.values()))
    signed: Any = site.served.secret.signed(cookie, f"annotator:{site.study}", 1000)
    name, session = signed
    link = anna.send(f"/studies/{site.study}/device").text
    token = re.search(r"device=([\w.-]+)", link)
    assert name == "anna"
    assert token
    word = site.served.secret.signed(token[1], "device", 1000)[2]  # type: ignore[index]
    with site.served.database.read() as connection:
        stored = str(connection.execute(annotators.select()).all())
    assert str(session) not in stored
    assert str(word) not in stored
