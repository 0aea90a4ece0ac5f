"""GEM's ids (`web_nlg_en-test-0`): the place of an item in its split, whatever its publishers call it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from assay.errors import AssayError
from assay.records.types import Example

GEM_ID = re.compile(r"(?P<config>\w+)-(?P<split>\w+)-(?P<index>0|[1-9][0-9]{0,8})")


def published_ids(ids: Sequence[str], examples: Sequence[Example], names: tuple[str, str]) -> dict[str, str]:
    """Which examples those of the ids stand for that are GEM's; those that are known already stand for themselves.

    The examples of a split count in the order of their file, which is the order in which they were published.
    """
    known = {example.id for example in examples}
    read = {id: match for id in ids if id not in known and (match := GEM_ID.fullmatch(id))}
    sets = Counter((match["config"], match["split"]) for match in read.values())
    if not sets or 2 * len(read) < len(set(ids) - known):
        return {}
    (config, split), _ = sets.most_common(1)[0]
    if any((own := GEM_ID.fullmatch(id)) and (own["config"], own["split"]) == (config, split) for id in known):
        return {}  # the examples have such ids themselves, and these are others
    own_ids = [example.id for example in examples if example.split == split]
    if not own_ids and any(example.split for example in examples):
        return {}
    own_ids = own_ids or [example.id for example in examples]
    places = {id: int(m["index"]) for id, m in read.items() if (m["config"], m["split"]) == (config, split)}
    beyond = next((id for id, place in places.items() if place >= len(own_ids)), None)
    if beyond:
        outputs, items = names
        raise AssayError(
            f"{outputs}: {beyond} is beyond the {len(own_ids):,} items of {items}. GEM counts a row for each reference "
            "in E2E and Czech Restaurant (read them with rows=pair), and inputs once elsewhere"
        )
    return {id: own_ids[place] for id, place in places.items()}
