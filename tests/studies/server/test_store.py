"""Studies in a database: concurrent processes, number of annotators, balanced positions, deletion."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.serving.database import Database, open_database
from assay.studies.design import Design, People
from assay.studies.events import Answer, Answered, AnyEvent, Assigned, Closed
from assay.studies.judgements import study_judgements
from assay.studies.server.annotation_queue import AnnotationQueue
from assay.studies.server.materials import Materials
from assay.studies.server.store import StudyTransaction, add_study, forget_events, load_study
from assay.studies.server.tasks_file import add_tasks
from tests.studies.server.synthetic import design_of, tasks_of

ROOT = Path(__file__).parents[3]


@pytest.fixture
def database(url: str | None, tmp_path: Path) -> Iterator[Database]:
    made = open_database(url, tmp_path)
    yield made
    made.close()


def put(database: Database, id: str, design: Design, tasks: int, size: int = 2) -> None:
    with database.write() as connection:
        add_study(connection, id, design, Materials(), "salt")
    queue = AnnotationQueue(database)
    queue.write(id, lambda tx: add_tasks(tx, tasks_of("likert", tasks, texts=size), 0.0)).result()
    queue.close()


def likert(per_item: int = 2) -> Design:
    return msgspec.structs.replace(design_of("likert"), people=People(per_item=per_item))


def take_and_answer(queue: AnnotationQueue, study: str, person: str, now: float = 1.0) -> str | None:
    def do(tx: StudyTransaction) -> str | None:
        tx.study.join(person, now)
        assignment = tx.study.next_task(person, now)
        if assignment is None:
            return None
        texts = range(len(tx.study.tasks[assignment.task].texts))
        tx.study.answer(person, assignment.id, [Answer(text, "quality", 3) for text in texts], now)
        return assignment.id

    return queue.write(study, do).result()


def events_of(database: Database, id: str) -> list[AnyEvent]:
    from assay.serving.secret import Secret
    from assay.studies.server.dashboard import export

    lines = export(database, Secret("x" * 40), id, "journal").splitlines()
    return [event for line in lines for event in msgspec.json.decode(line, type=list[AnyEvent])]


def check_promises(database: Database, id: str, design: Design) -> None:
    """No item has more annotators than required plus expired leases; positions are balanced within 1."""
    events = events_of(database, id)
    with database.read() as connection:
        study = load_study(connection, id).study
    assigned = Counter(event.task for event in events if isinstance(event, Assigned))
    over = Counter(study.assignments[event.assignment].task for event in events if isinstance(event, Closed))
    apart = (
        assignment
        for assignment in study.assignments.values()
        if assignment.done and study.annotators[assignment.annotator].blocked
    )
    over.update(assignment.task for assignment in apart)  # their tasks are assigned again
    assert all(count <= (design.people.per_item or 1) + over[task] for task, count in assigned.items())
    answered = Counter(event.assignment for event in events if isinstance(event, Answered))
    assert set(answered.values()) <= {1}
    places: Counter[tuple[int, int]] = Counter()
    for assignment in study.assignments.values():
        if study.counts(assignment):
            places.update((text, place) for place, text in enumerate(study.order(assignment)))
    counts = [places[text, place] for text in range(2) for place in range(2)]
    assert max(counts) - min(counts) <= 1


def test_queues_of_several_processes_share_a_study(database: Database) -> None:
    """Eight queues, as of eight processes, over one database."""
    design = likert()
    put(database, "shared", design, 12)
    queues = [AnnotationQueue(database) for _ in range(8)]

    def everything(number: int) -> list[str]:
        return list(iter(lambda: take_and_answer(queues[number], "shared", f"person {number}"), None))

    with ThreadPoolExecutor(8) as pool:
        done = [name for names in pool.map(everything, range(8)) for name in names]
    for queue in queues:
        queue.close()
    assert len(done) == len(set(done)) == 24
    check_promises(database, "shared", design)


PROCESS = """
import sys
sys.path.insert(0, ".")
from pathlib import Path
from tests.studies.server.test_store import take_and_answer
from assay.serving.database import open_database
from assay.studies.server.annotation_queue import AnnotationQueue
url, folder, name = sys.argv[1:]
queue = AnnotationQueue(open_database(url or None, Path(folder)))
while take_and_answer(queue, "processes", name):
    pass
queue.close()
"""


@pytest.mark.slow
def test_processes_share_a_study(url: str | None, database: Database, tmp_path: Path) -> None:
    design = likert()
    put(database, "processes", design, 12)
    words = [sys.executable, "-c", PROCESS, url or "", str(tmp_path)]
    running = [subprocess.Popen([*words, f"person {number}"], cwd=ROOT) for number in range(3)]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    assert sum(isinstance(event, Answered) for event in events_of(database, "processes")) == 24
    check_promises(database, "processes", design)


STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["take", "answer", "return", "block", "wait"]), st.integers(0, 1)),
    max_size=40,
)


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Callable[[], str]]]:
    made = open_database(None, tmp_path_factory.mktemp("property"))
    numbers = iter(range(10_000))
    yield made, lambda: f"s{next(numbers)}"
    made.close()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS, per_item=st.integers(1, 3))
def test_invariants_over_two_processes(
    counted: tuple[Database, Callable[[], str]], steps: list[tuple[int, str, int]], per_item: int
) -> None:
    database, name = counted
    id, design = name(), likert(per_item)
    put(database, id, design, 3)
    queues = [AnnotationQueue(database), AnnotationQueue(database)]
    now = 0.0
    for number, what, queue in steps:
        now += 4000 if what == "wait" else 1  # the lease of an hour ends
        queues[queue].write(id, lambda tx, n=number, w=what, t=now: step(tx, f"p{n}", w, t)).result()  # type: ignore[misc]
    for late in range(4 * per_item):  # others finish the rest: squares are complete when no task is open
        while take_and_answer(queues[late % 2], id, f"late {late}", now + 8000):
            pass
    for each in queues:
        each.close()
    check_promises(database, id, design)


def step(tx: StudyTransaction, person: str, what: str, now: float) -> None:
    study = tx.study
    study.join(person, now)
    assignment = study.next_task(person, now) if what != "wait" else None
    if what == "block":
        study.block(person, "by hand", now)
    elif assignment is not None and what == "answer":
        study.answer(person, assignment.id, [Answer(text, "quality", 1) for text in range(2)], now)
    elif assignment is not None and what == "return":
        study.return_task(person, assignment.id, now)


def test_failed_commands_leave_no_trace(database: Database) -> None:
    put(database, "failing", likert(), 2)
    queue = AnnotationQueue(database)
    before = len(events_of(database, "failing"))

    def half(tx: StudyTransaction) -> None:
        tx.study.join("anna", 1.0)
        raise AssayError("after the first half")

    def broken(tx: StudyTransaction) -> None:
        tx.study.join("bert", 1.0)
        raise ZeroDivisionError

    with pytest.raises(AssayError, match="first half"):
        queue.write("failing", half).result()
    with pytest.raises(ZeroDivisionError):
        queue.write("failing", broken).result()
    with pytest.raises(AssayError, match="no study called nowhere"):
        queue.read("nowhere", lambda tx: None).result()
    assert len(events_of(database, "failing")) == before
    assert queue.read("failing", lambda tx: list(tx.study.annotators)).result() == []
    assert take_and_answer(queue, "failing", "cleo")
    queue.close()


def test_cancelled_commands_are_left_out(database: Database) -> None:
    put(database, "leaving", likert(), 2)
    queue = AnnotationQueue(database)
    begun, go_on = threading.Event(), threading.Event()

    def slow(tx: StudyTransaction) -> bool:
        begun.set()
        return go_on.wait(30)

    first = queue.read("leaving", slow)
    assert begun.wait(30)
    gone = queue.write("leaving", lambda tx: tx.study.join("anna", 1.0))
    assert gone.cancel()
    assert not first.cancel()
    go_on.set()
    assert first.result()
    assert queue.read("leaving", lambda tx: list(tx.study.annotators)).result() == []
    queue.close()


def test_deleted_data_are_gone_in_every_process(database: Database) -> None:
    put(database, "forgetting", likert(), 2)
    first, second = AnnotationQueue(database), AnnotationQueue(database)
    for name in ("anna", "bert"):
        for queue in (first, second):
            assert take_and_answer(queue, "forgetting", name)
    assert first.write("forgetting", lambda tx: forget_events(tx, "anna")).result() == 5
    assert second.read("forgetting", lambda tx: list(tx.study.annotators)).result() == ["bert"]
    assert take_and_answer(second, "forgetting", "cleo")
    with database.read() as connection:
        study = load_study(connection, "forgetting").study
    assert len(list(study_judgements(study))) == 6
    first.close()
    second.close()
