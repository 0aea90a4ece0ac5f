"""The same pages as one file: script, style and data inside, no network, opens from disk."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.explorer.queries import Shelf
from assay.explorer.static_files import static_files
from assay.explorer.texts import MOST

COMPARISONS = 200
"""Pairs of systems on a dataset whose paired tests are put into the file."""

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


def single_page(paths: Sequence[Path]) -> tuple[str, int]:
    """The file's text and the number of datasets in it."""
    shelf = Shelf(paths)
    files = static_files()
    script = files["pages.js"][0].decode().replace("</script", "<\\/script")
    style = files["pages.css"][0].decode()
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    data = msgspec.json.encode(embedded(shelf)).decode()
    # Inside a script element only "<" can end it; as an escape it is the same JSON.
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    text = PAGE.format(policy=policy, style=style, data=data, script=script)
    return text, len(shelf.board_payload["datasets"])


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def embedded(shelf: Shelf) -> dict[str, Any]:
    """Everything the pages may ask for. Of large datasets the first items only, and the file says so."""
    board = dict(shelf.board_payload)
    rooms: list[str] = board["rooms"]
    comparisons: list[dict[str, Any] | None] = []
    for dataset in rooms:
        for a, b in combinations(shelf.library.room(dataset).results, 2):
            if len(comparisons) < COMPARISONS:
                comparisons.append(_or_none(lambda d=dataset, x=a, y=b: shelf.comparison(d, x, y)))
    examples = {}
    for dataset in rooms:
        held = shelf.examples(dataset, [("limit", str(MOST))])
        if held["total"] > MOST:
            held["notes"] = [*held["notes"], f"the first {MOST} of {held['total']} items are in this file"]
        examples[dataset] = held
    people = []
    for dataset in board["people"]:
        first = _or_none(lambda d=dataset: shelf.people(d))
        if first is not None:
            people += [shelf.people(dataset, criterion) for criterion in first["criteria"]] or [first]
    return {
        "board": board,
        "comparisons": [one for one in comparisons if one is not None],
        "examples": examples,
        "people": people,
        "cards": shelf.cards,
    }


def _or_none(make: Any) -> Any:
    """What cannot be computed is missing from the file; the page then says that it is."""
    try:
        return make()
    except AssayError:
        return None
