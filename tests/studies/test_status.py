"""Status of a study, and deletion of an annotator's data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.studies.design import Design, People, Presentation, Quality, Question, read_design
from assay.studies.events import Answer, EventStore, Journal, MemoryStore, Task, Text
from assay.studies.forget import forget
from assay.studies.judgements import hashed, study_judgements
from assay.studies.status import FlagLimits, flags, live_agreement, pilot_report, progress
from assay.studies.study import Study
from tests.conftest import Call

QUESTION = Question(criterion="c", kind="likert", values=[1, 2, 3, 4, 5])
TOML = """
name = "s"
[[questions]]
criterion = "c"
kind = "likert"
values = [1, 2, 3, 4, 5]
[people]
per_item = 3
pay = 0.5
fee = 0.2
"""


def opened(design: Design, store: EventStore | None = None, tasks: int = 6, pilot: bool = False) -> Study:
    study = Study(design, store or MemoryStore())
    study.open(0.0, "salt", pilot)
    study.add_tasks([Task(f"t{i}", (Text(f"i{i}", "a"), Text(f"i{i}", "b"))) for i in range(tasks)], 0.0)
    return study


def work(study: Study, who: str, values: tuple[int, int], tasks: int, seconds: float = 30.0) -> None:
    study.join(who, 0.0)
    for number in range(tasks):
        assignment = study.next_task(who, number * seconds)
        assert assignment
        answers = [Answer(k, "c", value) for k, value in enumerate(values)]
        study.answer(who, assignment.id, answers, (number + 1) * seconds, seconds)


def test_progress_and_cost() -> None:
    people = People(per_item=3, pay=0.5, fee=0.2)
    study = opened(Design(name="s", questions=[QUESTION], people=people))
    work(study, "x", (4, 2), 6)
    work(study, "y", (4, 3), 2)
    result = progress(study)
    assert (result["tasks"], result["places"], result["done"], result["open"], result["finished"]) == (
        6,
        18,
        8,
        0,
        False,
    )
    assert result["cost"] == pytest.approx(8 * 0.5 * 1.2)
    assert result["median_seconds"] == 30
    hourly = opened(Design(name="s", questions=[QUESTION], people=People(per_item=1, pay_per_hour=12)))
    work(hourly, "x", (4, 2), 6)
    assert progress(hourly)["cost"] == pytest.approx(6 * 30 / 3600 * 12)
    assert live_agreement(study)["c"]["value"] is not None


def test_flagged_annotators() -> None:
    study = opened(
        Design(name="s", questions=[QUESTION], people=People(per_item=4), quality=Quality(minimum_seconds=8))
    )
    for who in ("x", "y", "z"):
        work(study, who, (4, 2), 6, seconds=100.0)
    work(study, "w", (1, 5), 6, seconds=10.0)
    flagged = flags(study)
    assert set(flagged) == {hashed(study, "w")}
    kinds = [why.partition(":")[0] for why in flagged[hashed(study, "w")]]
    assert kinds == ["fast", "volume", "agreement"]
    assert flags(study, FlagLimits(agreement=1.0, an_hour=1e6)) == {hashed(study, "w"): ["fast: 60 s for 12 texts"]}


def test_sheets_collected_at_once_do_not_flag_speed() -> None:
    study = opened(Design(name="s", questions=[QUESTION], people=People(per_item=1)))
    study.join("x", 0.0)
    for number in range(6):
        assignment = study.next_task("x", number * 1.0)
        assert assignment
        study.answer("x", assignment.id, [Answer(0, "c", 4), Answer(1, "c", 2)], number + 0.5)
    assert flags(study, FlagLimits()) == {}


def test_a_pilot_sizes_the_study() -> None:
    design = Design(
        name="s", questions=[QUESTION], people=People(per_item=3), presentation=Presentation(pilot_items=3)
    )  # fmt: skip
    study = opened(design, pilot=True)
    for who, values in (("x", (1, 2)), ("y", (3, 2)), ("z", (5, 2))):
        work(study, who, values, 3)
    (row,) = pilot_report(study)
    assert row["sd"] == pytest.approx((4 / 2) ** 0.5)  # variances 4 and 0
    assert row["people_needed"] == 8
    study.start_main(100.0)
    assert not list(study_judgements(study))


def test_data_of_an_annotator_are_deleted(here: Callable[..., Call], tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_text(TOML)
    design = read_design(tmp_path / "d.toml")
    path = tmp_path / "j.jsonl"
    study = opened(design, Journal(path))
    work(study, "SECRET", (4, 2), 3)
    work(study, "y", (4, 3), 2)
    assignment = study.next_task("SECRET", 95.0)
    assert assignment
    name = hashed(study, "SECRET")
    before = [j for j in study_judgements(study) if j.annotator != name]
    call = here("study", "status", path, "--design", tmp_path / "d.toml", "--json")
    assert call.json["progress"]["done"] == 5
    assert here("study", "status", path, "--design", tmp_path / "d.toml").code == 0
    assert here("study", "forget", path, "--design", tmp_path / "d.toml", "--person", name).code == 0
    assert "SECRET" not in path.read_text()
    again = Study(design, Journal(path))
    assert list(study_judgements(again)) == before
    work(again, "z", (1, 1), 6)  # ids of deleted assignments are not used again
    assert len({each.id for each in again.assignments.values()}) == 8
    with pytest.raises(AssayError, match="no annotator called SECRET"):
        forget(path, design, "SECRET")
