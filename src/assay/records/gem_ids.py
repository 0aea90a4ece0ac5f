"""GEM's ids (`web_nlg_en-test-0`): the place of an item in its split, whatever its publishers call it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.errors import AssayError
from assay.records.types import Example

GEM_ID = re.compile(r"(?P<config>\w+)-(?P<split>\w+)-(?P<index>\d{1,9})")


def published_ids(ids: Sequence[str], examples: Sequence[Example], names: tuple[str, str]) -> list[str] | None:
    """The ids of the examples that GEM's ids stand for, or None where they are no such ids.

    The examples of a split count in the order of their file, which is the order in which they were published.
    """
    found = [GEM_ID.fullmatch(id) for id in ids]
    read = [match for match in found if match]
    if not ids or len(read) < len(ids) or len({(match["config"], match["split"]) for match in read}) > 1:
        return None
    split = read[0]["split"]
    own = [example.id for example in examples if example.split == split]
    if not own and any(example.split for example in examples):
        return None
    own = own or [example.id for example in examples]
    beyond = next((match[0] for match in read if int(match["index"]) >= len(own)), None)
    if beyond:
        outputs, items = names
        raise AssayError(
            f"{outputs}: {beyond} is beyond the {len(own):,} items of {items}. GEM counts a row for each reference in "
            "E2E and Czech Restaurant (read them with rows=pair), and inputs once elsewhere"
        )
    return [own[int(match["index"])] for match in read]
