"""A running study: assignment of tasks to annotators.

Commands check their input, store events and apply them. A study can therefore be reopened from its events at any time,
and a server only calls these commands.
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
    Answer,
    Answered,
    AnyEvent,
    Assigned,
    Blocked,
    Checked,
    Closed,
    EventStore,
    Joined,
    MainStarted,
    Opened,
    Paid,
    Task,
    TasksAdded,
)
from assay.studies.state import Annotator, Assignment, State


class Study(State):
    """The state of one study, and the commands that change it."""

    def __init__(self, design: Design, store: EventStore) -> None:
        super().__init__(design)
        self.store = store
        for number, event in enumerate(store.events(), 1):
            try:
                self.apply(event)
            except (LookupError, ValueError, AttributeError):
                kind = type(event).__struct_config__.tag
                raise AssayError(
                    f"study {design.name}: event {number} ({kind}) does not follow from the events before it. "
                    "The journal was edited or damaged; use a copy of it."
                ) from None

    def open(self, now: float, salt: str, pilot: bool = False) -> None:
        """Open the study. With a pilot, only its tasks and annotators take part until `start_main`."""
        if self.opened:
            raise AssayError(f"study {self.design.name}: already open")
        self._do(Opened(at=now, design=self.design.digest, salt=salt, pilot=pilot))

    def add_tasks(self, tasks: Iterable[Task], now: float) -> None:
        """Add tasks, at any time. Annotators who had finished get them, too."""
        new = tuple(tasks)
        names = Counter(task.id for task in new)
        duplicate = next((name for name, count in names.items() if count > 1 or name in self.tasks), None)
        if duplicate is not None:
            raise AssayError(f"study {self.design.name}: task {duplicate} exists already; use another id")
        empty = next((task.id for task in new if not task.texts), None)
        if empty is not None:
            raise AssayError(f"study {self.design.name}: task {empty} has no text")
        self._do(TasksAdded(at=now, tasks=new))

    def start_main(self, now: float) -> None:
        """End the pilot. Its answers stay marked as pilot answers, and its tasks are assigned again."""
        if not self.pilot:
            raise AssayError(f"study {self.design.name}: no pilot is running")
        ended = [Closed(at=now, assignment=each.id, why="returned") for each in self.open_assignments()]
        self._do(*ended, MainStarted(at=now))

    def join(self, annotator: str, now: float) -> None:
        """Let an annotator take part; joining again has no effect."""
        if not self.has_room(annotator):
            limit = self.design.presentation.pilot_people
            raise AssayError(f"study {self.design.name}: the pilot has all its {limit} annotators")
        if annotator not in self.annotators:
            self._do(Joined(at=now, annotator=annotator))

    def has_room(self, annotator: str) -> bool:
        """Return whether an annotator takes part or may join; a pilot has a limited number of annotators."""
        limit = self.design.presentation.pilot_people
        return annotator in self.annotators or not (self.pilot and limit and len(self.annotators) >= limit)

    def next_task(self, annotator: str, now: float, ahead: bool = False) -> Assignment | None:
        """Return the open assignment of an annotator, or assign a new task.

        Args:
            annotator: Name of an annotator who has joined.
            now: Current time in seconds.
            ahead: Assign a new task although one is open, for sheets that are written all at once.

        Returns:
            The assignment, or None if there is no task for this annotator now.
        """
        who = self._annotator(annotator)
        self.expire(now)
        if who.blocked:
            return None
        current = next((self.assignments[name] for name in who.assignments if self.is_open(name)), None)
        if current is not None and not ahead:
            return current
        task = self._choose(who)
        if task is None:
            return None
        squares = self.squares(self.pilot, len(task.texts))
        row = squares.take(self.rows_of(task.id))
        squares.give_back(row)  # applying the event takes it
        event = Assigned(
            at=now, assignment=f"a{self.last + 1}", task=task.id, annotator=annotator, block=row.block,
            row=row.row, until=now + 60 * self.design.presentation.lease_minutes,
        )  # fmt: skip
        self._do(event)
        return self.assignments[event.assignment]

    def answer(
        self, annotator: str, assignment: str, answers: Sequence[Answer], now: float, seconds: float | None = None
    ) -> None:
        """Finish an assignment. Answers after the end of the lease are kept; the same answers again have no effect."""
        own = self._assignment(annotator, assignment)
        sent = tuple(answers)
        if own.done:
            if own.answers != sent:
                raise AssayError(f"assignment {assignment}: already answered; answers cannot be changed")
            return
        if self.annotators[annotator].blocked or own.state in ("returned", "blocked"):
            raise AssayError(f"assignment {assignment}: no longer assigned to you ({own.state})")
        newer = next((each.id for each in self._others(own) if each.done or each.state == "open"), None)
        if newer is not None:
            raise AssayError(f"assignment {assignment}: expired; the task is assigned to you again as {newer}")
        check_answers(self.design, self.tasks[own.task], sent, assignment)
        self._do(Answered(at=now, assignment=assignment, answers=sent, seconds=seconds))

    def return_task(self, annotator: str, assignment: str, now: float) -> None:
        """Return an open task, so that it is assigned to another annotator."""
        own = self._assignment(annotator, assignment)
        if own.state != "open":
            raise AssayError(f"assignment {assignment}: not open ({own.state})")
        self._do(Closed(at=now, assignment=assignment, why="returned"))

    def expire(self, now: float) -> None:
        """Close all assignments whose lease has ended."""
        ended = [each.id for each in self.open_assignments() if each.until <= now]
        self._do(*(Closed(at=now, assignment=name, why="expired") for name in ended))

    def block(self, annotator: str, why: str, now: float) -> None:
        """Exclude an annotator from the study."""
        who = self._annotator(annotator)
        if not who.blocked:
            unfinished = [name for name in who.assignments if self.is_open(name)]
            closed = [Closed(at=now, assignment=name, why="blocked") for name in unfinished]
            self._do(*closed, Blocked(at=now, annotator=annotator, why=why))

    def has_more(self, annotator: str) -> bool:
        """Return whether there is a new task for an annotator, without assigning it."""
        who = self._annotator(annotator)
        return not who.blocked and self._choose(who) is not None

    def left_for(self, annotator: str) -> int:
        """Return how many more tasks an annotator would get if the others took none."""
        who = self._annotator(annotator)
        seen = self._seen(who)
        suitable = sum(task.id not in seen and (task.overlap or self.needed(task) > 0) for task in self.available())
        return int(min(suitable, self._remaining(who)))

    def record(self, *events: Checked | Paid) -> None:
        """Store results of quality checks, and bonuses."""
        for event in events:
            self._annotator(event.annotator)
        self._do(*events)

    def _choose(self, who: Annotator) -> Task | None:
        """Choose a task: those for every annotator first, then those nearest to completion, then at random.

        If the number of items per annotator is limited, the last tasks are ordered by how many annotators remain for
        them. Otherwise the very last task could wait although every annotator present had judged it.
        """
        if not self._remaining(who):
            return None
        seen = self._seen(who)
        suitable = [task for task in self.available() if task.id not in seen and (task.overlap or self.needed(task))]
        if not suitable:
            return None
        limit = self.design.people.most_items
        waiting = sum(self.needed(task) > 0 for task in self.available())
        priority = self._scarcity(who) if limit is not None and waiting <= 2 * limit else self.needed
        ranks = [(not task.overlap, priority(task)) for task in suitable]
        first = min(ranks)
        candidates = [task for task, rank in zip(suitable, ranks, strict=True) if rank == first]
        return rng_for(self.design.seed, "task", who.name, len(who.assignments)).choice(candidates)

    def _scarcity(self, who: Annotator) -> Callable[[Task], tuple[float, int]]:
        """Return a priority by the capacity that other annotators have for a task beyond its needs.

        Each other annotator counts with their remaining number of tasks.
        """
        limit = self.design.people.most_items or 1
        others = {
            each.name: self._remaining(each)
            for each in self.annotators.values()
            if each is not who and not each.blocked
        }
        capacity = dict.fromkeys(self.tasks, sum(others.values()))
        for name, remaining in others.items():
            for task in self._seen(self.annotators[name]):
                capacity[task] -= remaining

        def rank(task: Task) -> tuple[float, int]:
            needed = self.needed(task)
            return capacity[task.id] - limit * needed, -needed

        return rank

    def _remaining(self, who: Annotator) -> float:
        """Return how many more tasks an annotator may get."""
        limit = self.design.people.most_items
        if limit is None:
            return inf
        return max(0, limit - sum(each.done or each.state == "open" for each in self._own(who)))

    def _seen(self, who: Annotator) -> set[str]:
        """Return the tasks that an annotator does not get again."""
        return {each.task for each in self._own(who) if each.done or each.state in ("open", "returned")}

    def _own(self, who: Annotator) -> list[Assignment]:
        return [self.assignments[name] for name in who.assignments]

    def _others(self, assignment: Assignment) -> list[Assignment]:
        """Return the other assignments of the same task to the same annotator."""
        same = self.assignments_of(assignment.annotator, assignment.task)
        return [each for each in same if each.id != assignment.id]

    def _annotator(self, name: str) -> Annotator:
        if name not in self.annotators:
            raise AssayError(f"study {self.design.name}: no annotator called {name}")
        return self.annotators[name]

    def _assignment(self, annotator: str, assignment: str) -> Assignment:
        known = self.assignments.get(assignment)
        if known is None or known.annotator != annotator:
            raise AssayError(f"assignment {assignment}: not an assignment of {annotator}")
        return known

    def _do(self, *events: AnyEvent) -> None:
        if events:
            self.store.append(events)
            for event in events:
                self.apply(event)
