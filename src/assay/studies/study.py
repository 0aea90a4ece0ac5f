"""A running study: who may judge what next, and what has to be handed out anew.

Commands check, write events and apply them. So a study can be opened again from its journal at any time, and a server
is only a way to call these commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import inf

from assay.errors import AssayError
from assay.seeds import rng_for
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
from assay.studies.state import Assignment, Person, State


class Study(State):
    """The state of one study, and the commands that change it."""

    def __init__(self, design: Design, store: Store) -> None:
        super().__init__(design)
        self.store = store
        for event in store.events():
            self.apply(event)

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
        ended = [Closed(at=now, assignment=each.id, why="returned") for each in self.at_work()]
        self._do(*ended, MainBegan(at=now))

    def join(self, annotator: str, now: float) -> None:
        """Somebody comes in; a second time changes nothing."""
        if not self.has_room(annotator):
            most = self.design.presentation.pilot_people
            raise AssayError(f"study {self.design.name}: the pilot has its {most} people")
        if annotator not in self.people:
            self._do(Joined(at=now, annotator=annotator))

    def has_room(self, annotator: str) -> bool:
        """Whether somebody takes part or may join; a pilot has so many people and no more."""
        most = self.design.presentation.pilot_people
        return annotator in self.people or not (self.pilot and most and len(self.people) >= most)

    def next_task(self, annotator: str, now: float, ahead: bool = False) -> Assignment | None:
        """What this person judges next: what is open, or something new, or None where there is nothing for them now.

        With `ahead`, something new although something is open: for sheets that are given out at once.
        """
        person = self._person(annotator)
        self.expire(now)
        if person.blocked:
            return None
        held = next((self.assignments[name] for name in person.assignments if self.is_open(name)), None)
        if held is not None and not ahead:
            return held
        task = self._choose(person)
        if task is None:
            return None
        seat = self.pool(self.pilot, len(task.texts)).take(self.seats_of(task.id))
        self.pool(self.pilot, len(task.texts)).give_back(seat)  # the event takes it
        made = Given(
            at=now, assignment=f"a{self.last + 1}", task=task.id, annotator=annotator, block=seat.block,
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
        newer = next((each.id for each in self._others(held) if each.done or each.state == "open"), None)
        if newer is not None:
            raise AssayError(f"assignment {assignment}: it has expired and the same task is yours again as {newer}")
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
        self._do(*(Closed(at=now, assignment=each.id, why="expired") for each in self.at_work() if each.until <= now))

    def block(self, annotator: str, why: str, now: float) -> None:
        person = self._person(annotator)
        if not person.blocked:
            held = [name for name in person.assignments if self.is_open(name)]
            closed = [Closed(at=now, assignment=name, why="blocked") for name in held]
            self._do(*closed, Blocked(at=now, annotator=annotator, why=why))

    def has_more(self, annotator: str) -> bool:
        """Whether there would be something new for this person; nothing is given out."""
        person = self._person(annotator)
        return not person.blocked and self._choose(person) is not None

    def record(self, *events: Checked | Paid) -> None:
        """Results of checks, and bonuses."""
        for event in events:
            self._person(event.annotator)
        self._do(*events)

    def _choose(self, person: Person) -> Task | None:
        """Tasks for everybody first, then those nearest to being done; else by a drawing of this person's own.

        Where each person does only so many, the last tasks go by how many people are left for them: finished one by
        one, the last of them would wait for people when all who are there have judged it.
        """
        if not self._left(person):
            return None
        seen = self._seen(person)
        fitting = [task for task in self.available() if task.id not in seen and (task.overlap or self.needed(task))]
        if not fitting:
            return None
        most = self.design.people.most_items
        waiting = sum(self.needed(task) > 0 for task in self.available())
        urgent = self._scarcity(person) if most is not None and waiting <= 2 * most else self.needed
        ranks = [(not task.overlap, urgent(task)) for task in fitting]
        first = min(ranks)
        ready = [task for task, rank in zip(fitting, ranks, strict=True) if rank == first]
        return rng_for(self.design.seed, "task", person.name, len(person.assignments)).choice(ready)

    def _scarcity(self, person: Person) -> Callable[[Task], tuple[float, int]]:
        """The fewer others could take a task beyond those it needs, the sooner it should be taken.

        Each of them counts with what they may still do: somebody's last answer goes to one task only.
        """
        most = self.design.people.most_items or 1
        others = {
            each.name: self._left(each) for each in self.people.values() if each is not person and not each.blocked
        }
        could = dict.fromkeys(self.tasks, sum(others.values()))
        for name, left in others.items():
            for task in self._seen(self.people[name]):
                could[task] -= left

        def rank(task: Task) -> tuple[float, int]:
            needed = self.needed(task)
            return could[task.id] - most * needed, -needed

        return rank

    def _left(self, person: Person) -> float:
        """How many more tasks somebody may be given."""
        most = self.design.people.most_items
        return (
            inf if most is None else max(0, most - sum(each.done or each.state == "open" for each in self._own(person)))
        )

    def _seen(self, person: Person) -> set[str]:
        """Tasks that this person is not given again."""
        return {each.task for each in self._own(person) if each.done or each.state in ("open", "returned")}

    def _own(self, person: Person) -> list[Assignment]:
        return [self.assignments[name] for name in person.assignments]

    def _others(self, held: Assignment) -> list[Assignment]:
        """What else this person was given of the same task."""
        return [each for each in self.given(held.annotator, held.task) if each.id != held.id]

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
                self.apply(event)
