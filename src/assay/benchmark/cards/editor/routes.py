"""The pages on which a card is written. They work without a script; with one the card saves itself while one writes."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData, UploadFile

from assay.benchmark.cards.card import Card, new_card, read_card
from assay.benchmark.cards.editor import drafts
from assay.benchmark.cards.editor.sheet import Sheet, sheet_of
from assay.benchmark.cards.fill import fill
from assay.benchmark.cards.page import contents
from assay.benchmark.cards.template import NAMES, PLACEHOLDER, template
from assay.datasets import DATASETS
from assay.errors import AssayError
from assay.serving.accounts import Who
from assay.serving.app import RefusedError, json_answer
from assay.serving.server import Server

STATIC = {"card.js": "text/javascript", "card.css": "text/css"}
SHARE = 100


def add_routes(app: FastAPI, server: Server) -> None:
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

    def listing(request: Request, person: Who, status: int = 200, problem: str = "") -> Response:
        with database.read() as connection:
            rows = drafts.listed(connection, person.id)
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
    def cards(request: Request, person: Who = signed_in) -> Response:
        return listing(request, person)

    @app.post("/cards", include_in_schema=False)
    def make(request: Request, person: Who = signed_in, given: FormData = form) -> Response:
        """A new card, empty or from a file; what is known of a dataset is written into it."""
        try:
            card, named = _given(given)
            with TemporaryDirectory() as folder:
                card = _prefilled(card, given, Path(folder))
            with database.write() as connection:
                made = drafts.make(connection, person, card, template(named) if named else None)
        except RefusedError:
            raise
        except AssayError as error:
            return listing(request, person, 400, str(error))
        return RedirectResponse(f"/cards/{made}", 303)


def _add_reading(app: FastAPI, server: Server) -> None:
    signed_in, database, pages = Depends(server.signed_in), server.database, server.pages

    def own(person: Who, id: str) -> drafts.Draft:
        with database.read() as connection:
            return drafts.held(connection, person, id)

    @app.get("/cards/{id}/preview", include_in_schema=False)
    def preview(request: Request, id: str, person: Who = signed_in) -> Response:
        card = own(person, id).card()
        try:
            shown = contents(card)
        except AssayError:  # front matter that cannot be read, as the editor says
            shown = contents(replace(card, front=""))
        return pages.answer(request, "card_preview.html", person, id=id, card=shown)

    @app.get("/cards/{id}/card.md", include_in_schema=False)
    def download(id: str, person: Who = signed_in) -> Response:
        text = own(person, id).card().markdown()
        attached = {"Content-Disposition": 'attachment; filename="card.md"'}
        return Response(text.encode(), media_type="text/markdown; charset=utf-8", headers=attached)


def _add_writing(app: FastAPI, server: Server) -> None:
    signed_in, form = Depends(server.signed_in), Depends(server.form)
    database, pages = server.database, server.pages

    def editor(
        request: Request, person: Who, draft: drafts.Draft, sheet: Sheet | None = None, status: int = 200, **told: Any
    ) -> Response:
        shown = sheet or draft.sheet
        checked = shown.checked(draft.form)
        fields = list(shown.fields(draft.form))
        lacking = {each.key: each for each in reversed(checked.findings) if each.key}
        state: dict[str, Any] = {"conflict": False, "problem": "", "done": False, **told}
        saved = {field.name: field.text for field in draft.sheet.fields(draft.form)}
        return pages.answer(
            request, "card_edit.html", person, status, draft=draft, fields=fields, checked=checked, lacking=lacking,
            share=round(SHARE * checked.complete), saved=saved, datasets=sorted(DATASETS), placeholder=PLACEHOLDER,
            **state,
        )  # fmt: skip

    @app.get("/cards/{id}", include_in_schema=False)
    def edit(request: Request, id: str, done: bool = False, person: Who = signed_in) -> Response:
        with database.read() as connection:
            draft = drafts.held(connection, person, id)
        return editor(request, person, draft, done=done)

    @app.post("/cards/{id}", include_in_schema=False)
    def save(request: Request, id: str, person: Who = signed_in, given: FormData = form) -> Response:
        """What was written is kept in its place, as a copy, or (where it changed elsewhere) shown again: never lost."""
        with database.write() as connection:
            draft = drafts.held(connection, person, id)
            sheet = draft.sheet.taken(given)
            if given.get("action") == "copy":
                return RedirectResponse(f"/cards/{drafts.make_of(connection, person, sheet, draft.form)}?done=1", 303)
            version = draft.version if given.get("action") == "over" else _version(given)
            try:
                drafts.keep(connection, person, draft, sheet, version)
            except drafts.ConflictError:
                return editor(request, person, draft, sheet, 409, conflict=True)
        return RedirectResponse(
            f"/cards/{id}/preview" if given.get("action") == "preview" else f"/cards/{id}?done=1", 303
        )

    @app.post("/cards/{id}/autosave", include_in_schema=False)
    def autosave(id: str, person: Who = signed_in, given: FormData = form) -> Response:
        """As above, for the page's script, with what the card still lacks."""
        conflict = False
        with database.write() as connection:
            draft = drafts.held(connection, person, id)
            sheet = draft.sheet.taken(given)
            try:
                version = drafts.keep(connection, person, draft, sheet, _version(given))
            except drafts.ConflictError:
                conflict, version = True, _version(given)
        checked = sheet.checked(draft.form)
        told = checked.plain() | {"version": version, "share": round(SHARE * checked.complete)}
        keyed = [each | {"key": of.key} for each, of in zip(told["findings"], checked.findings, strict=True)]
        return json_answer(told | {"findings": keyed, "conflict": conflict}, 409 if conflict else 200)

    @app.post("/cards/{id}/prefill", include_in_schema=False)
    def prefill(request: Request, id: str, person: Who = signed_in, given: FormData = form) -> Response:
        """What software knows, into fields that nobody wrote in. What the form holds is saved with it."""
        with database.read() as connection:
            draft = drafts.held(connection, person, id)
        sheet = draft.sheet.taken(given)
        try:
            with TemporaryDirectory() as folder:
                filled = _prefilled(sheet.card(draft.form, draft.title), given, Path(folder))
            with database.write() as connection:
                drafts.keep(connection, person, draft, sheet_of(filled, draft.form), _version(given))
        except drafts.ConflictError:
            return editor(request, person, draft, sheet, 409, conflict=True)
        except AssayError as error:
            return editor(request, person, draft, sheet, 400, problem=str(error))
        return RedirectResponse(f"/cards/{id}?done=1", 303)

    @app.post("/cards/{id}/delete", include_in_schema=False)
    def delete(id: str, person: Who = signed_in, given: FormData = form) -> Response:
        if not given.get("sure"):
            raise RefusedError("say that you are sure: a card that is deleted is gone", 400)
        with database.write() as connection:
            drafts.remove(connection, person, id)
        return RedirectResponse("/cards", 303)


def _version(given: FormData) -> int:
    said = str(given.get("version", ""))
    return int(said) if said.isdecimal() and len(said) < 10 else -1


def _given(given: FormData) -> tuple[Card, str]:
    """A card from a file that was sent, else an empty one; and which template, where somebody chose one."""
    sent = given.get("file")
    if isinstance(sent, UploadFile) and sent.filename:
        with TemporaryDirectory() as folder:
            return _from_file(sent, Path(folder)), ""
    named = str(given.get("template", ""))
    return new_card(template(named), " ".join(str(given.get("title", "")).split())[:200]), named


def _from_file(sent: UploadFile, folder: Path) -> Card:
    path = _stored(sent, folder)
    try:
        card = read_card(path)
        card.facts  # noqa: B018
    except AssayError as error:
        raise AssayError(str(error).replace(str(path), _name(sent))) from None
    return replace(card, where=_name(sent))


def _prefilled(card: Card, given: FormData, folder: Path) -> Card:
    dataset = str(given.get("dataset", ""))
    if dataset and dataset not in DATASETS:
        raise AssayError(f"no dataset called {dataset[:80]}; choose one of the list")
    sent = given.get("examples")
    paths = [_stored(sent, folder)] if isinstance(sent, UploadFile) and sent.filename else []
    if not dataset and not paths:
        return card
    try:
        return fill(card, paths, dataset)[0]
    except AssayError as error:
        raise AssayError(str(error).replace(str(paths[0]), _name(sent)) if paths else str(error)) from None


def _stored(sent: UploadFile, folder: Path) -> Path:
    path = folder / "sent"
    path.write_bytes(sent.file.read())
    return path


def _name(sent: Any) -> str:
    return str(sent.filename)[:100]
