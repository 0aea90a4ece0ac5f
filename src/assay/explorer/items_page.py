"""The items that contribute most to the difference between two systems, as one page without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.records.files import replacing
from assay.show.numbers import number
from assay.show.sheet import sheet
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.execution.deciding_texts import DecidingText
    from assay.results.contributing_items import ContributingItems
    from assay.show.numbers import Shown


def write_items_page(path: Path, deciding: ContributingItems, texts: Sequence[DecidingText], part: Shown) -> None:
    """Write every item with its references and both outputs, with word-level differences."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("assay.explorer"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    contributions = [f"{text.item.contribution * part.scale:+.{part.digits + 2}f}" for text in texts]
    page = environment.get_template("items.html").render(
        sheet=Markup(sheet()),
        deciding=deciding,
        texts=list(zip(texts, contributions, strict=True)),
        difference=number(deciding.difference, part, signed=True),
        shown=lambda value: number(value, part),
        version=VERSION,
    )
    with replacing(path, "w") as stream:
        stream.write(page)
