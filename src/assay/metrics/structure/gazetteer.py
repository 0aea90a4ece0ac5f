"""The trivial extractor: fillers that other templates have, found word for word, each with its usual role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from assay.errors import AssayError
from assay.metrics.structure.event_arguments import Template, gold_templates
from assay.models.code_digest import file_digest
from assay.records.read import read_examples
from assay.text.english import without_articles


def find_fillers(text: str, path: str, roles: tuple[str, ...], merged: bool) -> list[Template]:
    """What stands in a text of the fillers of these roles in a file of examples, the longest first."""
    known = _known(path, roles, file_digest(path))
    longest = max(len(filler.split()) for filler in known)
    words = without_articles(text).split()
    found: dict[str, list[frozenset[str]]] = {}
    at = 0
    while at < len(words):
        for size in range(min(longest, len(words) - at), 0, -1):
            filler = " ".join(words[at : at + size])
            if filler in known:
                held = found.setdefault(known[filler], [])
                if not merged or frozenset((filler,)) not in held:
                    held.append(frozenset((filler,)))
                at += size - 1
                break
        at += 1
    return [Template("", found)] if found else []


@lru_cache(maxsize=2)
def _known(path: str, roles: tuple[str, ...], digest: str | None) -> Mapping[str, str]:
    """Each filler with the role it has most often. Known by its content too: a file may change while we run."""
    counts: dict[str, Counter[str]] = {}
    for example in read_examples(path).examples:
        for template in gold_templates(example):
            for role in roles:
                for filler in (one for entity in template.roles.get(role, ()) for one in entity):
                    counts.setdefault(filler, Counter())[role] += 1
    if not counts:
        raise AssayError(
            f"{path}: no example has an event template with fillers of {', '.join(roles)}; give others, or a folder"
        )
    return {filler: held.most_common(1)[0][0] for filler, held in counts.items()}
