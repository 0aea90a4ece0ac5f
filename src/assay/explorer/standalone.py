"""The built pages: as files for the server, and as one self-contained file that opens from disk."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from contextlib import suppress
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError
from assay.explorer.differences import every_difference
from assay.explorer.payloads import Embedded
from assay.explorer.subset_intervals import affordable_pairs
from assay.records.files import json_bytes
from assay.seeds import rng_for
from assay.show.sheet import embedded_font

if TYPE_CHECKING:
    from assay.explorer.dialogue_payloads import DialoguePage
    from assay.explorer.human_payloads import HumanPage
    from assay.explorer.payloads import ExamplePage, SubsetPage
    from assay.explorer.queries import Queries
    from assay.explorer.texts import Texts

KINDS = {
    "index.html": "text/html; charset=utf-8",
    "pages.js": "text/javascript",
    "pages.css": "text/css",
    "pages.woff2": "font/woff2",
}
HOW = "the pages are not built. Run `make pages` in the source folder (requires node and npm), or install a wheel."

FONT = re.compile(r"url\([^)]*\.woff2\)")
"""Where the style sheet names the font."""
MOST_ITEMS = 210
"""Maximum number of items of a dataset in a one-file report."""
AT_RANDOM = 40
"""Number of them drawn at random, so that the file does not show differences only."""
RANKS = 3
"""Number of items kept for each pair of systems, metric and direction, as many as a comparison shows."""
MOST_HISTOGRAMS = 600
"""Maximum number of histograms of differences of each dataset in a one-file report (some 200 bytes each)."""
MOST_DIALOGUES = 100
"""Maximum number of dialogues of each set in a one-file report."""

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
<noscript>These pages require JavaScript. Use assay report --plain for a report without it.</noscript>
<div id="app"></div>
<script type="text/plain" id="data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def folder() -> Path:
    return Path(str(files("assay.explorer"))) / "static"


def built() -> bool:
    return all((folder() / name).is_file() for name in KINDS)


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return content and media type of each file, by name."""
    return {name: ((folder() / name).read_bytes(), kind) for name, kind in KINDS.items()}


def single_page(queries: Queries) -> str:
    """Return the one-file report."""
    pages = static_files()
    script = pages["pages.js"][0].decode().replace("</script", "<\\/script")
    style = FONT.sub(f"url({embedded_font()})", pages["pages.css"][0].decode())
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data: blob:; "
        "font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return PAGE.format(policy=policy, style=style, data=packed(embedded(queries)), script=script)


def packed(data: Embedded) -> str:
    """Return data as compressed JSON in base64, a quarter of its size; equal data give equal text."""
    return base64.b64encode(gzip.compress(json_bytes(data), compresslevel=9, mtime=0)).decode()


def unpacked(page: str) -> bytes:
    """Return the JSON that a one-file report contains."""
    _, _, rest = page.partition('id="data">')
    return gzip.decompress(base64.b64decode(rest.partition("<")[0]))


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def embedded(queries: Queries) -> Embedded:
    """Return all data of the pages; of large datasets some of the items, with a note."""
    overview = queries.overview_page
    examples = {dataset: kept_examples(queries.texts(dataset)) for dataset in overview.stored}
    comparisons, untested = queries.comparisons()
    return Embedded(
        overview=msgspec.structs.replace(overview, notes=[*overview.notes, *untested]),
        comparisons=comparisons,
        parents=[page for dataset in overview.stored if (page := queries.parents(dataset)).comparisons],
        tables=[queries.table(dataset) for dataset in overview.stored],
        examples=examples,
        differences=[
            page
            for dataset in overview.stored
            for page in islice(every_difference(queries.texts(dataset)), MOST_HISTOGRAMS)
        ],
        subsets=[page for dataset in overview.stored for page in _subsets(queries, dataset)],
        correlations=[page for dataset in overview.judged for page in _correlations(queries, dataset)],
        dialogue_sets=[queries.dialogues(name) for name in overview.dialogues],
        dialogues=[page for name in overview.dialogues for page in _dialogues(queries, name)],
        cards=queries.cards,
    )


def kept_examples(texts: Texts) -> ExamplePage:
    """Return all items of a small dataset; of a large one those that differ most, and a random sample of the others."""
    texts.prepare()
    total = len(texts.index)
    if total <= MOST_ITEMS:
        return texts.page_of(range(total))
    ranks, different = RANKS, texts.most_different(RANKS)
    while ranks and len(different) > MOST_ITEMS - AT_RANDOM:
        ranks -= 1
        different = texts.most_different(ranks)
    rest = sorted(set(range(total)).difference(different))
    sample = rng_for(0, "one-file report", texts.results.name).sample(rest, min(len(rest), MOST_ITEMS - len(different)))
    most = "those on which each pair of systems differs most by each metric" if ranks else ""
    most += f" ({ranks} in each direction), and " if ranks else ""
    note = (
        f"This file contains {len(different) + len(sample):,} of {total:,} items: {most}{len(sample)} drawn at random. "
        "Open the results with assay view for all of them."
    )
    return texts.page_of([*different, *sample], [note])


def _subsets(queries: Queries, dataset: str) -> list[SubsetPage]:
    """Return intervals by subset of as many pairs as are computed within seconds; of others the page has none."""
    overview = queries.overview_page
    if dataset not in overview.datasets:  # none of its runs is readable
        return []
    own = overview.datasets.index(dataset)
    runs = [
        place
        for place, (kind, of) in enumerate(zip(overview.runs.kind, overview.runs.dataset, strict=True))
        if kind == "subset" and of == own
    ]
    rows = {overview.runs.subset[place] for place in runs}
    if not rows:
        return []
    metrics = [axis for axis in overview.axes if any(axis.values[place] is not None for place in runs)]
    pages = []
    for a, b in affordable_pairs(queries.library.dataset(dataset), len(rows), len(metrics)):
        with suppress(AssayError):  # no common items
            pages.append(queries.subsets(dataset, a, b))
    return pages


def _dialogues(queries: Queries, name: str) -> list[DialoguePage]:
    """Return the first dialogues; the page names others as missing from the file."""
    return [queries.dialogue(name, entry.id) for entry in queries.dialogues(name).dialogues[:MOST_DIALOGUES]]


def _correlations(queries: Queries, dataset: str) -> list[HumanPage]:
    """Return the page of every criterion; empty if it cannot be computed, which the page then states."""
    try:
        first = queries.correlation(dataset)
    except AssayError:
        return []
    return [queries.correlation(dataset, criterion) for criterion in first.criteria] or [first]
