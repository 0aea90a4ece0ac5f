"""Human evaluation datasheet (after HEDS), filled from the design."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.studies.criteria import family_of
from assay.studies.design import Design, Question
from assay.studies.kinds import kind_for
from assay.studies.presets import budget

if TYPE_CHECKING:
    from assay.studies.study import Study

UNSTATED = "not stated"


def datasheet(design: Design, study: Study | None = None) -> dict[str, Any]:
    """Return the datasheet by section; `not stated` marks what the design leaves out."""
    sample, people, presentation, quality = design.sample, design.people, design.presentation, design.quality
    pay = people.pay if people.pay is not None else people.pay_per_hour
    per = "per task" if people.pay is not None else "per hour"
    sheet: dict[str, Any] = {
        "study": {
            "name": design.name,
            "title": design.title or UNSTATED,
            "goal": design.goal or UNSTATED,
            "lineage": design.lineage or UNSTATED,
            "design": design.digest,
        },
        "systems": {
            "task": design.task or UNSTATED,
            "language": design.language or UNSTATED,
            "number": _text(sample.systems),
            "explicitly modelled": ", ".join(design.systems_model) or UNSTATED,
        },
        "outputs": {
            "inputs": _text(sample.items),
            "selection": sample.method or UNSTATED,
            "same inputs for all systems": sample.shared,
            "size justified by": sample.size_because or UNSTATED,
        },
        "annotators": {
            "background": people.background or UNSTATED,
            "recruitment": people.recruitment or UNSTATED,
            "experts": _text(people.expert),
            "language proficiency": people.proficiency or UNSTATED,
            "demographics": people.demographics or UNSTATED,
            "for each item": _text(people.per_item),
            "most items of one person": _text(people.most_items),
            "pay": f"{pay:g} {people.currency} {per}" if pay is not None else people.pay_said or UNSTATED,
        },
        "procedure": {
            "instructions": design.instructions.strip() or UNSTATED,
            "order": presentation.order or UNSTATED,
            "names of systems hidden": presentation.blinded,
            "pilot": presentation.pilot
            or (f"{presentation.pilot_items} items" if presentation.pilot_items else UNSTATED),
            "quality control": _checks(quality) or UNSTATED,
        },
        "criteria": [_criterion(question) for question in design.questions],
        "reporting": {
            "agreement": ", ".join(design.reporting.agreement) or UNSTATED,
            "judgements released": _text(design.reporting.release),
            "threats to validity": design.reporting.threats or UNSTATED,
            "error analysis": design.reporting.error_analysis or UNSTATED,
        },
    }
    try:
        sizes = budget(design)
        sheet["size"] = {"tasks": sizes.tasks, "assignments": sizes.assignments, "cost": _text(sizes.cost)}
    except AssayError as why:
        sheet["size"] = {"tasks": str(why)}
    if study is not None:
        sheet["carried out"] = {
            "people": len(study.annotators),
            "blocked": sum(bool(who.blocked) for who in study.annotators.values()),
            "finished assignments": sum(each.done for each in study.assignments.values()),
            "tasks": len(study.tasks),
        }
    return sheet


def datasheet_markdown(sheet: dict[str, Any]) -> str:
    """Return the datasheet as Markdown; texts of the design are escaped."""
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
        "definition": question.definition or UNSTATED,
        "motivation": " ".join(filter(None, (question.motivation, question.because))) or UNSTATED,
        "question": question.text or UNSTATED,
        "wording": question.version,
        "elicitation": kind.elicitation,
        "relative": kind.compares,
        "scale": ", ".join(map(str, question.values)) or (UNSTATED if kind.scale else "none"),
        "labels": labels or UNSTATED,
        "preset answer": UNSTATED if question.preset is None else str(question.preset),
    }


def _checks(quality: Any) -> str:
    """Return the settings of quality control that differ from their defaults."""
    from msgspec import to_builtins

    settings = to_builtins(quality)
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return UNSTATED if value is None else str(value)
