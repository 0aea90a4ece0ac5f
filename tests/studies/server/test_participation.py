"""Participation: tutorial, qualification, reading tests, traps, platforms, added tasks, deletion."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from assay.studies.design import People, Quality
from assay.studies.judgements import hashed, study_judgements
from assay.studies.server.sign_in import platform_link
from assay.studies.server.store import load_study
from tests.studies.server.synthetic import (
    Browserlike,
    Site,
    add_site,
    design_of,
    frank_design,
    frank_task,
    lessons,
    tasks_of,
)

Make = Callable[..., Site]


def learn(person: Browserlike, *answers: str) -> None:
    """Complete the tutorial without errors, then the qualification test with these answers."""
    person.begin()
    for right in ("yes", "RelE"):
        person.send(**answer(right))
        person.send(go_on="yes")
    for value in answers:
        person.send(**answer(value))


def answer(value: str) -> dict[str, str]:
    return {"q0": "yes"} if value == "yes" else {"q0": "no", "q0_kinds": value}


def reading(site: Site) -> dict[str, str]:
    with site.served.database.read() as connection:
        known = load_study(connection, site.study)
        return {task: each.foreign for task, each in known.materials.reading_tests.items()}


def read(site: Site, person: Browserlike, right: bool = True) -> None:
    assignment = site.now().open_assignments()[0]
    person.send()
    names = re.findall(r'name="name" value="([^"]+)"', person.page.text)
    foreign = reading(site)[assignment.task]
    person.send(name=foreign if right else next(name for name in names if name != foreign))


def judge(person: Browserlike, trap: str = "RelE") -> None:
    """Answer both sentences and the trap of a task."""
    for _ in range(3):
        person.send(**answer(trap if "sold the old pier" in person.page.text else "yes"))


def test_the_tutorial_gives_feedback_and_is_not_graded(site: Make) -> None:
    made = site(frank_design(), [frank_task(0), frank_task(1)], lessons())
    person = made.person("anna")
    person.begin()
    person.send(**answer("yes"))
    assert "Correct." in person.page.text
    assert "The article says so." in person.page.text
    person.send(go_on="yes")
    person.send(**answer("OutE"))
    assert "Not correct." in person.page.text
    assert "the relation is wrong" in person.page.text
    person.send(go_on="yes")  # it takes a correct answer to continue
    assert person.path.endswith("/tutorial/1")
    person.send(**answer("RelE"))
    person.send(go_on="yes")
    assert person.path.endswith("/qualification/0")
    assert made.now().annotators["anna"].passed("tutorial") == 0.5


def test_a_failed_qualification_blocks(site: Make) -> None:
    made = site(frank_design(), [frank_task(0), frank_task(1)], lessons())
    person = made.person("anna")
    learn(person, "yes", "yes")
    assert "You did not pass the qualification test." in person.page.text
    assert made.now().annotators["anna"].blocked == "qualification: 1 of 2"
    assert not made.now().assignments


def test_a_failed_reading_test_blocks_at_once(site: Make) -> None:
    made = site(frank_design(), [frank_task(0), frank_task(1)], lessons())
    person = made.person("anna")
    learn(person, "yes", "RelE")
    assert "/read/a1" in person.path
    assert "council" in person.page.text
    person.send()
    assert "council" not in person.page.text  # the article is not shown with the question
    person.get(f"/studies/{made.study}/read/a1")
    assert "council" not in person.page.text
    assert person.send(name="").status_code == 422
    read_names = re.findall(r'name="name" value="([^"]+)"', person.page.text)
    assert len(read_names) == 3
    foreign = reading(made)[made.now().open_assignments()[0].task]
    person.send(name=next(name for name in read_names if name != foreign))
    assert "question about the article" in person.page.text
    assert made.now().annotators["anna"].blocked == "reading test"
    assert made.now().assignments["a1"].state == "blocked"


def test_failed_traps_block_and_work_is_stored_separately(site: Make) -> None:
    made = site(frank_design(), [frank_task(number) for number in range(4)], lessons())
    person = made.person("anna")
    learn(person, "yes", "RelE")
    read(made, person)
    judge(person)
    read(made, person)
    judge(person, trap="yes")
    assert not made.now().annotators["anna"].blocked  # 50 % is not below 50 %
    read(made, person)
    judge(person, trap="yes")
    assert "answers to items with known answers were not correct" in person.page.text
    study = made.now()
    assert study.annotators["anna"].blocked == "traps: 33% right, 50% needed"
    assert not list(study_judgements(study))
    assert len(list(study_judgements(study, apart=True))) == 6
    assert all(study.needed(task) == 2 for task in study.tasks.values())


def test_mturk_and_prolific(site: Make) -> None:
    made = site(design_of("likert"), tasks_of("likert", 1))
    mturk = platform_link(made.served.secret, "", made.study, "mturk")
    assert "workerId=${workerId}" in mturk
    assert "hitId=${hitId}" in mturk
    visitor = Browserlike(made, made.client())
    preview = mturk.replace("${assignmentId}", "ASSIGNMENT_ID_NOT_AVAILABLE").replace("${workerId}", "")
    visitor.get(preview)
    assert "This is a preview" in visitor.page.text
    assert "<form" not in visitor.page.text
    visitor.get(mturk.replace("${assignmentId}", "A1").replace("${workerId}", "W1").replace("${hitId}", "H1"))
    visitor.begin()
    visitor.send(q0="3")
    code = re.findall(r"<code>(\w+)</code>", visitor.page.text)[0]
    other = Browserlike(made, made.client())
    link = platform_link(made.served.secret, "", made.study, "prolific")
    other.get(re.sub(r"\{\{%(\w+)%\}\}", r"x\1", link))
    other.begin()
    other.send(q0="4")
    assert f"complete?cc={(mine := re.findall(r'<code>(.+?)</code>', other.page.text)[0])}" in other.page.text
    assert mine != code
    assert set(made.now().annotators) == {"mturk:W1", "prolific:xPROLIFIC_PID"}
    paid = made.researcher().get(f"/running/{made.study}/export/payments").text
    assert "hitId=H1" in paid
    assert code in paid
    shown = made.researcher().get(f"/running/{made.study}/export/judgements").text
    assert "W1" not in shown
    assert hashed(made.now(), "mturk:W1") in shown


def test_studies_are_separate_and_added_tasks_are_assigned(site: Make, tmp_path: Path) -> None:
    made = site(design_of("likert"), tasks_of("likert", 1))
    second = made.of(add_site(made, tmp_path / "more", design_of("choice"), tasks_of("choice", 1)))
    person = made.person("anna")
    person.begin()
    person.send(q0="5")
    assert "Thank you" in person.page.text
    assert person.get(f"/studies/{second.study}/").status_code == 401
    assert not second.now().annotators
    boss = made.researcher(scope=f"study:{made.study}")
    assert boss.get(f"/running/{second.study}").status_code == 404
    page = boss.get(f"/running/{made.study}")
    csrf = re.findall(r'name="csrf" value="([^"]+)"', page.text)[0]
    more = b"".join(msgspec.json.encode(task) + b"\n" for task in tasks_of("likert", 3))
    done = boss.post(f"/running/{made.study}/tasks", data={"csrf": csrf}, files={"file": ("more.jsonl", more)})
    assert done.status_code == 200
    assert len(made.now().tasks) == 3
    person.get(f"/studies/{made.study}/")
    assert "New tasks are available." in person.page.text
    person.send()
    assert "/work/" in person.path


def test_returned_blocked_and_reassigned_tasks_go_to_others(site: Make) -> None:
    design = msgspec.structs.replace(design_of("likert"), people=People(per_item=1))
    made = site(design, tasks_of("likert", 1))
    anna, bert, cleo = (made.person(name) for name in ("anna", "bert", "cleo"))
    anna.begin()
    bert.begin()
    assert "No tasks at the moment" in bert.page.text
    anna.send(f"/studies/{made.study}/return/a1")
    assert "The task was returned" in anna.page.text
    bert.send()
    assert "/work/a2" in bert.path
    boss = made.researcher()
    csrf = re.findall(r'name="csrf" value="([^"]+)"', boss.get(f"/running/{made.study}").text)[0]
    name = hashed(made.now(), "bert")
    boss.post(f"/running/{made.study}/reassign", data={"csrf": csrf, "person": name})
    assert made.now().assignments["a2"].state == "returned"
    cleo.begin()
    assert "/work/a3" in cleo.path
    boss.post(f"/running/{made.study}/block", data={"csrf": csrf, "person": hashed(made.now(), "cleo"), "reason": "x"})
    assert made.now().assignments["a3"].state == "blocked"
    cleo.get(f"/studies/{made.study}/")
    assert "have ended your participation" in cleo.page.text


def test_data_of_one_annotator_are_deleted(site: Make) -> None:
    made = site(design_of("likert"), tasks_of("likert", 2))
    people = [made.person(name) for name in ("anna", "bert")]
    for person in people:
        person.begin()
        person.send(q0="2")
    boss = made.researcher()
    csrf = re.findall(r'name="csrf" value="([^"]+)"', boss.get(f"/running/{made.study}").text)[0]
    name = hashed(made.now(), "anna")
    form = {"csrf": csrf, "person": name}
    assert boss.post(f"/running/{made.study}/forget", data=form).status_code == 400
    assert "anna" in made.now().annotators
    assert boss.post(f"/running/{made.study}/forget", data=form | {"confirm": name}).status_code == 200
    assert set(made.now().annotators) == {"bert"}
    assert people[0].get(f"/studies/{made.study}/").status_code == 401
    people[1].send(q0="4")
    assert len(list(study_judgements(made.now()))) == 2


def test_a_form_sent_twice_counts_once(site: Make) -> None:
    made = site(design_of("likert"), tasks_of("likert", 1))
    person = made.person("anna")
    person.begin()
    form, path = {"csrf": person.csrf, "q0": "2"}, person.path
    for _ in range(3):
        assert person.client.post(path, data=form, follow_redirects=False).headers["location"].endswith("/")
    assert person.client.post(path, data=form | {"q0": "5"}, follow_redirects=False).status_code == 303
    assert [each.value for each in study_judgements(made.now())] == [2.0]


@pytest.mark.parametrize("language", ["en", "de"])
def test_pages_are_in_the_language_of_the_browser(site: Make, language: str) -> None:
    made = site(design_of("likert"), tasks_of("likert", 1))
    person = made.person("anna")
    person.get(f"/studies/{made.study}/language/{language}")
    assert ("Einwilligung" if language == "de" else "Consent") in person.page.text


def test_the_minimum_time_uses_the_clock_of_the_server(site: Make) -> None:
    """A form reports an hour; the clock of the server limits it."""
    made = site(design_of("likert", quality=Quality(minimum_seconds=60)), tasks_of("likert", 1))
    person = made.person("anna")
    person.begin()
    person.send(q0="2", seconds="3600")
    assert re.fullmatch(r"time: \d{1,2} s for 1 texts", made.now().annotators["anna"].blocked)


def test_refusals_are_in_the_language_of_the_page(site: Make) -> None:
    made = site(design_of("likert"), tasks_of("likert", 2))
    client = made.client()
    for language, words in (("de", "Öffnen Sie Ihre Einladung noch einmal"), ("en", "Open your invitation again")):
        page = client.get(f"/studies/{made.study}/work/a1/1", headers={"accept-language": language})
        assert page.status_code == 401
        assert words in page.text
        assert f'<html lang="{language}">' in page.text
