"""Pages of the tutorial, with feedback on each item, and of the qualification test."""

import time
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response

from assay.studies.design import Design
from assay.studies.kinds.form import Form
from assay.studies.quality import Feedback
from assay.studies.server import participation
from assay.studies.server.drafts import Draft, read_drafts
from assay.studies.server.materials import PARTS, Part
from assay.studies.server.rendering import screen_values
from assay.studies.server.session import FORM, StudySession, redirect
from assay.studies.server.sign_in import Caller
from assay.studies.server.store import StudyTransaction
from assay.studies.server.training import screen_of


def add_training(app: FastAPI, session: StudySession) -> None:
    async def item_page(
        request: Request,
        study: str,
        caller: Caller,
        part: Part,
        number: int,
        form: Form | None = None,
        missing: Mapping[str, str] | None = None,
    ) -> Response:
        def look(tx: StudyTransaction) -> Any:
            step = participation.current_step(tx, caller.annotator)
            items = tx.materials.part(part)
            if step.name != part or not 0 <= number < len(items):
                return step, None, tx.design, 0, Draft()
            draft = read_drafts(tx, caller.annotator, f"{part}|").get(f"{part}|{number}", Draft())
            return step, items[number], tx.design, len(items), draft

        step, item, design, count, draft = await session.read(study, caller, look)
        if item is None:
            return redirect(step.address(study))
        screen = screen_of(design, item)
        feedback = None
        if part == "tutorial" and draft.right is not None and not missing:
            answer = expected_answer(session, request, design, screen.questions[0], item.expected)
            feedback = Feedback(draft.right, answer, item.why)
        page = screen_values(design, item.task(), screen, (0,), form or draft.form, missing or {})
        base = f"/studies/{study}/{part}"
        return session.page(
            request, "training_item.html", study, design, caller, part=part, place=number + 1, of=count, page=page,
            feedback=feedback, action=f"{base}/{number}", status=422 if missing else 200,
            back=f"{base}/{number - 1}" if number and part == "qualification" else "",
        )  # fmt: skip

    def add(part: Part) -> None:
        @app.get(f"/studies/{{study}}/{part}/{{number}}", include_in_schema=False, name=part)
        async def show(request: Request, study: str, number: int) -> Response:
            return await item_page(request, study, session.caller(request, study), part, number)

        @app.post(
            f"/studies/{{study}}/{part}/{{number}}", include_in_schema=False, openapi_extra=FORM, name=f"{part}-answer"
        )
        async def answer(request: Request, study: str, number: int) -> Response:
            caller, form = await session.form(request, study)
            now = time.time()
            missing = await session.write(
                study,
                caller,
                lambda tx: participation.answer_training_item(tx, caller.annotator, part, number, form, now),
            )
            if missing:
                return await item_page(request, study, caller, part, number, form, missing)
            step = await session.read(study, caller, lambda tx: participation.current_step(tx, caller.annotator))
            return redirect(step.address(study))

    for part in PARTS:
        add(part)


def expected_answer(session: StudySession, request: Request, design: Design, number: int, answer: str) -> str:
    """Return the expected answer with its label."""
    if not answer:
        return session.text(request, "training.no_error")
    return design.questions[number].labels.get(answer, answer)
