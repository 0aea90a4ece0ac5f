"""Traps and attention checks: texts with a known answer, and texts that ask for the previous answers again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.datasets.frank_typology import LABELS
from assay.errors import AssayError
from assay.records.documents import parse_json
from assay.records.files import read_text
from assay.seeds import rng_for
from assay.studies.design import Design
from assay.studies.events import Check, Task

CATEGORIES = {
    "F0": "", "F1": "RelE", "F4": "OutE", "F5": "GramE", "F6": "CorefE", "relation": "RelE", "pronoun": "CorefE",
    "entity": "EntE", "circumstance": "CircE", "not in the document": "OutE", "grammar": "GramE",
}  # fmt: skip
"""Names of altered sentences in FRANK's files and in those of `assay metric traps`, and the error code they expect."""
ATTENTION = "Attention check: please give the same answers here as for the text just before this one."


def read_traps(path: Path) -> dict[str, list[Check]]:
    """Read traps by document: lines with `document` (or `hash`), `text`, and `expected`, `error` or `code`."""
    traps: dict[str, list[Check]] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        record = parse_json(line, where)
        if not isinstance(record, dict):
            raise AssayError(f"{where}: not an object with document, text and expected")
        document = record.get("document", record.get("hash"))
        if document is None or not isinstance(record.get("text"), str):
            raise AssayError(f"{where}: document and text of the trap are required")
        traps.setdefault(str(document), []).append(Check("trap", record["text"], _expected(record, where)))
    return traps


def _expected(record: Mapping[str, Any], where: str) -> str:
    stated = next((str(record[name]) for name in ("expected", "error", "code") if record.get(name) is not None), None)
    if stated is None:
        if record.get("value") == 1:  # an unaltered control sentence has no error code
            return ""
        raise AssayError(f"{where}: the expected answer of the trap is missing; add expected, error or code")
    if stated in CATEGORIES:
        return CATEGORIES[stated]
    if stated and stated not in LABELS and not stated.lstrip("<>=-").replace(".", "", 1).isdecimal():
        raise AssayError(f"{where}: '{stated[:40]}' is not an error code, a value or a bound such as <=2")
    return stated


def with_checks(design: Design, tasks: Iterable[Task], traps: Mapping[str, list[Check]]) -> list[Task]:
    """Return the tasks with the traps and attention checks of the design; too few traps are an error."""
    checked = []
    for task in tasks:
        checks = list(task.checks)
        wanted = design.quality.traps_per_task
        if wanted:
            document = task.texts[0].id
            available = traps.get(document, traps.get(document.rpartition("/")[0], []))
            if len(available) < wanted:
                raise AssayError(
                    f"task {task.id}: {len(available)} traps for {document}, {wanted} are required; add them with"
                    " --traps (see `assay metric traps make`), or set quality.traps_per_task to 0"
                )
            checks += rng_for(design.seed, "traps", task.id).sample(available, wanted)
        checks += [Check("attention", ATTENTION)] * design.quality.attention_checks
        checked.append(msgspec.structs.replace(task, checks=tuple(checks)))
    return checked


def reading_question(counts: Mapping[str, int], foreign: str, seed: object) -> list[str]:
    """Return three names in random order: the two most frequent of an article, and one that is not in it."""
    if foreign in counts:
        raise AssayError(f"'{foreign}' occurs in the article; a reading test needs a name that does not")
    frequent = sorted(counts, key=lambda name: (-counts[name], name))[:2]
    if len(frequent) < 2:
        raise AssayError("a reading test needs an article with at least two names")
    names = [*frequent, foreign]
    rng_for(seed, "reading").shuffle(names)
    return names
