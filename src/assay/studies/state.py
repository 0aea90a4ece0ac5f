"""The state of a study: what its events say and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.errors import AssayError
from assay.seeds import rng_for
from assay.studies.design import Design
from assay.studies.events import (
    Added,
    Answer,
    Answered,
    AnyEvent,
    Blocked,
    Checked,
    Closed,
    Given,
    Joined,
    MainBegan,
    Opened,
    Paid,
    Task,
)
from assay.studies.order import Seat, Seats


@dataclass
class Assignment:
    """A task in one person's hands."""

    id: str
    task: str
    annotator: str
    given: float
    until: float
    seat: Seat
    pilot: bool
    state: str = "open"
    """open, done, late (done after its lease had ended), expired, returned or blocked."""
    answers: tuple[Answer, ...] = ()
    seconds: float | None = None
    finished: float | None = None

    @property
    def done(self) -> bool:
        return self.state in ("done", "late")


@dataclass
class Person:
    name: str
    joined: float
    blocked: str = ""
    """Why, if so."""
    assignments: list[str] = field(default_factory=list)
    checks: list[Checked] = field(default_factory=list)
    bonuses: list[Paid] = field(default_factory=list)

    def passed(self, check: str) -> float | None:
        """The share that was right in the latest check of that name."""
        found = [each for each in self.checks if each.check == check]
        return found[-1].right / found[-1].of if found and found[-1].of else None


class State:
    """Tasks, people and assignments, as the events so far have made them."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.tasks: dict[str, Task] = {}
        self.people: dict[str, Person] = {}
        self.assignments: dict[str, Assignment] = {}
        self.pilot = False
        self.salt = ""
        self.opened = False
        self.last = 0
        """The number of the latest assignment."""
        self._seats: dict[tuple[bool, int], Seats] = {}
        self._of_task: dict[str, list[str]] = {}
        self._filled: dict[str, int] = {}
        self._open: dict[str, Assignment] = {}

    def order(self, assignment: Assignment) -> tuple[int, ...]:
        """The numbers of the task's texts, in the order this person sees them."""
        size = len(self.tasks[assignment.task].texts)
        if self.design.presentation.order == "fixed":
            return tuple(range(size))
        return self.pool(assignment.pilot, size).order(assignment.seat)

    def layout(self, assignment: Assignment) -> list[int]:
        """Everything this person sees, in order: texts by their number, and checks by theirs after the texts'.

        Traps stand anywhere; an attention check is never first, for it asks for what was said just before.
        """
        task = self.tasks[assignment.task]
        shown = list(self.order(assignment))
        draw = rng_for(self.design.seed, "checks", assignment.id)
        for number, check in enumerate(task.checks, len(task.texts)):
            if check.kind == "trap":
                shown.insert(draw.randint(0, len(shown)), number)
        for number, check in enumerate(task.checks, len(task.texts)):
            if check.kind == "attention":
                shown.insert(draw.randint(1, len(shown)), number)
        return shown

    def given(self, annotator: str, task: str) -> list[Assignment]:
        """Whatever somebody was given of a task, the first before those that came after it had expired."""
        own = [self.assignments[name] for name in self.people[annotator].assignments]
        return [each for each in own if each.task == task]

    def counts_for(self, assignment: Assignment) -> bool:
        """Whether it fills one of the task's places: open or done, and by somebody whose work counts."""
        if assignment.pilot != self.pilot:
            return False
        kept = not self.people[assignment.annotator].blocked or self.design.quality.keep_blocked_work
        return assignment.state == "open" or (assignment.done and kept)

    def needed(self, task: Task) -> int:
        """How many more people a task needs; for one that everybody judges it is not limited."""
        return max(0, (self.design.people.per_item or 1) - self._filled[task.id])

    @property
    def finished(self) -> bool:
        """Every task has its people, and nobody is at work."""
        return not self.at_work() and all(not self.needed(task) for task in self.available())

    def available(self) -> list[Task]:
        tasks = list(self.tasks.values())
        return tasks[: self.design.presentation.pilot_items] if self.pilot else tasks

    def at_work(self) -> list[Assignment]:
        return list(self._open.values())

    def is_open(self, name: str) -> bool:
        return name in self._open

    def pool(self, pilot: bool, size: int) -> Seats:
        return self._seats.setdefault((pilot, size), Seats(size, f"{self.design.seed} {pilot} {size}"))

    def seats_of(self, task: str) -> list[Seat]:
        given = [self.assignments[name] for name in self._of_task[task]]
        return [each.seat for each in given if self.counts_for(each)]

    def apply(self, event: AnyEvent) -> None:
        if isinstance(event, Opened):
            if event.design != self.design.digest:
                raise AssayError(f"study {self.design.name}: the design is not the one the study was opened with")
            self.opened, self.salt, self.pilot = True, event.salt, event.pilot
        elif isinstance(event, Added):
            self.tasks |= {task.id: task for task in event.tasks}
            self._of_task |= {task.id: [] for task in event.tasks}
            self._filled |= {task.id: 0 for task in event.tasks}
        elif isinstance(event, MainBegan):
            self.pilot = False
            self._count(self.tasks)
        elif isinstance(event, Joined):
            self.people[event.annotator] = Person(event.annotator, event.at)
        elif isinstance(event, Given):
            seat = Seat(event.block, event.row)
            self.pool(self.pilot, len(self.tasks[event.task].texts)).claim(seat)
            given = Assignment(event.assignment, event.task, event.annotator, event.at, event.until, seat, self.pilot)
            self.assignments[event.assignment] = self._open[event.assignment] = given
            self.last = max(self.last, int(event.assignment.removeprefix("a")))
            self.people[event.annotator].assignments.append(event.assignment)
            self._of_task[event.task].append(event.assignment)
            self._count([event.task])
        elif isinstance(event, Answered):
            held = self.assignments[event.assignment]
            held.state = "done" if held.state == "open" else "late"
            held.answers, held.seconds, held.finished = event.answers, event.seconds, event.at
            self._open.pop(event.assignment, None)
            self._count([held.task])
        elif isinstance(event, Closed):
            held = self.assignments[event.assignment]
            held.state = event.why
            del self._open[event.assignment]
            self._free(held)
            self._count([held.task])
        elif isinstance(event, Checked):
            self.people[event.annotator].checks.append(event)
        elif isinstance(event, Paid):
            self.people[event.annotator].bonuses.append(event)
        elif isinstance(event, Blocked):
            person = self.people[event.annotator]
            person.blocked = event.why
            if not self.design.quality.keep_blocked_work:
                for name in person.assignments:
                    if self.assignments[name].state == "done":
                        self._free(self.assignments[name])
            self._count({self.assignments[name].task for name in person.assignments})

    def _count(self, tasks: Iterable[str]) -> None:
        """Anew, how many places of these tasks are filled."""
        for task in tasks:
            self._filled[task] = sum(self.counts_for(self.assignments[name]) for name in self._of_task[task])

    def _free(self, held: Assignment) -> None:
        """A place in a square that nobody fills any more is for the next person."""
        self.pool(held.pilot, len(self.tasks[held.task].texts)).give_back(held.seat)
