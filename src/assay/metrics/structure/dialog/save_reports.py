"""Conversion of dialogue reports to the saved format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from assay.metrics.structure.dialog.databases import Databases
from assay.metrics.structure.dialog.files import Predictions
from assay.metrics.structure.dialog.report import Report
from assay.metrics.structure.dialog.saved_dialogues import (
    SavedDialogue,
    SavedDialogues,
    SavedGoal,
    SavedRate,
    SavedSystem,
    SavedTurn,
)
from assay.metrics.structure.dialog.success import DialogueResult, Goal, Turn


def saved_of(
    reports: Sequence[Report],
    read: Sequence[Predictions],
    databases: Databases | None,
    goals: Mapping[str, Goal],
    references: Mapping[str, Mapping[str, Sequence[str]]],
    warnings: Sequence[str],
) -> SavedDialogues:
    """Return reports, goals and references in the saved format."""
    fitting: dict[str, dict[str, list[str]]] = {}
    for report in reports:
        fitting |= {id: judged.wanted for id, judged in report.judged.items()}
    rows = databases.rows if databases else {}
    return SavedDialogues(
        systems=[_system(report, each) for report, each in zip(reports, read, strict=True)],
        goals={id: _goal(goals[id], fits) for id, fits in fitting.items()},
        names={domain: {row["id"]: row["name"] for row in of if "name" in row} for domain, of in rows.items()},
        references={
            style: {id: list(texts) for id, texts in of_style.items()} for style, of_style in references.items()
        },
        warnings=list(warnings),
    )


def _goal(goal: Goal, fitting: Mapping[str, list[str]]) -> dict[str, SavedGoal]:
    return {
        domain: SavedGoal(
            informable=dict(goal.informable[domain]),
            requestable=sorted(goal.requestable.get(domain, ())),
            fitting=fitting[domain],
        )
        for domain in goal.domains
    }


def _system(report: Report, read: Predictions) -> SavedSystem:
    rates = report.rates() if report.judged else {}
    choices = {name: _text(value) for name, value in report.setup.plain().items()}
    if report.setup.venues != "sampling":
        del choices["seed"]
    return SavedSystem(
        name=report.system,
        turns=report.turns,
        bleu=report.bleu,
        rates=msgspec.convert(rates, dict[str, dict[str, SavedRate]]),
        richness=report.richness,
        setup=choices | {f"{what} from": place for what, place in report.sources.items()},
        notes=report.notes,
        dialogues={
            id: _with_goal(report.judged[id]) if id in report.judged else _without_goal(turns)
            for id, turns in read.dialogues.items()
        },
    )


def _text(value: object) -> str:
    return str(value) if not isinstance(value, bool) else "yes" if value else "no"


def _with_goal(judged: DialogueResult) -> SavedDialogue:
    turns = [
        SavedTurn(
            response=turn.response,
            state={domain: dict(slots) for domain, slots in turn.state.items()},
            domains=turn.domains,
            offered={domain: turn.offered[domain] for domain in turn.updated},
            provided={domain: slots for domain, slots in turn.provided.items() if slots},
        )
        for turn in judged.trace
    ]
    return SavedDialogue(turns=turns, match=judged.match, success=judged.success, offered=judged.offered)


def _without_goal(turns: Sequence[Turn]) -> SavedDialogue:
    """Return a dialogue without a goal: responses, states and domains."""
    return SavedDialogue(
        turns=[
            SavedTurn(
                response=turn.response,
                state={domain: dict(slots) for domain, slots in (turn.state or {}).items()},
                domains=list(turn.domains or ()),
            )
            for turn in turns
        ]
    )
