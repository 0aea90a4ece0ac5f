"""The state of a study, computed from its events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.errors import AssayError
from assay.seeds import rng_for
from assay.studies.design import Design
from assay.studies.events import (
    Answer,
    Answered,
    AnyEvent,
    Assigned,
    Blocked,
    Checked,
    Closed,
    Joined,
    MainStarted,
    Opened,
    Paid,
    Task,
    TasksAdded,
)
from assay.studies.order import LatinSquares, SquareRow


@dataclass
class Assignment:
    """A task assigned to one annotator."""

    id: str
    task: str
    annotator: str
    assigned: float
    """Time of assignment."""
    until: float
    """End of the lease."""
    square_row: SquareRow
    pilot: bool
    state: str = "open"
    """open, done, late (done after the lease ended), expired, returned or blocked."""
    answers: tuple[Answer, ...] = ()
    seconds: float | None = None
    finished: float | None = None

    @property
    def done(self) -> bool:
        return self.state in ("done", "late")


@dataclass
class Annotator:
    """An annotator: assignments, results of quality checks, bonuses."""

    name: str
    joined: float
    blocked: str = ""
    """Reason for which the annotator is blocked; empty if not blocked."""
    assignments: list[str] = field(default_factory=list)
    checks: list[Checked] = field(default_factory=list)
    bonuses: list[Paid] = field(default_factory=list)

    def passed(self, check: str) -> float | None:
        """Return the share of correct answers in the latest check of this name, or None without one."""
        results = [each for each in self.checks if each.check == check]
        return results[-1].right / results[-1].of if results and results[-1].of else None


class State:
    """Tasks, annotators and assignments after all events so far."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.tasks: dict[str, Task] = {}
        self.annotators: dict[str, Annotator] = {}
        self.assignments: dict[str, Assignment] = {}
        self.pilot = False
        self.salt = ""
        self.opened = False
        self.last = 0
        """Number of the latest assignment."""
        self._squares: dict[tuple[bool, int], LatinSquares] = {}
        self._of_task: dict[str, list[str]] = {}
        self._filled: dict[str, int] = {}
        self._open: dict[str, Assignment] = {}

    def order(self, assignment: Assignment) -> tuple[int, ...]:
        """Return the numbers of the task's texts in the order in which the annotator sees them."""
        size = len(self.tasks[assignment.task].texts)
        if self.design.presentation.order == "fixed":
            return tuple(range(size))
        return self.squares(assignment.pilot, size).order(assignment.square_row)

    def layout(self, assignment: Assignment) -> list[int]:
        """Return the numbers of texts and checks in the order in which the annotator sees them.

        Traps have a random position. An attention check is never first, as it asks for the answers to the text before.
        """
        task = self.tasks[assignment.task]
        layout = list(self.order(assignment))
        draw = rng_for(self.design.seed, "checks", assignment.id)
        for number, check in enumerate(task.checks, len(task.texts)):
            if check.kind == "trap":
                layout.insert(draw.randint(0, len(layout)), number)
        for number, check in enumerate(task.checks, len(task.texts)):
            if check.kind == "attention":
                layout.insert(draw.randint(1, len(layout)), number)
        return layout

    def sees_suggestion(self, annotator: str, task: Task, number: int) -> bool:
        """Return whether an annotator sees the suggestions for a text of a task."""
        if number >= len(task.texts) or not task.texts[number].suggested:
            return False
        return rng_for(self.salt, "suggestion", annotator, task.id, number).random() >= task.hold_out

    def assignments_of(self, annotator: str, task: str) -> list[Assignment]:
        """Return all assignments of a task to an annotator; there are several if a lease expired."""
        own = [self.assignments[name] for name in self.annotators[annotator].assignments]
        return [each for each in own if each.task == task]

    def counts(self, assignment: Assignment) -> bool:
        """Return whether an assignment counts towards its task: open or done, and not of an excluded annotator."""
        if assignment.pilot != self.pilot:
            return False
        included = not self.annotators[assignment.annotator].blocked or self.design.quality.keep_blocked_work
        return assignment.state == "open" or (assignment.done and included)

    def needed(self, task: Task) -> int:
        """Return how many more annotators a task needs."""
        return max(0, (self.design.people.per_item or 1) - self._filled[task.id])

    @property
    def finished(self) -> bool:
        """Every task has all its annotations, and no assignment is open."""
        return not self.open_assignments() and all(not self.needed(task) for task in self.available())

    def available(self) -> list[Task]:
        """Return the tasks of the current phase: those of the pilot, or all."""
        tasks = list(self.tasks.values())
        return tasks[: self.design.presentation.pilot_items] if self.pilot else tasks

    def open_assignments(self) -> list[Assignment]:
        return list(self._open.values())

    def is_open(self, name: str) -> bool:
        return name in self._open

    def squares(self, pilot: bool, size: int) -> LatinSquares:
        """Return the Latin squares of all tasks with this number of texts."""
        return self._squares.setdefault((pilot, size), LatinSquares(size, f"{self.design.seed} {pilot} {size}"))

    def rows_of(self, task: str) -> list[SquareRow]:
        """Return the rows of Latin squares that assignments of a task have used."""
        assignments = [self.assignments[name] for name in self._of_task[task]]
        return [each.square_row for each in assignments if self.counts(each)]

    def apply(self, event: AnyEvent) -> None:
        """Change the state by one event."""
        if isinstance(event, Opened):
            if event.design != self.design.digest:
                raise AssayError(
                    f"study {self.design.name}: the design has changed since the study was opened; use the original"
                )
            self.opened, self.salt, self.pilot = True, event.salt, event.pilot
        elif isinstance(event, TasksAdded):
            self.tasks |= {task.id: task for task in event.tasks}
            self._of_task |= {task.id: [] for task in event.tasks}
            self._filled |= {task.id: 0 for task in event.tasks}
        elif isinstance(event, MainStarted):
            self.pilot = False
            self._count(self.tasks)
        elif isinstance(event, Joined):
            self.annotators[event.annotator] = Annotator(event.annotator, event.at)
        elif isinstance(event, Assigned):
            row = SquareRow(event.block, event.row)
            self.squares(self.pilot, len(self.tasks[event.task].texts)).claim(row)
            assignment = Assignment(
                event.assignment, event.task, event.annotator, event.at, event.until, row, self.pilot
            )
            self.assignments[event.assignment] = self._open[event.assignment] = assignment
            self.last = max(self.last, int(event.assignment.removeprefix("a")))
            self.annotators[event.annotator].assignments.append(event.assignment)
            self._of_task[event.task].append(event.assignment)
            self._count([event.task])
        elif isinstance(event, Answered):
            assignment = self.assignments[event.assignment]
            assignment.state = "done" if assignment.state == "open" else "late"
            assignment.answers, assignment.seconds, assignment.finished = event.answers, event.seconds, event.at
            self._open.pop(event.assignment, None)
            self._count([assignment.task])
        elif isinstance(event, Closed):
            assignment = self.assignments[event.assignment]
            assignment.state = event.why
            del self._open[event.assignment]
            self._free_row(assignment)
            self._count([assignment.task])
        elif isinstance(event, Checked):
            self.annotators[event.annotator].checks.append(event)
        elif isinstance(event, Paid):
            self.annotators[event.annotator].bonuses.append(event)
        elif isinstance(event, Blocked):
            annotator = self.annotators[event.annotator]
            annotator.blocked = event.why
            if not self.design.quality.keep_blocked_work:
                for name in annotator.assignments:
                    if self.assignments[name].state == "done":
                        self._free_row(self.assignments[name])
            self._count({self.assignments[name].task for name in annotator.assignments})

    def _count(self, tasks: Iterable[str]) -> None:
        """Recount the annotations of these tasks."""
        for task in tasks:
            self._filled[task] = sum(self.counts(self.assignments[name]) for name in self._of_task[task])

    def _free_row(self, assignment: Assignment) -> None:
        """Make the row of an assignment available to the next annotator."""
        self.squares(assignment.pilot, len(self.tasks[assignment.task].texts)).give_back(assignment.square_row)
