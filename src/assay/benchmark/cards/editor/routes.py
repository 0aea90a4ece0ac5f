"""Pages of the card editor. They work without JavaScript; with it, the card is saved automatically."""

import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData, UploadFile

from assay.benchmark.cards.card import Card, new_card
from assay.benchmark.cards.editor import drafts
from assay.benchmark.cards.editor.sheet import Sheet, sheet_of
from assay.benchmark.cards.template import NAMES, PLACEHOLDER, template
from assay.datasets import DATASETS
from assay.errors import AssayError
from assay.serving.accounts import User
from assay.serving.app import RefusedError, json_answer
from assay.serving.bounded import SHARED
from assay.serving.server import Server

STATIC = {"card.js": "text/javascript", "card.css": "text/css"}
SHARE = 100
CONTENTS = "assay.benchmark.cards.page:contents"


def add_routes(app: FastAPI, server: Server) -> None:
    """Add the card editor below /cards."""
    server.pages.add_room("assay.benchmark.cards.editor")
    server.pages.links.append(("/cards", "cards.title"))
    for name, kind in STATIC.items():
        _add_static(app, name, kind)
    _add_collection(app, server)
    _add_reading(app, server)
    _add_writing(app, server)


def _add_static(app: FastAPI, name: str, kind: str) -> None:
    content = files("assay.benchmark.cards.editor").joinpath("static", name).read_bytes()

    @app.get(f"/static/{name}", include_in_schema=False)
    def static() -> Response:
        return Response(content, media_type=kind)


def _add_collection(app: FastAPI, server: Server) -> None:
    signed_in, form = Depends(server.signed_in), Depends(server.form)
    database, pages = server.database, server.pages

    def listing(request: Request, person: User, status: int = 200, problem: str = "") -> Response:
        with database.read() as connection:
            rows = drafts.drafts_of(connection, person.id)
        kinds = {name: template(name) for name in NAMES}
        return pages.answer(
            request,
            "card_list.html",
            person,
            status,
            rows=rows,
            kinds=kinds,
            datasets=sorted(DATASETS),
            problem=problem,
        )

    @app.get("/cards", include_in_schema=False)
    def cards(request: Request, person: User = signed_in) -> Response:
        return listing(request, person)

    @app.post("/cards", include_in_schema=False)
    def create(request: Request, person: User = signed_in, data: FormData = form) -> Response:
        """Create a card, empty or from a file, with the known facts of a dataset filled in."""
        try:
            card, named = _new_card(data)
            with TemporaryDirectory() as folder:
                card = _prefilled(card, data, Path(folder))
            with database.write() as connection:
                id = drafts.create_draft(connection, person, card, template(named) if named else None)
        except RefusedError:
            raise
        except AssayError as error:
            return listing(request, person, 400, str(error))
        return RedirectResponse(f"/cards/{id}", 303)


def _add_reading(app: FastAPI, server: Server) -> None:
    signed_in, database, pages = Depends(server.signed_in), server.database, server.pages

    def own(person: User, id: str) -> drafts.Draft:
        with database.read() as connection:
            return drafts.own_draft(connection, person, id)

    @app.get("/cards/{id}/preview", include_in_schema=False)
    def preview(request: Request, id: str, person: User = signed_in) -> Response:
        card = own(person, id).card()
        try:
            shown = SHARED.call(CONTENTS, card)
        except RefusedError:
            raise
        except AssayError:  # unreadable front matter, which the editor reports
            shown = SHARED.call(CONTENTS, replace(card, front=""))
        return pages.answer(request, "card_preview.html", person, id=id, card=shown)

    @app.get("/cards/{id}/card.md", include_in_schema=False)
    def download(id: str, person: User = signed_in) -> Response:
        text = own(person, id).card().markdown()
        attached = {"Content-Disposition": 'attachment; filename="card.md"'}
        return Response(text.encode(), media_type="text/markdown; charset=utf-8", headers=attached)


def _add_writing(app: FastAPI, server: Server) -> None:
    signed_in, form = Depends(server.signed_in), Depends(server.form)
    database, pages = server.database, server.pages

    def editor(
        request: Request, person: User, draft: drafts.Draft, sheet: Sheet | None = None, status: int = 200, **more: Any
    ) -> Response:
        shown = sheet or draft.sheet
        checked = shown.checked(draft.form)
        fields = list(shown.fields(draft.form))
        lacking = {each.key: each for each in reversed(checked.findings) if each.key}
        state: dict[str, Any] = {"conflict": False, "problem": "", "done": False, **more}
        saved = {field.name: field.text for field in draft.sheet.fields(draft.form)}
        return pages.answer(
            request, "card_edit.html", person, status, draft=draft, fields=fields, checked=checked, lacking=lacking,
            share=round(SHARE * checked.complete), saved=saved, datasets=sorted(DATASETS), placeholder=PLACEHOLDER,
            **state,
        )  # fmt: skip

    @app.get("/cards/{id}", include_in_schema=False)
    def edit(request: Request, id: str, done: bool = False, person: User = signed_in) -> Response:
        with database.read() as connection:
            draft = drafts.own_draft(connection, person, id)
        return editor(request, person, draft, done=done)

    @app.post("/cards/{id}", include_in_schema=False)
    def save(request: Request, id: str, person: User = signed_in, data: FormData = form) -> Response:
        """Save the card, or a copy of it; on a conflict show both versions, so that no text is lost."""
        with database.write() as connection:
            draft = drafts.own_draft(connection, person, id)
            sheet = draft.sheet.updated(data)
            if data.get("action") == "copy":
                copy = drafts.create_from_sheet(connection, person, sheet, draft.form)
                return RedirectResponse(f"/cards/{copy}?done=1", 303)
            version = draft.version if data.get("action") == "over" else _version(data)
            try:
                drafts.save_draft(connection, person, draft, sheet, version)
            except drafts.ConflictError:
                return editor(request, person, draft, sheet, 409, conflict=True)
        return RedirectResponse(
            f"/cards/{id}/preview" if data.get("action") == "preview" else f"/cards/{id}?done=1", 303
        )

    @app.post("/cards/{id}/autosave", include_in_schema=False)
    def autosave(id: str, person: User = signed_in, data: FormData = form) -> Response:
        """Save the card for the page's script and return its findings."""
        conflict = False
        with database.write() as connection:
            draft = drafts.own_draft(connection, person, id)
            sheet = draft.sheet.updated(data)
            try:
                version = drafts.save_draft(connection, person, draft, sheet, _version(data))
            except drafts.ConflictError:
                conflict, version = True, _version(data)
        checked = sheet.checked(draft.form)
        body = checked.plain() | {"version": version, "share": round(SHARE * checked.complete)}
        keyed = [each | {"key": of.key} for each, of in zip(body["findings"], checked.findings, strict=True)]
        return json_answer(body | {"findings": keyed, "conflict": conflict}, 409 if conflict else 200)

    @app.post("/cards/{id}/prefill", include_in_schema=False)
    def prefill(request: Request, id: str, person: User = signed_in, data: FormData = form) -> Response:
        """Fill empty fields from data or a known dataset, and save the form."""
        with database.read() as connection:
            draft = drafts.own_draft(connection, person, id)
        sheet = draft.sheet.updated(data)
        try:
            with TemporaryDirectory() as folder:
                filled = _prefilled(sheet.card(draft.form, draft.title), data, Path(folder))
            with database.write() as connection:
                drafts.save_draft(connection, person, draft, sheet_of(filled, draft.form), _version(data))
        except drafts.ConflictError:
            return editor(request, person, draft, sheet, 409, conflict=True)
        except AssayError as error:
            return editor(request, person, draft, sheet, 400, problem=str(error))
        return RedirectResponse(f"/cards/{id}?done=1", 303)

    @app.post("/cards/{id}/delete", include_in_schema=False)
    def delete(id: str, person: User = signed_in, data: FormData = form) -> Response:
        if not data.get("sure"):
            raise RefusedError("Confirm the deletion: it cannot be undone.", 400)
        with database.write() as connection:
            drafts.delete_draft(connection, person, id)
        return RedirectResponse("/cards", 303)


def _version(data: FormData) -> int:
    text = str(data.get("version", ""))
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def _new_card(data: FormData) -> tuple[Card, str]:
    """Return the uploaded card, or an empty one and the name of its template."""
    sent = data.get("file")
    if isinstance(sent, UploadFile) and sent.filename:
        with TemporaryDirectory() as folder:
            return _from_file(sent, Path(folder)), ""
    named = str(data.get("template", ""))
    return new_card(template(named), " ".join(str(data.get("title", "")).split())[:200]), named


def _from_file(sent: UploadFile, folder: Path) -> Card:
    path = _stored(sent, folder)
    try:
        card: Card = SHARED.call("assay.benchmark.cards.card:read_whole_card", path)
    except RefusedError:
        raise
    except AssayError as error:
        raise AssayError(str(error).replace(str(path), _name(sent))) from None
    return replace(card, where=_name(sent))


def _prefilled(card: Card, data: FormData, folder: Path) -> Card:
    dataset = str(data.get("dataset", ""))
    if dataset and dataset not in DATASETS:
        raise AssayError(f"No dataset {dataset[:80]}. Choose one from the list.")
    sent = data.get("examples")
    paths = [_stored(sent, folder)] if isinstance(sent, UploadFile) and sent.filename else []
    if not dataset and not paths:
        return card
    try:
        filled: Card = SHARED.call("assay.benchmark.cards.fill:fill", card, paths, dataset)[0]
        return filled
    except RefusedError:
        raise
    except AssayError as error:
        raise AssayError(str(error).replace(str(paths[0]), _name(sent)) if paths else str(error)) from None


def _stored(sent: UploadFile, folder: Path) -> Path:
    path = folder / "sent"
    with path.open("wb") as file:
        shutil.copyfileobj(sent.file, file)
    return path


def _name(sent: Any) -> str:
    return str(sent.filename)[:100]
