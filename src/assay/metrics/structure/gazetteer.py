"""Gazetteer: a baseline extractor that finds fillers of other templates verbatim, each with its most frequent role."""

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
    """Return the template of the known fillers that occur in a text, longest match first."""
    known = _known(path, roles, file_digest(path))
    longest = max(len(filler.split()) for filler in known)
    words = without_articles(text).split()
    entities: dict[str, list[frozenset[str]]] = {}
    at = 0
    while at < len(words):
        for size in range(min(longest, len(words) - at), 0, -1):
            filler = " ".join(words[at : at + size])
            if filler in known:
                of_role = entities.setdefault(known[filler], [])
                if not merged or frozenset((filler,)) not in of_role:
                    of_role.append(frozenset((filler,)))
                at += size - 1
                break
        at += 1
    return [Template("", entities)] if entities else []


@lru_cache(maxsize=2)
def _known(path: str, roles: tuple[str, ...], digest: str | None) -> Mapping[str, str]:
    """Return the most frequent role of each filler; the digest is an argument, so that a changed file is read again."""
    counts: dict[str, Counter[str]] = {}
    for example in read_examples(path).examples:
        for template in gold_templates(example):
            for role in roles:
                for filler in (one for entity in template.roles.get(role, ()) for one in entity):
                    counts.setdefault(filler, Counter())[role] += 1
    if not counts:
        raise AssayError(
            f"{path}: no event template with fillers of {', '.join(roles)}. Give other examples or an extractor."
        )
    return {filler: roles_of_filler.most_common(1)[0][0] for filler, roles_of_filler in counts.items()}
