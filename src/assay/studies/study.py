"""A running study: who may judge what next, what was said, and what has to be handed out anew.

Commands check, write events and apply them; the state is what its events say and nothing else. So a study can be opened
again from its journal at any time, and a server is only a way to call these commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from assay.errors import AssayError
from assay.seeds import chance
from assay.studies.answers import check_answers
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
    Store,
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


class Study:
    """The state of one study, and the commands that change it."""

    def __init__(self, design: Design, store: Store) -> None:
        self.design = design
        self.store = store
        self.tasks: dict[str, Task] = {}
        self.people: dict[str, Person] = {}
        self.assignments: dict[str, Assignment] = {}
        self.pilot = False
        self.salt = ""
        self.opened = False
        self._seats: dict[tuple[bool, int], Seats] = {}
        self._of_task: dict[str, list[str]] = {}
        for event in store.events():
            self._apply(event)

    def open(self, now: float, salt: str, pilot: bool = False) -> None:
        """Begin; with a pilot, only its tasks and people take part until `begin_main`."""
        if self.opened:
            raise AssayError(f"study {self.design.name}: it is open already")
        self._do(Opened(at=now, design=self.design.digest, salt=salt, pilot=pilot))

    def add_tasks(self, tasks: Iterable[Task], now: float) -> None:
        """More work, at any time: people who had finished will be given it."""
        new = tuple(tasks)
        names = Counter(task.id for task in new)
        twice = next((name for name, count in names.items() if count > 1 or name in self.tasks), None)
        if twice is not None:
            raise AssayError(f"study {self.design.name}: task {twice} is there already; give it another id")
        empty = next((task.id for task in new if not task.texts), None)
        if empty is not None:
            raise AssayError(f"study {self.design.name}: task {empty} has no text")
        self._do(Added(at=now, tasks=new))

    def begin_main(self, now: float) -> None:
        """End the pilot. What it found is kept, marked, and its tasks are handed out anew."""
        if not self.pilot:
            raise AssayError(f"study {self.design.name}: there is no pilot to end")
        ended = [Closed(at=now, assignment=each.id, why="returned") for each in self._open()]
        self._do(*ended, MainBegan(at=now))

    def join(self, annotator: str, now: float) -> None:
        """Somebody comes in; a second time changes nothing."""
        if annotator not in self.people:
            most = self.design.presentation.pilot_people
            if self.pilot and most and len(self.people) >= most:
                raise AssayError(f"study {self.design.name}: the pilot has its {most} people")
            self._do(Joined(at=now, annotator=annotator))

    def next_task(self, annotator: str, now: float, ahead: bool = False) -> Assignment | None:
        """What this person judges next: what is open, or something new, or None where there is nothing for them now.

        With `ahead`, something new although something is open: for sheets that are given out at once.
        """
        person = self._person(annotator)
        self.expire(now)
        if person.blocked:
            return None
        held = next((self.assignments[name] for name in person.assignments if self._is_open(name)), None)
        if held is not None and not ahead:
            return held
        task = self._choose(person)
        if task is None:
            return None
        seat = self._pool(self.pilot, len(task.texts)).take(self._seats_of(task.id))
        self._pool(self.pilot, len(task.texts)).give_back(seat)  # the event takes it
        made = Given(
            at=now, assignment=f"a{len(self.assignments) + 1}", task=task.id, annotator=annotator, block=seat.block,
            row=seat.row, until=now + 60 * self.design.presentation.lease_minutes,
        )  # fmt: skip
        self._do(made)
        return self.assignments[made.assignment]

    def answer(
        self, annotator: str, assignment: str, answers: Sequence[Answer], now: float, seconds: float | None = None
    ) -> None:
        """Finish an assignment. What comes after its lease is kept all the same; the same again changes nothing."""
        held = self._held(annotator, assignment)
        given = tuple(answers)
        if held.done:
            if held.answers != given:
                raise AssayError(f"assignment {assignment}: it is answered already; answers cannot change")
            return
        if self.people[annotator].blocked or held.state in ("returned", "blocked"):
            raise AssayError(f"assignment {assignment}: it is no longer yours ({held.state})")
        check_answers(self.design, self.tasks[held.task], given, assignment)
        self._do(Answered(at=now, assignment=assignment, answers=given, seconds=seconds))

    def give_up(self, annotator: str, assignment: str, now: float) -> None:
        """Somebody returns a task; others will get it, and what this person has finished stays."""
        held = self._held(annotator, assignment)
        if held.state != "open":
            raise AssayError(f"assignment {assignment}: it is not open ({held.state})")
        self._do(Closed(at=now, assignment=assignment, why="returned"))

    def expire(self, now: float) -> None:
        """Take back what was held too long."""
        self._do(*(Closed(at=now, assignment=each.id, why="expired") for each in self._open() if each.until <= now))

    def block(self, annotator: str, why: str, now: float) -> None:
        person = self._person(annotator)
        if not person.blocked:
            held = [name for name in person.assignments if self._is_open(name)]
            closed = [Closed(at=now, assignment=name, why="blocked") for name in held]
            self._do(*closed, Blocked(at=now, annotator=annotator, why=why))

    def record(self, *events: Checked | Paid) -> None:
        """Results of checks, and bonuses."""
        for event in events:
            self._person(event.annotator)
        self._do(*events)

    def order(self, assignment: Assignment) -> tuple[int, ...]:
        """The numbers of the task's texts, in the order this person sees them."""
        size = len(self.tasks[assignment.task].texts)
        if self.design.presentation.order == "fixed":
            return tuple(range(size))
        return self._pool(assignment.pilot, size).order(assignment.seat)

    def counts_for(self, assignment: Assignment) -> bool:
        """Whether it fills one of the task's places: open or done, and by somebody whose work counts."""
        if assignment.pilot != self.pilot:
            return False
        kept = not self.people[assignment.annotator].blocked or self.design.quality.keep_blocked_work
        return assignment.state == "open" or (assignment.done and kept)

    def needed(self, task: Task) -> int:
        """How many more people a task needs; for one that everybody judges it is not limited."""
        held = sum(self.counts_for(self.assignments[name]) for name in self._of_task[task.id])
        return max(0, (self.design.people.per_item or 1) - held)

    @property
    def finished(self) -> bool:
        """Every task has its people, and nobody is at work."""
        return not self._open() and all(not self.needed(task) for task in self._available())

    def _choose(self, person: Person) -> Task | None:
        """Tasks for everybody first, then those nearest to being done; else by a drawing of this person's own."""
        most = self.design.people.most_items
        own = [self.assignments[name] for name in person.assignments]
        if most is not None and sum(each.done or each.state == "open" for each in own) >= most:
            return None
        seen = {each.task for each in own if each.done or each.state in ("open", "returned")}
        fitting = [
            (not task.overlap, self.needed(task), chance(self.design.seed, "task", person.name, task.id).random(), task)
            for task in self._available()
            if task.id not in seen and (task.overlap or self.needed(task))
        ]
        return min(fitting, key=lambda each: each[:3])[3] if fitting else None

    def _available(self) -> list[Task]:
        tasks = list(self.tasks.values())
        return tasks[: self.design.presentation.pilot_items] if self.pilot else tasks

    def _open(self) -> list[Assignment]:
        return [each for each in self.assignments.values() if each.state == "open"]

    def _is_open(self, name: str) -> bool:
        return self.assignments[name].state == "open"

    def _pool(self, pilot: bool, size: int) -> Seats:
        return self._seats.setdefault((pilot, size), Seats(size, f"{self.design.seed} {pilot} {size}"))

    def _seats_of(self, task: str) -> list[Seat]:
        given = [self.assignments[name] for name in self._of_task[task]]
        return [each.seat for each in given if self.counts_for(each)]

    def _person(self, annotator: str) -> Person:
        if annotator not in self.people:
            raise AssayError(f"study {self.design.name}: nobody called {annotator} has joined")
        return self.people[annotator]

    def _held(self, annotator: str, assignment: str) -> Assignment:
        held = self.assignments.get(assignment)
        if held is None or held.annotator != annotator:
            raise AssayError(f"assignment {assignment}: {annotator} has none of that name")
        return held

    def _do(self, *events: AnyEvent) -> None:
        if events:
            self.store.append(events)
            for event in events:
                self._apply(event)

    def _apply(self, event: AnyEvent) -> None:
        if isinstance(event, Opened):
            if event.design != self.design.digest:
                raise AssayError(f"study {self.design.name}: the design is not the one the study was opened with")
            self.opened, self.salt, self.pilot = True, event.salt, event.pilot
        elif isinstance(event, Added):
            self.tasks |= {task.id: task for task in event.tasks}
            self._of_task |= {task.id: [] for task in event.tasks}
        elif isinstance(event, MainBegan):
            self.pilot = False
        elif isinstance(event, Joined):
            self.people[event.annotator] = Person(event.annotator, event.at)
        elif isinstance(event, Given):
            seat = Seat(event.block, event.row)
            self._pool(self.pilot, len(self.tasks[event.task].texts)).claim(seat)
            self.assignments[event.assignment] = Assignment(
                event.assignment, event.task, event.annotator, event.at, event.until, seat, self.pilot
            )
            self.people[event.annotator].assignments.append(event.assignment)
            self._of_task[event.task].append(event.assignment)
        elif isinstance(event, Answered):
            held = self.assignments[event.assignment]
            held.state = "done" if held.state == "open" else "late"
            held.answers, held.seconds, held.finished = event.answers, event.seconds, event.at
        elif isinstance(event, Closed):
            held = self.assignments[event.assignment]
            held.state = event.why
            self._free(held)
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

    def _free(self, held: Assignment) -> None:
        """A place in a square that nobody fills any more is for the next person."""
        self._pool(held.pilot, len(self.tasks[held.task].texts)).give_back(held.seat)
