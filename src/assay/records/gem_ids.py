"""GEM ids (`web_nlg_en-test-0`), which number the items of a split."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from assay.errors import AssayError
from assay.records.types import Example

GEM_ID = re.compile(r"(?P<config>\w+)-(?P<split>\w+)-(?P<index>0|[1-9][0-9]{0,8})")


def published_ids(ids: Sequence[str], examples: Sequence[Example], names: tuple[str, str]) -> dict[str, str]:
    """Return the id of the example for each GEM id; ids that examples have themselves are left out.

    Items of a split are counted in the order of the file, which is the order of publication.
    """
    known = {example.id for example in examples}
    read = {id: match for id in ids if id not in known and (match := GEM_ID.fullmatch(id))}
    sets = Counter((match["config"], match["split"]) for match in read.values())
    if not sets or 2 * len(read) < len(set(ids) - known):
        return {}
    (config, split), _ = sets.most_common(1)[0]
    if any((own := GEM_ID.fullmatch(id)) and (own["config"], own["split"]) == (config, split) for id in known):
        return {}  # the examples have GEM ids, and these are not among them
    own_ids = [example.id for example in examples if example.split == split]
    if not own_ids and any(example.split for example in examples):
        return {}
    own_ids = own_ids or [example.id for example in examples]
    indices = {id: int(m["index"]) for id, m in read.items() if (m["config"], m["split"]) == (config, split)}
    beyond = next((id for id, index in indices.items() if index >= len(own_ids)), None)
    if beyond:
        outputs, items = names
        raise AssayError(
            f"{outputs}: {beyond} is beyond the {len(own_ids):,} items of {items}. In E2E and Czech Restaurant, GEM "
            "counts a row per reference: read these datasets with rows=pair."
        )
    return {id: own_ids[index] for id, index in indices.items()}
