"""What a design leaves out or gets wrong, by two reviews of human evaluation.

Eight items are those that a review of style transfer asks every report for (Briakou et al., 2021); they pass or fail.
Further warnings are those of a survey of creative systems (Hämäläinen and Alnajjar, 2021) and of slips in
published forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from assay.studies.criteria import OTHER, family_of, modelled_by
from assay.studies.design import Design, Quality
from assay.studies.kinds import kind_for
from assay.studies.lint_questions import question_findings
from assay.studies.lint_report import Finding

FEWEST_ITEMS = 100
USUAL = 3
"""Annotations of an item; three to five are usual."""
QUALITATIVE = 5
"""People an item needs where answers are read rather than counted (Creswell, 1998)."""
LONG_MINUTES = 30
VAGUE = frozenset("human judges|humans|judges|annotators|human annotators|people|evaluators|raters|workers".split("|"))


@dataclass(frozen=True)
class Item:
    """One of the eight recommended items."""

    number: int
    name: str
    passes: bool | None
    """None where the design has nothing that it could be asked of."""
    problem: str
    remedy: str


@dataclass(frozen=True)
class Lint:
    """What was found in a design."""

    items: list[Item]
    findings: list[Finding]

    @property
    def complete(self) -> float:
        """Share of the eight items that pass."""
        return sum(item.passes is True for item in self.items) / len(self.items)

    @property
    def failing(self) -> list[int]:
        return [item.number for item in self.items if item.passes is False]

    def record(self) -> dict[str, Any]:
        return {
            "complete": self.complete,
            "failing": self.failing,
            "items": [asdict(item) for item in self.items],
            "findings": [asdict(finding) for finding in self.findings],
        }


def lint(design: Design) -> Lint:
    """All that the two reviews would say of a design."""
    items = [Item(number, name, *judge(design)) for number, (name, judge) in enumerate(ITEMS.items(), 1)]
    return Lint(items, [*question_findings(design), *_alignment(design), *_study(design)])


def checks_people(quality: Quality) -> bool:
    """Whether anything is done to keep careless answers out."""
    return quality != Quality()


def _annotators(design: Design) -> tuple[bool, str, str]:
    people = design.people
    known = [text for text in (people.background, people.recruitment) if text and text.lower().strip() not in VAGUE]
    lacks = [] if known else ["who the annotators are and how they were found"]
    lacks += [] if checks_people(design.quality) else ["how careless answers are kept out"]
    return not lacks, f"not said: {', '.join(lacks)}" if lacks else "", "fill [people] and [quality]"


def _pay(design: Design) -> tuple[bool, str, str]:
    people = design.people
    said = people.pay is not None or people.pay_per_hour is not None or bool(people.pay_said)
    return said, "pay is not said", "people.pay or people.pay_per_hour, 0 for volunteers"


def _agreement(design: Design) -> tuple[bool, str, str]:
    return bool(design.reporting.agreement), "no agreement will be reported", "reporting.agreement = ['krippendorff']"


def _per_item(design: Design) -> tuple[bool, str, str]:
    k = design.people.per_item
    said = "annotations per item are not said" if k is None else f"{k} per item; {USUAL} to 5 are usual"
    return k is not None and k >= USUAL, said, f"people.per_item = {USUAL} or more"


def _systems(design: Design) -> tuple[bool, str, str]:
    return design.sample.systems is not None, "how many systems is not said", "sample.systems"


def _items(design: Design) -> tuple[bool, str, str]:
    n = design.sample.items
    said = "how many items is not said" if n is None else f"{n} items; below {FEWEST_ITEMS} little can be told apart"
    return (
        n is not None and n >= FEWEST_ITEMS,
        said,
        f"sample.items of {FEWEST_ITEMS} or more; see assay study simulate",
    )


def _selection(design: Design) -> tuple[bool, str, str]:
    method = design.sample.method.lower()
    if not method:
        return False, "how items are chosen is not said", "sample.method = 'random'"
    if "hand" in method or "pick" in method:
        return False, "items are picked by hand", "draw them at random"
    return design.sample.shared, "systems are judged on different items", "the same random sample for all systems"


def _framework(design: Design) -> tuple[bool | None, str, str]:
    if not design.questions:
        return None, "there is no question", "add [[questions]]"
    lacks = [f"{q.criterion}: question" for q in design.questions if not q.text]
    lacks += [f"{q.criterion}: scale" for q in design.questions if kind_for(q).scale and not q.values]
    return not lacks, f"not said: {', '.join(lacks)}", "word each question and give its scale"


ITEMS: dict[str, Callable[[Design], tuple[bool | None, str, str]]] = {
    "annotators and quality control": _annotators,
    "compensation": _pay,
    "agreement": _agreement,
    "annotations per item": _per_item,
    "number of systems": _systems,
    "number of items": _items,
    "selection of items": _selection,
    "questions and scales": _framework,
}


def _alignment(design: Design) -> Iterator[Finding]:
    """What is asked for and what the systems model ought to be the same."""
    if not design.systems_model:
        if design.questions:
            yield Finding("modelled-unstated", "", "what the systems model is not said", "systems_model = [...]")
        return
    used: set[str] = set()
    for question in design.questions:
        found = question.modelled or modelled_by(question.criterion, design.systems_model)
        if found:
            used.add(found)
        else:
            yield Finding(
                "misaligned", question.criterion, "it is evaluated, but no system models it",
                "drop it, or say under modelled what brings it about",
            )  # fmt: skip
    for entry in design.systems_model:
        if entry not in used:
            yield Finding("not-evaluated", "", f"{entry}: modelled, but no question is about it", "ask for it")


def _study(design: Design) -> Iterator[Finding]:
    """The study as a whole."""
    people, shown, reporting = design.people, design.presentation, design.reporting
    said: dict[str, tuple[bool, str, str]] = {
        "goal": (not design.goal, "no goal", "say in goal what is to be found out"),
        "pilot": (not shown.pilot and not shown.pilot_items, "no pilot", "try it on a few people: presentation.pilot"),
        "order-unstated": (not shown.order, "the order of texts is not said", "presentation.order = 'balanced'"),
        "fixed-order": (
            shown.order == "fixed", "a fixed order favours places", "presentation.order = 'balanced' or 'shuffled'",
        ),
        "not-blinded": (not shown.blinded, "people see which system wrote a text", "presentation.blinded = true"),
        "demographics": (
            not people.demographics, "nothing is said of who took part", "people.demographics, or why not collected",
        ),
        "one-method": (
            bool(design.questions) and len({q.kind for q in design.questions}) == 1,
            "only one kind of question", "ask the same in a second way and compare the answers",
        ),
        "few-annotators": (
            (people.per_item or 0) < QUALITATIVE and not design.sample.size_because,
            f"fewer than {QUALITATIVE} people an item, and no reason for the size",
            "more people, or sample.size_because; see assay study simulate",
        ),
        "preference-only": (
            bool(design.questions) and all(kind_for(q).compares for q in design.questions),
            "preferences alone: one wins even where all are bad", "add a question that rates each text by itself",
        ),
        "population": (
            people.expert is None, "whether experts or lay people judge is not said", "people.expert = true or false",
        ),
        "instructions": (not design.instructions, "no instructions", "instructions, word for word"),
        "threats": (not reporting.threats, "no threats to validity are named", "reporting.threats"),
        "error-analysis": (
            not reporting.error_analysis, "no plan to learn from the worst outputs", "reporting.error_analysis",
        ),
        "release": (reporting.release is None, "whether judgements are released is not said", "reporting.release"),
        "too-long": (
            (people.minutes or 0) > LONG_MINUTES, f"a task takes {people.minutes} minutes", "make tasks shorter",
        ),
    }  # fmt: skip
    for rule, (found, problem, remedy) in said.items():
        if found:
            yield Finding(rule, "", problem, remedy)
    for question in design.questions:
        if not question.family and family_of(question.criterion) == family_of(question.criterion, "creative") == OTHER:
            yield Finding(
                "unknown-criterion", question.criterion, "no reviewed paper used this name",
                "say in family which it is near to; names do not guarantee equal meanings",
            )  # fmt: skip
