"""Traps and attention checks: texts with a known answer, and texts that ask for the previous answers again."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.inputs.typology import FRANK, NO_ERROR, Typology
from assay.records.documents import parse_json
from assay.records.files import read_text
from assay.seeds import rng_for
from assay.studies.design import Design, typology_of
from assay.studies.events import Check, Task
from assay.studies.kinds import kind_for
from assay.studies.support import paragraphs_of, supported_like
from assay.text.sentences import split_sentences

ATTENTION = "Attention check: please give the same answers here as for the text just before this one."


def read_traps(path: Path, design: Design | None = None, where: object = None) -> dict[str, list[Check]]:
    """Read traps by document: lines with `document` (or `hash`), `text`, and `expected`, `error` or `code`.

    An expected answer is a label of the design (default: a code of FRANK), one of its other names in the typology, a
    value or a bound. A trap may have the `sentences` of the text that it was made from, with its number `sentence`.
    """
    known = (typology_of(design, where) if design else None) or FRANK
    labels = {code for question in design.questions for code in question.labels} if design else {*known.labels}
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
        check = Check("trap", record["text"], _expected(record, where, known, labels), **_context(record, where))
        traps.setdefault(str(document), []).append(check)
    return traps


def _context(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the sentences of the text that a trap is part of, and the number of the trap among them, if stated."""
    sentences, number = record.get("sentences"), record.get("sentence")
    if sentences is None:
        return {}
    known = isinstance(sentences, list) and isinstance(number, int) and 0 <= number < len(sentences)
    if not known or sentences[number] != record["text"]:
        raise AssayError(f"{where}: sentences must be a list, and sentence the number of the trap's text in it")
    return {"sentences": tuple(map(str, sentences)), "sentence": number}


def _expected(record: Mapping[str, Any], where: str, known: Typology, labels: Collection[str]) -> str:
    stated = next((str(record[name]) for name in ("expected", "error", "code") if record.get(name) is not None), None)
    if stated is None:
        if record.get("value") == 1:  # an unaltered control sentence has no error code
            return ""
        raise AssayError(f"{where}: the expected answer of the trap is missing; add expected, error or code")
    if stated in labels or stated == "":
        return stated
    code = known.aliases.get(stated, stated)
    if code == NO_ERROR:
        return ""
    if code not in labels and not code.lstrip("<>=-").replace(".", "", 1).isdecimal():
        listed = f" ({', '.join(sorted(labels))})" if labels else ""
        remedy = (
            f'; for another name of a code, add "{stated[:40]}" to [aliases] of the typology'
            if {*labels} & {*known.errors}
            else ""
        )
        raise AssayError(
            f"{where}: '{stated[:40]}' is not an error code{listed}, a value or a bound such as <=2{remedy}"
        )
    return code


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
            draw = rng_for(design.seed, "traps", task.id)
            checks += [_like_texts(design, task, check, draw) for check in draw.sample(available, wanted)]
        checks += [Check("attention", ATTENTION)] * design.quality.attention_checks
        checked.append(msgspec.structs.replace(task, checks=tuple(checks)))
    return checked


def _like_texts(design: Design, task: Task, check: Check, draw: random.Random) -> Check:
    """Return a trap in the form of one of the texts of its task: as many sentences, and as much highlighting.

    A trap is one sentence; alone it would be recognised by its length. It is surrounded by the other sentences of the
    text that it was made from, then by sentences of the source.
    """
    language = design.language or None
    model = draw.choice(task.texts)
    like = list(model.sentences) or split_sentences(model.text, language=language) or [""]
    article = [each for own in paragraphs_of(model.source or task.source, design.language) for each in own]
    own, place = _in_context(check, len(like), language, draw)
    words = set(check.text.lower().split())
    others = [
        sentence
        for sentence in dict.fromkeys(article)
        # The sentence that the trap was made from would give it away.
        if len(words & set(sentence.lower().split())) < 0.6 * len(words)
    ]
    missing = max(0, min(len(like) - len(own), len(others)))
    around = [others[number] for number in sorted(draw.sample(range(len(others)), missing))]
    before = draw.randint(0, len(around))
    shown = (*around[:before], *own, *around[before:])
    replaced = msgspec.structs.replace(
        check, text=" ".join(shown), source=model.source, fields=model.fields, sentence=before + place, sentences=()
    )
    if not any(kind_for(question).by_sentence for question in design.questions):
        return replaced
    models = draw.sample(like, len(like))
    marked = [tuple(supported_like(article, each, models[i % len(models)])) for i, each in enumerate(shown)]
    return msgspec.structs.replace(replaced, sentences=shown, marked=tuple(marked))


def _in_context(check: Check, count: int, language: str | None, draw: random.Random) -> tuple[list[str], int]:
    """Return at most `count` sentences of the text that a trap was made from, and the number of the altered one."""
    if not check.sentences:
        return split_sentences(check.text, language=language) or [check.text], 0
    first = draw.randint(max(0, check.sentence - count + 1), max(0, min(check.sentence, len(check.sentences) - count)))
    return list(check.sentences[first : first + count]), check.sentence - first


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
