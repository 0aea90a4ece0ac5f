"""The pages and calls of those who run studies. Whoever is organiser of a study, or of the server, may use them."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import Body, Depends, FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from assay.serving.accounts import Who
from assay.serving.app import RefusedError, json_answer
from assay.serving.audit import record
from assay.serving.server import Server
from assay.studies.judgements import hashed
from assay.studies.server import answering, dashboard, entrance
from assay.studies.server.door import go, known_study, waited
from assay.studies.server.store import Desk, Work
from assay.studies.server.tasks_file import add_tasks, parse_tasks

T = TypeVar("T")


class Office:
    """Requests of those who run studies."""

    def __init__(self, served: Server, desk: Desk) -> None:
        self.served = served
        self.desk = desk
        self.reports = dashboard.Reports(served.database)

    def allowed(self, who: Who, study: str) -> str:
        """The name of a study that this person runs; to others it might as well not be there."""
        if not who.may("organiser", f"study:{known_study(study)}"):
            raise RefusedError("there is no such study, or you do not run it", 404)
        return study

    async def change(self, who: Who, study: str, action: str, do: Callable[[Work], T], **detail: Any) -> T:
        """A command of somebody who runs the study; the log says whose."""

        def done(work: Work) -> T:
            made = do(work)
            record(work.connection, who.id, f"study.{action}", f"study:{study}", **detail)
            return made

        return await waited(self.desk.change(study, done))

    def mine(self, who: Who) -> list[str]:
        with self.served.database.read() as connection:
            return [id for id in dashboard.study_ids(connection) if who.may("organiser", f"study:{id}")]

    def links(self, study: str) -> dict[str, str]:
        return {
            platform: entrance.platform_link(self.served.secret, self.served.address, study, platform)
            for platform in entrance.PLATFORMS
        }

    async def page(self, request: Request, who: Who, study: str, **values: Any) -> Response:
        report = await run_in_threadpool(self.reports.of, study)
        shown: dict[str, Any] = {"invitation": "", "invited": "", "did": "", "days": entrance.INVITATION_DAYS} | values
        return self.served.pages.answer(
            request, "study/dashboard.html", who, study=study, report=report, links_out=self.links(study),
            exports=list(dashboard.EXPORTS), **shown,
        )  # fmt: skip


def add_dashboard(app: FastAPI, served: Server, desk: Desk) -> None:
    office = Office(served, desk)
    add_pages(app, office)
    add_actions(app, office)
    add_calls(app, office)


def add_pages(app: FastAPI, office: Office) -> None:
    signed = Depends(office.served.signed_in)

    @app.get("/running", include_in_schema=False)
    def studies(request: Request, who: Who = signed) -> Response:
        """The studies that one runs."""
        rows = [(id, office.reports.of(id)["progress"]) for id in office.mine(who)]
        return office.served.pages.answer(request, "study/studies.html", who, rows=rows)

    @app.get("/running/{study}", include_in_schema=False)
    async def one(request: Request, study: str, who: Who = signed, did: str = "") -> Response:
        """How a study stands."""
        return await office.page(request, who, office.allowed(who, study), did=did and "dashboard.did")

    @app.get("/running/{study}/export/{form}", include_in_schema=False)
    async def export(study: str, form: str, who: Who = signed) -> Response:
        return await exported(office, who, office.allowed(who, study), form)


async def exported(office: Office, who: Who, study: str, form: str) -> Response:
    if form not in dashboard.EXPORTS:
        raise RefusedError("there is no such export", 404)
    made = await run_in_threadpool(dashboard.export, office.served.database, office.served.secret, study, form)
    if form in ("journal", "payments"):  # what names people
        await office.change(who, study, f"export-{form}", lambda work: None)
    name = f"{study}-{dashboard.ENDINGS[form]}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(made, media_type=dashboard.EXPORTS[form], headers=headers)


def person_called(work: Work, name: str) -> str:
    found = next((each for each in work.study.annotators if hashed(work.study, each) == name), None)
    if found is None:
        raise RefusedError("nobody of that name takes part", 404)
    return found


def add_actions(app: FastAPI, office: Office) -> None:
    signed, sent = Depends(office.served.signed_in), Depends(office.served.form)

    def back(study: str) -> Response:
        return go(f"/running/{study}?did=yes")

    @app.post("/running/{study}/block", include_in_schema=False)
    async def block(study: str, who: Who = signed, form: FormData = sent) -> Response:
        name, why = said(form, "person"), said(form, "reason") or "by hand"
        await office.change(
            who, office.allowed(who, study), "block",
            lambda work: work.study.block(person_called(work, name), f"by hand: {why[:200]}", time.time()),
            annotator=name,
        )  # fmt: skip
        return back(study)

    @app.post("/running/{study}/anew", include_in_schema=False)
    async def anew(study: str, who: Who = signed, form: FormData = sent) -> Response:
        """Take back what somebody has open, so that others get it."""
        name = said(form, "person")
        await office.change(
            who, office.allowed(who, study), "hand-out-anew",
            lambda work: answering.take_back(work, person_called(work, name), time.time()), annotator=name,
        )  # fmt: skip
        return back(study)

    @app.post("/running/{study}/forget", include_in_schema=False)
    async def forget(request: Request, study: str, who: Who = signed, form: FormData = sent) -> Response:
        """Delete everything of one person, whose name in exports is typed once more."""
        name = said(form, "person")
        office.allowed(who, study)
        if not name or name != said(form, "confirm"):
            raise RefusedError("type the person's name in exports to delete their data", 400)
        await office.change(who, study, "forget", lambda work: entrance.forget_person(work, name), annotator=name)
        return back(study)

    @app.post("/running/{study}/main", include_in_schema=False)
    async def main(study: str, who: Who = signed, form: FormData = sent) -> Response:
        """End the pilot."""
        await office.change(who, office.allowed(who, study), "main", lambda work: work.study.start_main(time.time()))
        return back(study)

    @app.post("/running/{study}/invite", include_in_schema=False)
    async def invite(request: Request, study: str, who: Who = signed, form: FormData = sent) -> Response:
        name = said(form, "name")
        word = entrance.invitation(office.served.secret, office.allowed(who, study), name)
        await office.change(who, study, "invite", lambda work: None)
        link = f"{office.served.address}/studies/{study}/enter?link={word}"
        return await office.page(request, who, study, invitation=link, invited=name)

    @app.post("/running/{study}/tasks", include_in_schema=False)
    async def tasks(study: str, who: Who = signed, form: FormData = sent) -> Response:
        """More tasks, from a file; people who had finished are given them."""
        office.allowed(who, study)
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise RefusedError("a file of tasks is expected here", 400)
        await more_tasks(office, who, study, await file.read(), "the file")
        return back(study)


async def more_tasks(office: Office, who: Who, study: str, content: bytes, where: str) -> int:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError(f"{where}: not UTF-8 (byte {error.start}); save it as UTF-8", 400) from None

    def do(work: Work) -> int:
        return add_tasks(work, parse_tasks(text, where, work.design), time.time())

    return await office.change(who, study, "tasks", do)


def said(form: FormData, name: str) -> str:
    given = form.get(name)
    return given.strip() if isinstance(given, str) else ""


def add_calls(app: FastAPI, office: Office) -> None:
    signed, body = Depends(office.served.signed_in), Body(media_type="application/octet-stream")

    @app.get("/api/studies", tags=["studies"])
    def studies(who: Who = signed) -> Response:
        return json_answer([{"id": id, **office.reports.of(id)["progress"]} for id in office.mine(who)])

    @app.get("/api/studies/{study}", tags=["studies"])
    def one(study: str, who: Who = signed) -> Response:
        """Progress, agreement so far, people under the names that exports have."""
        return json_answer(office.reports.of(office.allowed(who, study)))

    @app.get("/api/studies/{study}/export/{form}", tags=["studies"])
    async def export(study: str, form: str, who: Who = signed) -> Response:
        return await exported(office, who, office.allowed(who, study), form)

    @app.post("/api/studies/{study}/tasks", tags=["studies"])
    async def tasks(study: str, content: bytes = body, who: Who = signed) -> Response:
        """More tasks, one JSON object a line."""
        office.allowed(who, study)
        return json_answer({"added": await more_tasks(office, who, study, content, "the body")})

    @app.post("/api/studies/{study}/invitations/{person}", tags=["studies"])
    async def invite(study: str, person: str, who: Who = signed) -> Response:
        """A link for one person, under whatever name."""
        word = entrance.invitation(office.served.secret, office.allowed(who, study), person)
        await office.change(who, study, "invite", lambda work: None)
        return json_answer({"link": f"{office.served.address}/studies/{study}/enter?link={word}"})

    @app.delete("/api/studies/{study}/people/{person}", tags=["studies"])
    async def forget(study: str, person: str, who: Who = signed) -> Response:
        """Delete everything of one person, by their name in exports or as they came."""
        gone = await office.change(
            who, office.allowed(who, study), "forget", lambda work: entrance.forget_person(work, person)
        )
        return json_answer({"events": gone})
