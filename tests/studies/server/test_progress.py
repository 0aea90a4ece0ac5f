"""Progress as annotators and organisers see it: tasks, not screens; entered answers, not only finished tasks."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest

from assay.studies.server.dashboard import Reports
from tests.studies.server.synthetic import Site, design_of, filled, frank_design, frank_task, tasks_of

Make = Callable[..., Site]


def test_pairwise_tasks_count_tasks(site: Make) -> None:
    made = site(design_of("pairwise"), tasks_of("pairwise", 6))
    anna = made.person("anna")
    anna.begin()
    for done in range(6):
        page = anna.page.text
        assert f"Task {done + 1} of 6" in page
        assert "Question 1 of 1" not in page
        (most, value) = re.findall(r'<progress id="so-far" max="(\d+)" value="([\d.]+)"', page)[0]
        assert (int(most), float(value)) == (6, done)
        anna.send(**filled("pairwise", page))
    assert "Thank you" in anna.page.text


def test_a_task_of_several_screens_counts_both(site: Make) -> None:
    made = site(frank_design(tutorial=False, qualification=None, reading_test=False), [frank_task(i) for i in range(2)])
    anna = made.person("anna")
    anna.begin()
    assert re.search(r"Task 1 of 2 · Question 1 of 3", anna.page.text)
    anna.send(q0="yes")
    assert re.search(r"Task 1 of 2 · Question 2 of 3", anna.page.text)
    assert 'value="0.33' in anna.page.text


def test_the_organiser_sees_entered_answers(site: Make) -> None:
    made = site(frank_design(tutorial=False, qualification=None, reading_test=False), [frank_task(i) for i in range(2)])
    organiser = made.researcher()
    anna = made.person("anna")
    anna.begin()
    for entered in range(3):
        page = organiser.get(f"/running/{made.study}").text
        assert f"{entered} of 3 questions" in page
        row = Reports(made.served.database).of(made.study)["people"][0]
        assert (row["answered"], row["entered"], row["screens"]) == (0, entered, 3)
        anna.send(q0="yes")
    row = Reports(made.served.database).of(made.study)["people"][0]
    assert (row["answered"], row["entered"]) == (1, 0)


def test_a_printed_link_names_the_port_of_the_server(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from click.testing import CliRunner

    from assay.cli.study.serve import command
    from assay.server.manage import record_address
    from assay.serving.server import open_server
    from tests.studies.server.synthetic import write_study

    files = write_study(tmp_path, design_of("likert"), tasks_of("likert"))
    home = tmp_path / "server"
    running = open_server(home, None, "http://127.0.0.1:43210")
    record_address(running)
    running.database.close()
    put = [str(files.design), "--tasks", str(files.tasks[0]), "--folder", str(home), "--add", "--invite", "anna"]
    printed = CliRunner().invoke(command, put)
    assert "http://127.0.0.1:43210/studies/" in printed.output, printed.output
    printed = CliRunner().invoke(command, [*put, "--port", "8123"])
    assert "http://127.0.0.1:8123/studies/" in printed.output


def test_the_organiser_sees_disagreement_and_results_with_a_warning(site: Make) -> None:
    made = site(design_of("likert"), tasks_of("likert", 4))
    organiser = made.researcher()
    page = organiser.get(f"/running/{made.study}").text
    assert "No two annotators have judged a text differently yet." in page
    assert "Too few judgements" in page
    for name, value in (("anna", "1"), ("ben", "5")):
        person = made.person(name)
        person.begin()
        for _ in range(2):
            person.send(q0=value)
    report = Reports(made.served.database).of(made.study)
    first = report["disputed"][0]
    assert sorted(first["values"]) == ["1", "5"]
    assert first["share"] == 1.0
    assert first["text"]
    page = organiser.get(f"/running/{made.study}").text
    assert escape(first["text"]) in page
    assert 'href="#h-export"' in page
    if report["results"]:
        assert "Do not stop or extend the study" in page
