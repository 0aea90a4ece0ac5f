"""A datasheet of an evaluation with people, after HEDS: what a reader needs to repeat it, filled from the design."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.studies.criteria import family_of
from assay.studies.design import Design, Question
from assay.studies.kinds import kind_for
from assay.studies.presets import budget

if TYPE_CHECKING:
    from assay.studies.study import Study

UNSAID = "not said"


def datasheet(design: Design, study: Study | None = None) -> dict[str, Any]:
    """By section; what the design does not say is said to be so."""
    sample, people, shown, quality = design.sample, design.people, design.presentation, design.quality
    pay = people.pay if people.pay is not None else people.pay_per_hour
    per = "a task" if people.pay is not None else "an hour"
    made: dict[str, Any] = {
        "study": {
            "name": design.name,
            "title": design.title or UNSAID,
            "goal": design.goal or UNSAID,
            "lineage": design.lineage or UNSAID,
            "design": design.digest,
        },
        "systems": {
            "task": design.task or UNSAID,
            "language": design.language or UNSAID,
            "number": _said(sample.systems),
            "explicitly modelled": ", ".join(design.systems_model) or UNSAID,
        },
        "outputs": {
            "inputs": _said(sample.items),
            "selection": sample.method or UNSAID,
            "same inputs for all systems": sample.shared,
            "size justified by": sample.size_because or UNSAID,
        },
        "annotators": {
            "background": people.background or UNSAID,
            "recruitment": people.recruitment or UNSAID,
            "experts": _said(people.expert),
            "language proficiency": people.proficiency or UNSAID,
            "demographics": people.demographics or UNSAID,
            "for each item": _said(people.per_item),
            "most items of one person": _said(people.most_items),
            "pay": f"{pay:g} {people.currency} {per}" if pay is not None else people.pay_said or UNSAID,
        },
        "procedure": {
            "instructions": design.instructions.strip() or UNSAID,
            "order": shown.order or UNSAID,
            "names of systems hidden": shown.blinded,
            "pilot": shown.pilot or (f"{shown.pilot_items} items" if shown.pilot_items else UNSAID),
            "quality control": _checks(quality) or UNSAID,
        },
        "criteria": [_criterion(question) for question in design.questions],
        "reporting": {
            "agreement": ", ".join(design.reporting.agreement) or UNSAID,
            "judgements released": _said(design.reporting.release),
            "threats to validity": design.reporting.threats or UNSAID,
            "error analysis": design.reporting.error_analysis or UNSAID,
        },
    }
    try:
        sizes = budget(design)
        made["size"] = {"tasks": sizes.tasks, "assignments": sizes.assignments, "cost": _said(sizes.cost)}
    except AssayError as why:
        made["size"] = {"tasks": str(why)}
    if study is not None:
        made["carried out"] = {
            "people": len(study.people),
            "blocked": sum(bool(person.blocked) for person in study.people.values()),
            "finished assignments": sum(each.done for each in study.assignments.values()),
            "tasks": len(study.tasks),
        }
    return made


def datasheet_markdown(sheet: dict[str, Any]) -> str:
    """The same to be read; texts of the design are quoted, so that they cannot break the page."""
    lines = [f"# Evaluation datasheet: {_line(sheet['study']['name'])}", ""]
    for section, fields in sheet.items():
        for number, part in enumerate(fields if isinstance(fields, list) else [fields], 1):
            lines += [f"## {section.capitalize()}" + (f" {number}" if isinstance(fields, list) else ""), ""]
            lines += ["| | |", "|---|---|", *(f"| {_line(key)} | {_line(value)} |" for key, value in part.items()), ""]
    return "\n".join(lines)


def _line(value: object) -> str:
    from assay.show.escape import markdown

    words = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
    return markdown(" ".join(str(words).split()))


def _criterion(question: Question) -> dict[str, Any]:
    kind = kind_for(question)
    labels = "; ".join(f"{value} = {label}" for value, label in question.labels.items())
    return {
        "name": question.criterion,
        "family": question.family or family_of(question.criterion),
        "definition": question.definition or UNSAID,
        "motivation": " ".join(filter(None, (question.motivation, question.because))) or UNSAID,
        "question": question.text or UNSAID,
        "wording": question.version,
        "elicitation": kind.elicitation,
        "relative": kind.compares,
        "scale": ", ".join(map(str, question.values)) or (UNSAID if kind.scale else "none"),
        "labels": labels or UNSAID,
        "preset answer": UNSAID if question.preset is None else str(question.preset),
    }


def _checks(quality: Any) -> str:
    """Only what is set."""
    from msgspec import to_builtins

    given = to_builtins(quality)
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in given.items())


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return UNSAID if value is None else str(value)
