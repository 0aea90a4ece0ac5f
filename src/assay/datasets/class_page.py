"""A page on which an expert merges, splits, names and excludes spans; it saves the sheet that the commands read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files

from assay.datasets.class_building import Listed
from assay.show import escape


def class_page(listed: Sequence[Listed], title: str) -> str:
    """Return a single-file page for a sheet of spans; it loads nothing from elsewhere.

    Three hundred spans are shown at a time, so that thousands open at once; the filter finds the others.
    """
    rows = [{"span": x.span, "count": x.count, "class": x.proposed, "example": x.example} for x in listed]
    data = json.dumps(rows, ensure_ascii=False).replace("<", "\\u003c")
    page = files("assay.datasets").joinpath("class_page.html").read_text(encoding="utf-8")
    return page.replace("TITLE", escape.html(title)).replace("DATA", data)
