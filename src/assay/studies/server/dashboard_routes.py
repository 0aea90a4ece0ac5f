"""Dashboard pages and API of studies. They require the organiser role for the study or the server."""

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Depends, FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from assay.serving.accounts import User
from assay.serving.app import RefusedError, json_answer
from assay.serving.audit import record
from assay.serving.bounded import SHARED
from assay.serving.server import Server
from assay.studies.judgements import hashed
from assay.studies.server import answering, dashboard, sign_in
from assay.studies.server.annotation_queue import AnnotationQueue
from assay.studies.server.session import completed, redirect, valid_study_id
from assay.studies.server.store import StudyTransaction
from assay.studies.server.tasks_file import UPLOADED, add_tasks, read_tasks

T = TypeVar("T")
SMALL = 100_000
"""Bytes of a file of tasks that is read in the server itself: starting a process would take longer."""
READ_TASKS = "assay.studies.server.tasks_file:read_tasks"
TASKS_BODY = {
    "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}
}


class Dashboard:
    """Requests of organisers."""

    def __init__(self, server: Server, queue: AnnotationQueue) -> None:
        self.server = server
        self.queue = queue
        self.reports = dashboard.Reports(server.database)

    def allowed(self, user: User, study: str) -> str:
        """Return the id of a study that the user organises; others cannot find out whether it exists."""
        if not user.may("organiser", f"study:{valid_study_id(study)}"):
            raise RefusedError("No such study, or you do not have the organiser role for it.", 404)
        return study

    async def write(
        self, user: User, study: str, name: str, action: Callable[[StudyTransaction], T], **detail: Any
    ) -> T:
        """Run an action of an organiser and record it in the audit log."""

        def recorded(tx: StudyTransaction) -> T:
            result = action(tx)
            record(tx.connection, user.id, f"study.{name}", f"study:{study}", **detail)
            return result

        return await completed(self.queue.write(study, recorded))

    def studies_of(self, user: User) -> list[str]:
        """Return the studies that the user organises."""
        with self.server.database.read() as connection:
            return [id for id in dashboard.study_ids(connection) if user.may("organiser", f"study:{id}")]

    def platform_links(self, study: str) -> dict[str, str]:
        return {
            platform: sign_in.platform_link(self.server.secret, self.server.address, study, platform)
            for platform in sign_in.PLATFORMS
        }

    async def invite(self, user: User, study: str, name: str) -> str:
        """Return the address of an invitation."""
        token = sign_in.invitation(self.server.secret, self.allowed(user, study), name)
        await self.write(user, study, "invite", lambda tx: None)
        return f"{self.server.address}/studies/{study}/enter?link={token}"

    async def page(self, request: Request, user: User, study: str, **values: Any) -> Response:
        """Render the dashboard of a study."""
        report = await run_in_threadpool(self.reports.of, study)
        defaults: dict[str, Any] = {"invitation": "", "invited": "", "did": "", "days": sign_in.INVITATION_DAYS}
        return self.server.pages.answer(
            request, "study/dashboard.html", user, study=study, report=report,
            links_out=self.platform_links(study), exports=list(dashboard.EXPORTS), **(defaults | values),
        )  # fmt: skip

    async def export(self, user: User, study: str, form: str) -> Response:
        """Return an export; those with plain names are recorded in the audit log."""
        self.allowed(user, study)
        if form not in dashboard.EXPORTS:
            raise RefusedError(f"No such export. Choose from {', '.join(dashboard.EXPORTS)}.", 404)
        content = await run_in_threadpool(dashboard.export, self.server.database, self.server.secret, study, form)
        if form in ("journal", "payments"):
            await self.write(user, study, f"export-{form}", lambda tx: None)
        headers = {"Content-Disposition": f'attachment; filename="{study}-{dashboard.FILE_NAMES[form]}"'}
        return Response(content, media_type=dashboard.EXPORTS[form], headers=headers)

    async def add_tasks(self, user: User, study: str, file: Path, where: str) -> int:
        """Add the tasks of a file and return their number.

        It is read before the transaction, as all studies share one thread; a large one in a process with limits.
        """
        self.allowed(user, study)
        design = await completed(self.queue.read(study, lambda tx: tx.design))
        large = file.stat().st_size > SMALL
        read = partial(SHARED.call, READ_TASKS) if large else read_tasks
        content = await self.server.slowly(lambda: read(str(file), where, design))
        sent = await run_in_threadpool(UPLOADED.decode, content)
        return await self.write(user, study, "tasks", lambda tx: add_tasks(tx, sent.tasks, time.time(), sent.names))


def add_dashboard(app: FastAPI, server: Server, queue: AnnotationQueue) -> None:
    """Add the pages and API calls of organisers."""
    board = Dashboard(server, queue)
    add_pages(app, board)
    add_actions(app, board)
    add_calls(app, board)


def add_pages(app: FastAPI, board: Dashboard) -> None:
    signed_in = Depends(board.server.signed_in)

    @app.get("/running", include_in_schema=False)
    def studies(request: Request, user: User = signed_in) -> Response:
        """All studies that the user organises."""
        rows = [(id, board.reports.of(id)["progress"]) for id in board.studies_of(user)]
        return board.server.pages.answer(request, "study/studies.html", user, rows=rows)

    @app.get("/running/{study}", include_in_schema=False)
    async def one(request: Request, study: str, user: User = signed_in, did: str = "") -> Response:
        """The dashboard of a study."""
        return await board.page(request, user, board.allowed(user, study), did=did and "dashboard.did")

    @app.get("/running/{study}/export/{form}", include_in_schema=False)
    async def export(study: str, form: str, user: User = signed_in) -> Response:
        return await board.export(user, study, form)


def annotator_named(tx: StudyTransaction, name: str) -> str:
    """Return the plain name of an annotator from the hashed name in exports."""
    plain = next((each for each in tx.study.annotators if hashed(tx.study, each) == name), None)
    if plain is None:
        raise RefusedError("No annotator has this name.", 404)
    return plain


def field(form: FormData, name: str) -> str:
    """Return a field of a form without surrounding spaces."""
    value = form.get(name)
    return value.strip() if isinstance(value, str) else ""


def add_actions(app: FastAPI, board: Dashboard) -> None:
    signed_in, sent = Depends(board.server.signed_in), Depends(board.server.form)

    def back(study: str) -> Response:
        return redirect(f"/running/{study}?did=yes")

    @app.post("/running/{study}/block", include_in_schema=False)
    async def block(study: str, user: User = signed_in, form: FormData = sent) -> Response:
        """Block an annotator."""
        name, why = field(form, "person"), field(form, "reason") or "by hand"
        await board.write(
            user, board.allowed(user, study), "block",
            lambda tx: tx.study.block(annotator_named(tx, name), f"by hand: {why[:200]}", time.time()),
            annotator=name,
        )  # fmt: skip
        return back(study)

    @app.post("/running/{study}/reassign", include_in_schema=False)
    async def reassign(study: str, user: User = signed_in, form: FormData = sent) -> Response:
        """Assign the open tasks of an annotator to others."""
        name = field(form, "person")
        await board.write(
            user, board.allowed(user, study), "reassign",
            lambda tx: answering.reassign_tasks(tx, annotator_named(tx, name), time.time()), annotator=name,
        )  # fmt: skip
        return back(study)

    @app.post("/running/{study}/forget", include_in_schema=False)
    async def forget(study: str, user: User = signed_in, form: FormData = sent) -> Response:
        """Delete all data of an annotator; the name has to be typed to confirm."""
        name = field(form, "person")
        board.allowed(user, study)
        if not name or name != field(form, "confirm"):
            raise RefusedError("Type the annotator's name in exports to delete the data.", 400)
        await board.write(user, study, "forget", lambda tx: sign_in.forget_annotator(tx, name), annotator=name)
        return back(study)

    @app.post("/running/{study}/main", include_in_schema=False)
    async def main(study: str, user: User = signed_in, form: FormData = sent) -> Response:
        """End the pilot."""
        await board.write(user, board.allowed(user, study), "main", lambda tx: tx.study.start_main(time.time()))
        return back(study)

    @app.post("/running/{study}/invite", include_in_schema=False)
    async def invite(request: Request, study: str, user: User = signed_in, form: FormData = sent) -> Response:
        """Create an invitation."""
        name = field(form, "name")
        link = await board.invite(user, study, name)
        return await board.page(request, user, study, invitation=link, invited=name)

    @app.post("/running/{study}/tasks", include_in_schema=False)
    async def tasks(study: str, user: User = signed_in, form: FormData = sent) -> Response:
        """Add tasks from a file."""
        board.allowed(user, study)
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise RefusedError("No file. Choose a file of tasks.", 400)
        with board.server.upload() as stored:
            await run_in_threadpool(shutil.copyfileobj, file.file, stored)
            stored.flush()
            await board.add_tasks(user, study, Path(stored.name), "the file")
        return back(study)


def add_calls(app: FastAPI, board: Dashboard) -> None:
    signed_in, body = Depends(board.server.signed_in), Depends(board.server.body_file)

    @app.get("/api/studies", tags=["studies"])
    def studies(user: User = signed_in) -> Response:
        """List the studies that the user organises, with their progress."""
        return json_answer([{"id": id, **board.reports.of(id)["progress"]} for id in board.studies_of(user)])

    @app.get("/api/studies/{study}", tags=["studies"])
    def one(study: str, user: User = signed_in) -> Response:
        """Return progress, agreement so far, and annotators under hashed names."""
        return json_answer(board.reports.of(board.allowed(user, study)))

    @app.get("/api/studies/{study}/export/{form}", tags=["studies"])
    async def export(study: str, form: str, user: User = signed_in) -> Response:
        """Return an export of a study."""
        return await board.export(user, study, form)

    @app.post("/api/studies/{study}/tasks", tags=["studies"], openapi_extra=TASKS_BODY)
    async def tasks(study: str, user: User = signed_in, file: Path = body) -> Response:
        """Add tasks, one JSON object per line."""
        return json_answer({"added": await board.add_tasks(user, study, file, "the body")})

    @app.post("/api/studies/{study}/invitations/{person}", tags=["studies"])
    async def invite(study: str, person: str, user: User = signed_in) -> Response:
        """Return an invitation link for an annotator."""
        return json_answer({"link": await board.invite(user, study, person)})

    @app.delete("/api/studies/{study}/people/{person}", tags=["studies"])
    async def forget(study: str, person: str, user: User = signed_in) -> Response:
        """Delete all data of an annotator, named plainly or as in exports."""
        deleted = await board.write(
            user, board.allowed(user, study), "forget", lambda tx: sign_in.forget_annotator(tx, person)
        )
        return json_answer({"events": deleted})
