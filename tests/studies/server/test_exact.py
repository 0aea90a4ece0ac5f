"""Exports are exact: answers, annotators, positions and times; pages never reveal the systems."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from assay.errors import AssayError
from assay.studies.design import Presentation, Quality
from assay.studies.events import Check, Task, Text
from assay.studies.judgements import study_judgements
from assay.studies.server.annotation_queue import AnnotationQueue
from assay.studies.server.sign_in import forget_annotator, platform_link
from assay.studies.server.tasks_file import parse_tasks
from assay.studies.server.training import read_training_items
from tests.studies.server.synthetic import Site, design_of, frank_design, frank_task, tasks_of

Make = Callable[..., Site]


class Clock:
    """A clock that tests can set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at = time.time()
        monkeypatch.setattr(time, "time", lambda: self.at)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_answer_times_are_limited_by_the_clock_of_the_server(site: Make, clock: Clock) -> None:
    made = site(design_of("likert"), tasks_of("likert", 1, texts=2))
    anna = made.person("anna")
    anna.begin()
    clock.at += 4
    anna.send(q0="3", seconds="86400")
    clock.at += 6
    anna.send(q0="4", seconds="3")
    (assignment,) = made.now().assignments.values()
    assert [answer.seconds for answer in assignment.answers] == [4, 3]
    assert assignment.seconds == 7


def test_without_javascript_the_time_since_the_previous_screen_counts(site: Make, clock: Clock) -> None:
    made = site(design_of("likert"), tasks_of("likert", 1, texts=2))
    anna = made.person("anna")
    anna.begin()
    for seconds in (4, 6):
        clock.at += seconds
        anna.send(q0="3", seconds="0.0")
    (assignment,) = made.now().assignments.values()
    assert [answer.seconds for answer in assignment.answers] == [4, 6]
    assert assignment.seconds == 10


def test_highlighted_passages_are_explained_if_there_are_any(site: Make) -> None:
    sentences = ("Nothing like it.", "The council of Wexley met on Tuesday to talk.")
    task = Task("t", (Text("t", "a", " ".join(sentences), sentences=sentences),), frank_task(0).source)
    made = site(frank_design(tutorial=False, qualification=None, reading_test=False, traps_per_task=0), [task])
    anna = made.person("anna")
    anna.begin()
    assert "Highlighted passages" not in anna.page.text
    anna.send(q0="yes")
    assert "Highlighted passages" in anna.page.text


def test_an_expired_lease_does_not_make_an_annotator_too_fast(site: Make, clock: Clock) -> None:
    quality = Quality(minimum_seconds=50, minimum_items=1)
    made = site(design_of("likert", quality=quality), tasks_of("likert", 1, texts=2))
    anna = made.person("anna")
    anna.begin()
    clock.at += 100
    anna.send(q0="3", seconds="100")
    clock.at += 86400
    anna.send(f"/studies/{made.study}/next")
    anna.get(f"/studies/{made.study}/")
    clock.at += 5
    while "/work/" in anna.path:
        checked = re.findall(r'value="(\d)" checked', anna.page.text)
        seconds = re.findall(r'name="seconds" value="([^"]+)"', anna.page.text)
        anna.send(anna.path, q0=checked[0] if checked else "4", seconds=seconds[0] if checked else "5")
    study = made.now()
    assert [each.state for each in study.assignments.values()] == ["expired", "done"]
    assert study.assignments["a2"].seconds == 105
    assert sorted(answer.value for answer in study.assignments["a2"].answers) == [3, 4]
    assert study.annotators["anna"].blocked == ""


def test_positions_of_compared_texts(site: Make) -> None:
    tasks = [
        msgspec.structs.replace(task, checks=(Check("attention", "The same again."),) * 2)
        for task in tasks_of("pairwise", 6)
    ]
    made = site(design_of("pairwise"), tasks)
    anna = made.person("anna")
    anna.begin()
    for _ in tasks:
        anna.send(q0="tie")
    study = made.now()
    judgements = list(study_judgements(study))
    assert len(judgements) == 12
    for assignment in study.assignments.values():
        order = study.order(assignment)
        here = {each.system: each.position for each in judgements if each.id == assignment.task}
        assert here == {f"system-{number}": order.index(number) + 1 for number in (0, 1)}


@pytest.mark.parametrize("kind", ["pairwise", "best-worst", "ranking"])
def test_the_page_source_does_not_reveal_systems(site: Make, kind: str) -> None:
    made = site(design_of(kind), tasks_of(kind, 12))
    anna = made.person("anna")
    anna.begin()
    values: set[str] = set()
    for _ in range(12):
        body = anna.page.text
        assert "system-" not in body
        texts = re.findall(r'aria-labelledby="text-(\w+)".*?Version (\d)', body, re.S)
        values |= {name for name, version in texts if version == "1"}
        names = [name for name, _ in texts]
        fields = {
            "pairwise": {"q0": names[0]},
            "best-worst": {"q0_best": names[0], "q0_worst": names[1]},
            "ranking": {f"q0_{name}": str(place) for place, name in enumerate(names, 1)},
        }[kind]
        best = texts[0][1]
        anna.send(**fields)
        assert anna.page.status_code == 200
        assignment = [each for each in made.now().assignments.values() if each.done][-1]
        by_text = {answer.text: answer.value for answer in assignment.answers}
        assert by_text[int(best) - 1] == 1
    assert len(values) > 1


def test_reading_tests_are_about_articles_that_were_shown(site: Make) -> None:
    texts = tuple(Text(f"n{n}", "lead", frank_task(n).texts[0].text, frank_task(n).source * (n + 1)) for n in range(2))
    made = site(
        frank_design(tutorial=False, qualification=None, traps_per_task=0), [Task("both", texts), frank_task(5)]
    )
    anna = made.person("anna")
    anna.begin()
    shown = anna.page.text
    anna.send()
    asked = re.findall(r'name="name" value="([^"]+)"', anna.page.text)
    assert sum(name in shown for name in asked) == 2


def test_an_article_is_shown_although_one_with_a_longer_id_was_read(site: Make, clock: Clock) -> None:
    tasks = [msgspec.structs.replace(frank_task(n), id=id) for n, id in enumerate(["news-1", "news-10", "NEWS-1"])]
    made = site(frank_design(tutorial=False, qualification=None), tasks)
    anna = made.person("anna")
    anna.begin()
    for _ in tasks:
        assert "I have read it" in anna.page.text
        anna.send()
        assert "I have read it" not in anna.page.text
        assignment = anna.path.split("/")[-1]
        anna.send(f"/studies/{made.study}/return/{assignment}")
        anna.get(f"/studies/{made.study}/")
        anna.send(f"/studies/{made.study}/next")


SEPARATORS = "One\u2028two\u0085three\u2029four."


def test_lines_end_where_lines_of_json_end(tmp_path: Path) -> None:
    task = Task("t", (Text("t", "a", SEPARATORS),), SEPARATORS)
    assert parse_tasks(msgspec.json.encode(task).decode(), "tasks", design_of("likert")) == [task]
    path = tmp_path / "lessons.jsonl"
    path.write_text(json.dumps({"part": "tutorial", "text": SEPARATORS, "expected": "3"}, ensure_ascii=False), "utf-8")
    assert read_training_items(path, design_of("likert"))[0].text == SEPARATORS


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("likert", ""),
        ("likert", "9"),
        ("likert", "<=x"),
        ("choice", "cleen"),
        ("typology", "RleE"),
        ("slider", ">=200"),
    ],
)
def test_training_items_and_traps_must_be_answerable(tmp_path: Path, kind: str, expected: str) -> None:
    path = tmp_path / "lessons.jsonl"
    path.write_text(json.dumps({"part": "tutorial", "text": "A text.", "expected": expected}), "utf-8")
    with pytest.raises(AssayError, match=r":1: .*expected"):
        read_training_items(path, design_of(kind))
    task = Task("t", (Text("t", "a", "A text."),), checks=(Check("trap", "A text.", expected),))
    with pytest.raises(AssayError, match=r"task t: .*expected"):
        parse_tasks(msgspec.json.encode(task).decode(), "tasks", design_of(kind))


@pytest.mark.parametrize(("kind", "texts"), [("pairwise", 3), ("pairwise", 1), ("best-worst", 1)])
def test_tasks_must_be_answerable(kind: str, texts: int) -> None:
    (task,) = tasks_of(kind, 1, texts)
    with pytest.raises(AssayError, match=f"task t0: .*{texts}"):
        parse_tasks(msgspec.json.encode(task).decode(), "tasks", design_of(kind))


def test_a_file_that_is_not_utf8_is_refused(site: Make) -> None:
    made = site(design_of("likert"), tasks_of("likert", 1))
    boss = made.researcher()
    csrf = re.findall(r'name="csrf" value="([^"]+)"', boss.get(f"/running/{made.study}").text)[0]
    line = msgspec.json.encode(Task("new", (Text("new", "a", "Café."),))).decode().encode("latin-1")
    answer = boss.post(f"/running/{made.study}/tasks", data={"csrf": csrf}, files={"file": ("t.jsonl", line)})
    assert answer.status_code == 400
    assert "new" not in made.now().tasks


def test_an_attention_check_can_be_passed_where_sentences_are_judged(site: Make) -> None:
    quality = Quality(attention_checks=1, attention_block=1)
    (task,) = tasks_of("typology", 1)
    text = msgspec.structs.replace(
        task.texts[0], text="The pier stays. It is old.", sentences=("The pier stays.", "It is old.")
    )
    task = msgspec.structs.replace(task, texts=(text,), checks=(Check("attention", "The same again."),))
    made = site(design_of("typology", quality=quality), [task])
    anna = made.person("anna")
    anna.begin()
    for _ in range(3):
        anna.send(q0="yes")
    assert made.now().annotators["anna"].blocked == ""


def test_a_comparison_shows_no_checks(site: Make) -> None:
    """The page failed with an error of the server where a task had a check."""
    (task,) = tasks_of("ranking", 1)
    task = msgspec.structs.replace(task, checks=(Check("attention", "The same again."),))
    made = site(design_of("ranking"), [task])
    anna = made.person("anna")
    page = anna.begin()
    assert page.status_code == 200
    assert all(text.text in page.text for text in task.texts)
    assert "The same again." not in page.text


def test_deleted_data_is_in_no_file_of_the_server(site: Make) -> None:
    made = site(design_of("post-editing"), tasks_of("post-editing", 2))
    anna = made.person("anna-the-secret")
    anna.begin()
    anna.send(q0="A word like xylophonist " * 50)
    queue = AnnotationQueue(made.served.database)
    queue.write(made.study, lambda tx: forget_annotator(tx, "anna-the-secret")).result()
    queue.close()
    made.served.database.close()
    kept = b"".join(path.read_bytes() for path in made.served.folder.rglob("*") if path.is_file())
    assert kept
    assert b"xylophonist" not in kept
    assert b"anna-the-secret" not in kept


def test_input_on_a_page_of_an_expired_lease_is_kept(site: Make, clock: Clock) -> None:
    made = site(design_of("likert"), tasks_of("likert", 1, texts=2))
    anna = made.person("anna")
    anna.begin()
    old, csrf = anna.path.removesuffix("/0"), anna.csrf
    clock.at += 86400
    anna.send(f"/studies/{made.study}/next")
    for number, value in enumerate("25"):
        page = anna.client.post(f"{old}/{number}", data={"csrf": csrf, "q0": value})
        assert page.status_code == 200
        assert "/work/a2/" in str(page.url)
    anna.page = page
    while "/work/" in anna.path:
        anna.send(anna.path, q0=re.findall(r'value="(\d)" checked', anna.page.text)[0])
    study = made.now()
    first, again = study.assignments["a1"], study.assignments["a2"]
    expected = dict(zip(study.order(first), (2, 5), strict=True))
    assert {answer.text: answer.value for answer in again.answers} == expected
    assert "Thank you" in anna.client.get(f"{old}/0").text


def test_a_full_pilot_shows_a_message(site: Make) -> None:
    design = msgspec.structs.replace(design_of("likert"), presentation=Presentation(pilot_items=1, pilot_people=1))
    made = site(design, tasks_of("likert", 2), pilot=True)
    made.person("anna").begin()
    bert = made.person("bert")
    assert "The pilot is full" in bert.begin().text
    assert list(made.now().annotators) == ["anna"]


@pytest.mark.parametrize("who", ["${workerId}", "{{%PROLIFIC_PID%}}", " ", "A&workerId=B"])
def test_platform_links_without_a_worker_id_are_refused(site: Make, who: str) -> None:
    made = site(design_of("likert"), tasks_of("likert", 1))
    link = platform_link(made.served.secret, "", made.study, "mturk").split("&")[0]
    assert made.client().get(f"{link}&workerId=A").status_code == 200
    assert made.client().get(f"{link}&workerId={who}").status_code == 403


def test_span_offsets_of_texts_with_unusual_line_breaks(site: Make) -> None:
    made = site(design_of("spans"), [Task("t|\0%", (Text("t", "a", "One\r\ntwo \0three <b>."),))])
    anna = made.person("anna")
    anna.begin()
    assert "data-words>One&#13;\ntwo \ufffdthree &lt;b&gt;.</div>" in anna.page.text
    anna.send(q0='[{"start":10,"end":15,"label":"major"}]')
    assert [answer.unit for answer in made.now().assignments["a1"].answers] == ["span:10-15"]
