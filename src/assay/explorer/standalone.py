"""The built pages: as files for a server, and as one file with script, style and data inside that opens from disk."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError
from assay.explorer.payloads import Embedded
from assay.records.files import json_bytes

if TYPE_CHECKING:
    from assay.explorer.dialogue_payloads import DialoguePage
    from assay.explorer.people_payloads import PeoplePage
    from assay.explorer.queries import Queries

KINDS = {"index.html": "text/html; charset=utf-8", "pages.js": "text/javascript", "pages.css": "text/css"}
HOW = "the pages are not built; run `make pages` in the source folder (it needs node and npm), or install a wheel"

MOST_DIALOGUES = 100
"""Of each set, turn by turn in one file."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>assay</title>
<style>{style}</style>
</head>
<body>
<noscript>These pages draw themselves with a script. assay report --plain writes a report without one.</noscript>
<div id="app"></div>
<script type="application/json" id="data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def folder() -> Path:
    return Path(str(files("assay.explorer"))) / "static"


def built() -> bool:
    return all((folder() / name).is_file() for name in KINDS)


def static_files() -> dict[str, tuple[bytes, str]]:
    """Content and kind of each file, by the name a browser asks for."""
    return {name: ((folder() / name).read_bytes(), kind) for name, kind in KINDS.items()}


def single_page(queries: Queries) -> str:
    """The whole file's text."""
    found = static_files()
    script = found["pages.js"][0].decode().replace("</script", "<\\/script")
    style = found["pages.css"][0].decode()
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    data = json_bytes(embedded(queries)).decode()
    # Inside a script element only "<" can end it; as an escape it is the same JSON.
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return PAGE.format(policy=policy, style=style, data=data, script=script)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def embedded(queries: Queries) -> Embedded:
    """Everything the pages may ask for. Of large datasets the first items only, and the file says so."""
    from assay.explorer.texts import MOST

    overview = queries.overview_page
    examples = {}
    for dataset in overview.stored:
        held = queries.examples(dataset, [("limit", str(MOST))])
        if held.total > MOST:
            notes = [*held.notes, f"the first {MOST} of {held.total} items are in this file"]
            held = msgspec.structs.replace(held, notes=notes)
        examples[dataset] = held
    comparisons, untested = queries.comparisons()
    return Embedded(
        overview=msgspec.structs.replace(overview, notes=[*overview.notes, *untested]),
        comparisons=comparisons,
        parents=[page for dataset in overview.stored if (page := queries.parents(dataset)).comparisons],
        tables=[queries.table(dataset) for dataset in overview.stored],
        examples=examples,
        people=[page for dataset in overview.people for page in _people(queries, dataset)],
        dialogue_sets=[queries.dialogues(name) for name in overview.dialogues],
        dialogues=[page for name in overview.dialogues for page in _dialogues(queries, name)],
        cards=queries.cards,
    )


def _dialogues(queries: Queries, name: str) -> list[DialoguePage]:
    """The first; the page says of others that they are not in the file."""
    return [queries.dialogue(name, entry.id) for entry in queries.dialogues(name).dialogues[:MOST_DIALOGUES]]


def _people(queries: Queries, dataset: str) -> list[PeoplePage]:
    """What cannot be computed is missing from the file; the page then says that it is."""
    try:
        first = queries.people(dataset)
    except AssayError:
        return []
    return [queries.people(dataset, criterion) for criterion in first.criteria] or [first]
