"""Traps and attention checks for tasks: altered sentences from a file, and texts that ask for the same again."""

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
"""What altered sentences are called, in FRANK's files and in ours, and the error that an attentive reader names."""
ATTENTION = "Attention check: please give the same answers here as for the text just before this one."


def read_traps(path: Path) -> dict[str, list[Check]]:
    """Traps by document: lines with `document` (or `hash`), `text`, and `expected`, `error` or `code`."""
    found: dict[str, list[Check]] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        record = parse_json(line, where)
        if not isinstance(record, dict):
            raise AssayError(f"{where}: not an object with document, text and expected")
        document = record.get("document", record.get("hash"))
        if document is None or not isinstance(record.get("text"), str):
            raise AssayError(f"{where}: a trap needs document and text")
        found.setdefault(str(document), []).append(Check("trap", record["text"], _expected(record, where)))
    return found


def _expected(record: Mapping[str, Any], where: str) -> str:
    given = next((str(record[name]) for name in ("expected", "error", "code") if record.get(name) is not None), None)
    if given is None:
        if record.get("value") == 1:  # a control, whose error is left out
            return ""
        raise AssayError(f"{where}: a trap needs expected, error or code: what an attentive reader says")
    if given in CATEGORIES:
        return CATEGORIES[given]
    if given and given not in LABELS and not given.lstrip("<>=-").replace(".", "", 1).isdecimal():
        raise AssayError(f"{where}: '{given[:40]}' is no kind of error, value or bound that is known")
    return given


def with_checks(design: Design, tasks: Iterable[Task], traps: Mapping[str, list[Check]]) -> list[Task]:
    """Tasks with as many traps and attention checks as the design says; too few traps of a document are an error."""
    made = []
    for task in tasks:
        checks = list(task.checks)
        wanted = design.quality.traps_per_task
        if wanted:
            document = task.texts[0].id
            ready = traps.get(document, traps.get(document.rpartition("/")[0], []))
            if len(ready) < wanted:
                raise AssayError(
                    f"task {task.id}: {len(ready)} traps for {document}, and the design wants {wanted}; give enough of"
                    " them with --traps (assay metric traps make writes them), or set quality.traps_per_task to 0"
                )
            checks += rng_for(design.seed, "traps", task.id).sample(ready, wanted)
        checks += [Check("attention", ATTENTION)] * design.quality.attention_checks
        made.append(msgspec.structs.replace(task, checks=tuple(checks)))
    return made


def reading_question(counts: Mapping[str, int], foreign: str, seed: object) -> list[str]:
    """Three names in random order: the two most frequent of an article, and one that is not in it."""
    if foreign in counts:
        raise AssayError(f"'{foreign}' is in the article; a reading test needs a name that is not")
    known = sorted(counts, key=lambda name: (-counts[name], name))[:2]
    if len(known) < 2:
        raise AssayError("a reading test needs two names of the article")
    names = [*known, foreign]
    rng_for(seed, "reading").shuffle(names)
    return names
