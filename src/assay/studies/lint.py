"""Linter of study designs, by two reviews of human evaluation.

Eight checklist items are those that a review of style transfer recommends for every report (Briakou et al., 2021); they
pass or fail. Further findings follow a survey of creative systems (Hämäläinen and Alnajjar, 2021) and errors in
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
from assay.studies.shown import not_shown

FEWEST_ITEMS = 100
USUAL = 3
"""Annotations per item; three to five are usual."""
QUALITATIVE = 5
"""Minimum number of annotators for a qualitative analysis (Creswell, 1998)."""
LONG_MINUTES = 30
VAGUE = frozenset("human judges|humans|judges|annotators|human annotators|people|evaluators|raters|workers".split("|"))


@dataclass(frozen=True)
class ChecklistItem:
    """One of the eight recommended items."""

    number: int
    name: str
    passes: bool | None
    """None if the item does not apply to the design."""
    problem: str
    remedy: str


@dataclass(frozen=True)
class LintReport:
    """The checklist and the findings of a design."""

    items: list[ChecklistItem]
    findings: list[Finding]

    @property
    def complete(self) -> float:
        """Share of checklist items that pass."""
        return sum(item.passes is True for item in self.items) / len(self.items)

    @property
    def failing(self) -> list[int]:
        """Numbers of the checklist items that fail."""
        return [item.number for item in self.items if item.passes is False]

    def record(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "complete": self.complete,
            "failing": self.failing,
            "items": [asdict(item) for item in self.items],
            "findings": [asdict(finding) for finding in self.findings],
        }


def lint(design: Design) -> LintReport:
    """Check a design against the two reviews."""
    items = [ChecklistItem(number, name, *judge(design)) for number, (name, judge) in enumerate(ITEMS.items(), 1)]
    return LintReport(items, [*question_findings(design), *not_shown(design), *_alignment(design), *_study(design)])


def has_quality_control(quality: Quality) -> bool:
    """Return whether any quality control is set."""
    return quality != Quality()


def _annotators(design: Design) -> tuple[bool, str, str]:
    people = design.people
    known = [text for text in (people.background, people.recruitment) if text and text.lower().strip() not in VAGUE]
    missing = [] if known else ["background or recruitment of annotators"]
    missing += [] if has_quality_control(design.quality) else ["quality control"]
    return not missing, f"not stated: {', '.join(missing)}" if missing else "", "complete [people] and [quality]"


def _pay(design: Design) -> tuple[bool, str, str]:
    people = design.people
    stated = people.pay is not None or people.pay_per_hour is not None or bool(people.pay_said)
    return stated, "pay is not stated", "set people.pay or people.pay_per_hour (0 for volunteers)"


def _agreement(design: Design) -> tuple[bool, str, str]:
    return (
        bool(design.reporting.agreement),
        "no agreement statistic is planned",
        "set reporting.agreement, e.g. ['krippendorff']",
    )


def _per_item(design: Design) -> tuple[bool, str, str]:
    k = design.people.per_item
    problem = (
        "annotations per item are not stated" if k is None else f"{k} annotations per item; {USUAL} to 5 are usual"
    )
    return k is not None and k >= USUAL, problem, f"set people.per_item to {USUAL} or more"


def _systems(design: Design) -> tuple[bool, str, str]:
    return design.sample.systems is not None, "number of systems is not stated", "set sample.systems"


def _items(design: Design) -> tuple[bool, str, str]:
    n = design.sample.items
    small = f"small sample (n = {n}): only large differences can be detected"
    problem = "number of items is not stated" if n is None else small
    remedy = f"set sample.items to {FEWEST_ITEMS} or more; see `assay study simulate`"
    return n is not None and n >= FEWEST_ITEMS, problem, remedy


def _selection(design: Design) -> tuple[bool, str, str]:
    method = design.sample.method.lower()
    if not method:
        return False, "selection of items is not stated", "set sample.method, e.g. 'random'"
    if "hand" in method or "pick" in method:
        return False, "items are hand-picked", "use a random sample"
    return design.sample.shared, "systems are judged on different items", "use the same random sample for all systems"


def _framework(design: Design) -> tuple[bool | None, str, str]:
    if not design.questions:
        return None, "no questions", "add [[questions]]"
    missing = [f"{q.criterion}: question" for q in design.questions if not q.text]
    missing += [f"{q.criterion}: scale" for q in design.questions if kind_for(q).scale and not q.values]
    return not missing, f"not stated: {', '.join(missing)}", "add the wording (text) and the scale (values)"


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
    """Yield differences between what is evaluated and what the systems model."""
    if not design.systems_model:
        if design.questions:
            yield Finding("modelled-unstated", "", "what the systems model is not stated", "set systems_model")
        return
    used: set[str] = set()
    for question in design.questions:
        modelled = question.modelled or modelled_by(question.criterion, design.systems_model)
        if modelled:
            used.add(modelled)
        else:
            yield Finding(
                "misaligned", question.criterion, "evaluated, but not modelled by any system",
                "remove it, or set modelled to the property that should improve it",
            )  # fmt: skip
    for entry in design.systems_model:
        if entry not in used:
            yield Finding("not-evaluated", "", f"{entry}: modelled, but not evaluated", "add a question about it")


def _study(design: Design) -> Iterator[Finding]:
    """Yield findings about the study as a whole."""
    people, presentation, reporting = design.people, design.presentation, design.reporting
    rules: dict[str, tuple[bool, str, str]] = {
        "goal": (not design.goal, "no goal", "state the research question in goal"),
        "pilot": (
            not presentation.pilot and not presentation.pilot_items, "no pilot",
            "test the design with a few annotators and set presentation.pilot",
        ),
        "order-unstated": (
            not presentation.order, "the order of texts is not stated", "set presentation.order, e.g. 'balanced'",
        ),
        "fixed-order": (
            presentation.order == "fixed", "a fixed order favours some positions",
            "set presentation.order to 'balanced' or 'shuffled'",
        ),
        "not-blinded": (
            not presentation.blinded, "annotators see which system wrote a text", "set presentation.blinded to true",
        ),
        "demographics": (
            not people.demographics, "demographics of annotators are not stated",
            "set people.demographics, or state there why they are not collected",
        ),
        "one-method": (
            bool(design.questions) and len({q.kind for q in design.questions}) == 1,
            "only one kind of question", "elicit a criterion by a second kind and compare",
        ),
        "few-annotators": (
            (people.per_item or 0) < QUALITATIVE and not design.sample.size_because,
            f"fewer than {QUALITATIVE} annotators per item without a justification of the sample size",
            "add annotators, or set sample.size_because; see `assay study simulate`",
        ),
        "preference-only": (
            bool(design.questions) and all(kind_for(q).compares for q in design.questions),
            "only relative judgements: one system wins even if all are bad", "add a direct rating",
        ),
        "population": (
            people.expert is None, "whether annotators are experts is not stated", "set people.expert to true or false",
        ),
        "instructions": (not design.instructions, "no instructions", "add the exact wording as instructions"),
        "threats": (not reporting.threats, "no threats to validity are stated", "set reporting.threats"),
        "error-analysis": (
            not reporting.error_analysis, "no error analysis is planned", "set reporting.error_analysis",
        ),
        "release": (
            reporting.release is None, "whether judgements are released is not stated",
            "set reporting.release to true or false",
        ),
        "too-long": (
            (people.minutes or 0) > LONG_MINUTES, f"a task takes {people.minutes} minutes", "use shorter tasks",
        ),
    }  # fmt: skip
    for rule, (violated, problem, remedy) in rules.items():
        if violated:
            yield Finding(rule, "", problem, remedy)
    for question in design.questions:
        if not question.family and family_of(question.criterion) == family_of(question.criterion, "creative") == OTHER:
            yield Finding(
                "unknown-criterion", question.criterion, "no reviewed paper uses this name",
                "set family to the nearest family of criteria",
            )  # fmt: skip
