"""Security: forged, expired and replayed tokens, assignments of others, large bodies, markup, SQL, CSRF."""

from __future__ import annotations

import re
import string
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import select

from assay.serving.limits import Buckets
from assay.serving.secret import Secret
from assay.serving.tables import annotators, drafts, study_events
from assay.studies.events import Task, Text
from tests.studies.server.synthetic import Site, design_of, tasks_of

Make = Callable[..., Site]
HOSTILE = ["<script>alert(1)</script>", "'; DROP TABLE study_events; --", '" onfocus=alert(1) x="', "{{ 7*7 }}"]


@pytest.fixture
def busy(site: Make) -> Site:
    made = site(design_of("likert"), tasks_of("likert", 2))
    for name in ("anna", "bert"):
        made.person(name).begin()
    return made


def rows(site: Site) -> list[Any]:
    with site.served.database.read() as connection:
        return [connection.execute(select(table)).all() for table in (study_events, annotators, drafts)]


@pytest.fixture
def unchanged(busy: Site) -> Iterator[None]:
    before = rows(busy)
    yield
    assert rows(busy) == before


@pytest.mark.usefixtures("unchanged")
def test_forged_and_expired_links_are_invalid(busy: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    link = busy.link("carl")
    client = busy.client()
    for forged in (link[:-1] + ("A" if link[-1] != "A" else "B"), link.replace("link=", "link=x"), link.split("?")[0]):
        answer = client.get(forged)
        assert answer.status_code == 403
        assert "This link is invalid or has expired" in answer.text
        assert not client.cookies
    other = busy.served.secret.sign(["another", "person", "carl"], "invitation")
    assert client.get(f"/studies/{busy.study}/enter?link={other}").status_code == 403
    session = busy.served.secret.sign([busy.study, "person", "carl"], "session")
    assert client.get(f"/studies/{busy.study}/enter?link={session}").status_code == 403
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 61 * 86400)
    assert client.get(link).status_code == 403


def test_a_signature_has_one_encoding() -> None:
    secret = Secret("k" * 40)
    word = secret.sign(["news", "person", "carl"], "invitation")
    assert secret.signed(word, "invitation", 60) == ["news", "person", "carl"]
    letters = set(string.ascii_letters + string.digits + "-_!= ") - {word[-1]}
    forged = [word[:-1] + letter for letter in letters] + [word + "!", word + "=", word + "\n"]
    assert [each for each in forged if secret.signed(each, "invitation", 60) is not None] == []


def test_a_link_for_another_device_works_once(busy: Site) -> None:
    anna = busy.person("anna")
    anna.send(f"/studies/{busy.study}/device")
    link = re.findall(r"<code>([^<]+)</code>", anna.page.text)[0].replace("&amp;", "&")
    first, second = busy.client(), busy.client()
    assert "/work/" in str(first.get(link).url)
    before = rows(busy)
    assert second.get(link).status_code == 403
    assert not second.cookies
    assert rows(busy) == before


def test_signing_out_ends_the_session(busy: Site) -> None:
    anna = busy.person("anna")
    csrf, path, cookie = anna.csrf, anna.path, dict(anna.client.cookies)
    anna.send(f"/studies/{busy.study}/leave")
    before = rows(busy)
    again = busy.client()
    again.cookies.update(cookie)
    assert again.get(path).status_code == 401
    assert again.post(path, data={"csrf": csrf, "q0": "3"}).status_code == 401
    assert rows(busy) == before


def test_assignments_of_others_cannot_be_seen_or_answered(busy: Site) -> None:
    anna, bert = busy.person("anna"), busy.person("bert")
    before = rows(busy)
    for path in (
        bert.path,
        bert.path.replace("/work/", "/draft/"),
        f"/studies/{busy.study}/return/{bert.path.split('/')[-2]}",
    ):
        assert anna.client.post(path, data={"csrf": anna.csrf, "q0": "3"}).status_code == 404
    assert anna.client.get(bert.path).status_code == 404
    for place in ("a99/0", "a1/9", "a1/-1", "a1/99999999999999999999", "a1%00/0"):
        assert anna.client.get(f"/studies/{busy.study}/work/{place}").status_code in (404, 422)
    assert rows(busy) == before


def test_forms_without_their_token_are_refused(busy: Site) -> None:
    anna, bert = busy.person("anna"), busy.person("bert")
    before = rows(busy)
    for token in ("", "x", bert.csrf, anna.csrf[:-1]):
        for path in (
            anna.path,
            f"/studies/{busy.study}/leave",
            f"/studies/{busy.study}/device",
            f"/studies/{busy.study}/next",
        ):
            assert anna.client.post(path, data={"csrf": token, "q0": "3"}).status_code == 403
    elsewhere = {"origin": "https://elsewhere.example"}
    assert anna.client.post(anna.path, data={"csrf": anna.csrf, "q0": "3"}, headers=elsewhere).status_code == 403
    boss = busy.researcher()
    assert boss.post(f"/running/{busy.study}/block", data={"person": "x"}).status_code == 403
    assert rows(busy) == before


def test_huge_bodies_are_refused(busy: Site) -> None:
    anna = busy.person("anna")
    before = rows(busy)
    big = anna.client.post(anna.path, data={"csrf": anna.csrf, "q0_comment": "x" * 1_100_000})
    assert big.status_code == 413
    many = anna.client.post(anna.path, data={"csrf": anna.csrf} | {f"f{number}": "" for number in range(3000)})
    assert many.status_code == 400
    assert rows(busy) == before


def test_requests_are_rate_limited(busy: Site) -> None:
    anna = busy.person("anna")
    busy.served.requests = Buckets(3)
    codes = [anna.client.get(anna.path) for _ in range(4)]
    assert codes[-1].status_code == 429
    assert int(codes[-1].headers["retry-after"]) >= 1
    busy.served.sign_ins = Buckets(3)
    tried = [busy.client().get(f"/studies/{busy.study}/enter?link=guess") for _ in range(4)]
    assert [each.status_code for each in tried][-1] == 429


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_and_sql_are_escaped(site: Make, text: str) -> None:
    design = design_of("post-editing")
    made = site(design, [Task(f"t{text}", (Text(f"i{text}", text, text),), text)])
    person = made.person(text)
    person.begin()
    person.send(q0=text, q0_comment=text)
    assert "Thank you" in person.page.text
    (answer,) = made.now().assignments["a1"].answers
    assert (answer.value, answer.comment) == (text.strip(), text.strip())
    person.get(made.link(text))
    boss = made.researcher()
    for page in (f"/running/{made.study}", f"/running/{made.study}?did={text}", f"/running/{text}"):
        shown = boss.get(page)
        assert shown.status_code in (200, 404)
        assert text not in shown.text
    for export in ("judgements", "gem", "journal", "payments", "bundle"):
        assert boss.get(f"/running/{made.study}/export/{export}").status_code == 200
    hostile = made.client().get(f"/studies/{text}/enter?link={text}&workerId={text}")
    assert hostile.status_code in (403, 404)
    assert text not in hostile.text


def test_pages_forbid_inline_scripts(busy: Site) -> None:
    anna = busy.person("anna")
    policy = anna.page.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert not re.search(r"<script(?![^>]* src=)|\son\w+=|style=", anna.page.text)
    cookie = anna.client.get(busy.link("anna"), follow_redirects=False).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert f"Path=/studies/{busy.study}" in cookie


RUNNING = ["", "/export/judgements", "/export/payments", "/export/journal"]
ACTIONS = ["block", "reassign", "forget", "main", "invite", "tasks"]


def test_the_dashboard_requires_the_organiser_role(busy: Site) -> None:
    name = f"/running/{busy.study}"
    clients = {
        401: [busy.client(), busy.person("anna").client],
        404: [
            busy.researcher("reader@example.org", role="reader"),
            busy.researcher("other@example.org", scope="study:another"),
            busy.researcher("sender@example.org", role="submitter"),
        ],
    }
    before = rows(busy)
    for status, refused in clients.items():
        for client in refused:
            assert {client.get(name + path).status_code for path in RUNNING} == {status}
            tokens = re.findall(r'name="csrf" value="([^"]+)"', client.get("/me").text)
            form = {"csrf": tokens[0] if tokens else "", "person": "x", "confirm": "x", "name": "x"}
            assert {client.post(f"{name}/{action}", data=form).status_code for action in ACTIONS} == {status}
            assert client.get(f"/api/studies/{busy.study}").status_code == 401  # the API does not accept cookies
    assert rows(busy) == before
    assert {busy.researcher().get(name + path).status_code for path in ("", "/export/payments")} == {200}
