"""HTML pages: escaped templates with texts from a catalogue in the user's language.

A package adds its own `templates/` and `catalogue/en.toml`, `catalogue/de.toml` with `Pages.add_room`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import BaseLoader, ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined

from assay.errors import AssayError
from assay.records.documents import read_toml
from assay.serving.accounts import VISITOR, User
from assay.serving.forms import csrf_field, csrf_token
from assay.serving.secret import Secret
from assay.serving.settings import Settings

LANGUAGES = {"en": "English", "de": "Deutsch"}
COOKIE = "assay-language"
REFUSAL = "refusal."
"""Part of the catalogue with reasons of refusals, which are found by their English text."""


class Pages:
    """The templates and texts of a server."""

    def __init__(self, settings: Settings, secret: Secret) -> None:
        self.settings = settings
        self.secret = secret
        self.texts: dict[str, dict[str, str]] = {language: {} for language in LANGUAGES}
        self.links: list[tuple[str, str]] = []
        """Navigation links of every page: address and text key."""
        self._loaders: list[BaseLoader] = []
        self._environment = Environment(
            autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._environment.filters["day"] = _day
        self._environment.filters["moment"] = _moment
        self.add_room("assay.serving")

    def add_room(self, package: str) -> None:
        """Add the templates and the catalogue of a package."""
        folder = Path(str(files(package)))
        self._loaders.append(FileSystemLoader(folder / "templates"))
        self._environment.loader = ChoiceLoader(self._loaders)
        for language, known in self.texts.items():
            known.update(catalogue(folder, language))

    def add_templates(self, source: Callable[[str], str | None]) -> None:
        """Take templates from a function, too: name to source, or None for a name it does not have."""
        self._loaders.append(FunctionLoader(source))
        self._environment.loader = ChoiceLoader(self._loaders)

    def text(self, language: str, key: str, **values: object) -> str:
        """Return a text of the catalogue with values filled in; templates escape the result."""
        return self.texts[language][key].format(**values)

    def refusal(self, request: Request, why: str) -> str:
        """Return the reason of a refusal in the user's language; as it is if the catalogue does not have it."""
        names = [key.removeprefix(REFUSAL) for key, text in self.texts["en"].items() if text == why]
        known = self.texts[self.language(request)]
        return next((known[f"refusal.{name}"] for name in names if f"refusal.{name}" in known), why)

    def language(self, request: Request) -> str:
        """Return the language that the user chose, or the first supported one that the browser accepts."""
        chosen = request.cookies.get(COOKIE, "")
        wanted = [chosen, *(part.split(";")[0].strip()[:2] for part in _accepted(request))]
        return next((each for each in wanted if each in LANGUAGES), "en")

    def answer(
        self, request: Request, template: str, who: User = VISITOR, status: int = 200, *, csrf: str | None = None,
        **values: Any,
    ) -> Response:  # fmt: skip
        """Render a template.

        Templates know `t("key")`, `who`, `csrf_field`, `links`, `path`, `language`, `languages`, `site` and `values`.

        Args:
            request: The request that is answered.
            template: Name of the template.
            who: The user.
            status: HTTP status.
            csrf: Token of the page's forms (default: that of the user's session).
            values: Further values for the template.
        """
        language = self.language(request)

        def t(key: str, **inside: object) -> str:
            return self.text(language, key, **inside)

        token = csrf_token(self.secret, who.session) if csrf is None else csrf
        page = self._environment.get_template(template).render(
            t=t, who=who, csrf_field=csrf_field(token), links=self.links, path=request.url.path, language=language,
            languages=LANGUAGES, site=self.settings.title, **values,
        )  # fmt: skip
        return HTMLResponse(page, status)


def catalogue(folder: Path, language: str) -> dict[str, str]:
    """Read the texts of a package in a language: `[page] key = "..."` has the key `page.key`."""
    path = folder / "catalogue" / f"{language}.toml"
    if not path.exists():
        raise AssayError(f"{path}: no such file. Each package with pages needs a catalogue for each language.")
    return {f"{part}.{key}": text for part, texts in read_toml(path).items() for key, text in texts.items()}


def _accepted(request: Request) -> list[str]:
    return request.headers.get("accept-language", "")[:200].split(",")


def _day(text: str | None) -> str:
    return (text or "")[:10]


def _moment(text: str | None) -> str:
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M:%S") if text else ""
