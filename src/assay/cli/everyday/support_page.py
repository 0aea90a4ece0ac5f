"""The page of `assay support`: outputs with highlighted sentences, each with verdict, reason and evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from assay.metrics.support.checker import Checked
from assay.records.items import Items
from assay.show.escape import html
from assay.show.sheet import sheet
from assay.version import VERSION

VERDICTS = {"supported": "new", "unsupported": "mark", "contradicted": "gone", "not_checkable": "panel"}
"""The background of a verdict's sentences: a custom property of the shared style sheet."""
WORST = ("contradicted", "unsupported", "supported", "not_checkable")
STYLE = "\n".join(
    (
        "article { margin: var(--4) 0; }",
        "mark { padding: 0 var(--1); border-radius: var(--1); }",
        "dl { display: grid; grid-template-columns: minmax(6rem, 9rem) 1fr; gap: var(--1) var(--3);",
        "  margin: var(--3) 0 0; font-size: var(--s); }",
        "dt { color: var(--soft); overflow-wrap: anywhere; }",
        "dd { margin: 0; overflow-wrap: anywhere; }",
        "article p { overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: plaintext; }",
        *(f"mark.{name} {{ background: var(--{color}); }}" for name, color in VERDICTS.items()),
    )
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:"


def support_page(systems: Mapping[str, tuple[Items, list[list[Checked]]]], checker: str) -> str:
    """Return a page that needs no other file and no script."""
    return "\n".join(_lines(systems, checker)) + "\n"


def _lines(systems: Mapping[str, tuple[Items, list[list[Checked]]]], checker: str) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8"><title>Support of outputs by their sources · assay</title>'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<style>{sheet()}{STYLE}</style></head><body class="report">'
    yield '<header><div class="bar-top"><span class="logo">assay</span></div>'
    yield "<h1>Support of outputs by their sources</h1>"
    legend = " ".join(f'<mark class="{name}">{name.replace("_", " ")}</mark>' for name in VERDICTS)
    yield f"<p>{legend} · checker {html(checker)}</p></header><main>"
    for system, (items, checked) in systems.items():
        for output, own in zip(items.outputs, checked, strict=True):
            id = own[0].id if own else ""
            yield f'<article class="box"><h2>{html(system)} · {html(id)}</h2><p>{_highlighted(output, own)}</p>'
            for one in own:
                if one.verdict in ("unsupported", "contradicted"):
                    yield from _finding(one)
            yield "</article>"
    yield f'</main><footer class="soft"><p>Written by assay {VERSION}.</p></footer></body></html>'


def _highlighted(output: str, own: list[Checked]) -> str:
    """Return an output with each sentence marked by the worst verdict of its claims."""
    parts, place = [], 0
    for (start, end), claims in groupby(own, lambda one: (one.claim.sentence.start, one.claim.sentence.end)):
        mine = list(claims)
        worst = min(mine, key=lambda one: WORST.index(one.verdict)).verdict
        title = html("; ".join(_title(one) for one in mine))
        parts += [html(output[place:start]), f'<mark class="{worst}" title="{title}">', html(output[start:end])]
        parts.append("</mark>")
        place = end
    return "".join(parts) + html(output[place:])


def _title(one: Checked) -> str:
    chance = "" if one.probability is None else f" ({one.probability:.2f})"
    return f"{one.verdict.replace('_', ' ')}{chance} {one.reason}".strip()


def _finding(one: Checked) -> Iterator[str]:
    yield "<dl>"
    yield f"<dt>{one.verdict}</dt><dd>{html(one.claim.sentence.text)}</dd>"
    yield f"<dt>reason</dt><dd>{html(one.reason)} (probability of support {one.probability:.2f})</dd>"
    for each in one.evidence:
        yield f"<dt>evidence {html(each.context)}</dt><dd>{html(each.sentence.text)}</dd>"
    yield "</dl>"
