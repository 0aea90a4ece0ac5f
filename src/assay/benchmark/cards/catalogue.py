"""All cards of a collection side by side: tasks, languages, licences, how complete they are, and what is lacking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.benchmark.cards.card import Card, read_card, template_of
from assay.benchmark.cards.check import CODE, KNOWN_CODES, LICENCE, NON_COMMERCIAL, Checked, check_card, said
from assay.benchmark.cards.page import title_of
from assay.errors import AssayError
from assay.show.tables import Content, Table

NAMED = {
    "arabic": "ar", "czech": "cs", "german": "de", "english": "en", "spanish": "es", "french": "fr", "hindi": "hi",
    "indonesian": "id", "italian": "it", "japanese": "ja", "korean": "ko", "dutch": "nl", "portuguese": "pt",
    "russian": "ru", "thai": "th", "turkish": "tr", "vietnamese": "vi", "chinese": "zh",
}  # fmt: skip
"""The eighteen languages of GEM, which cards often name without their codes."""
TASKS = ("data-to-text", "dialog", "simplification", "summarization")
ALSO_CALLED = {"structure-to-text": "data-to-text", "dialogue": "dialog", "text simplification": "simplification"}


@dataclass(frozen=True)
class Listed:
    path: str
    title: str
    task: str
    languages: tuple[str, ...]
    licence: str
    checked: Checked

    def plain(self) -> dict[str, Any]:
        return {
            "path": self.path, "title": self.title, "task": self.task, "languages": list(self.languages),
            "licence": self.licence, "complete": self.checked.complete, "template": self.checked.template,
            "lacking": sorted({each.section for each in self.checked.findings if each.grave}),
        }  # fmt: skip


def catalogue(paths: Sequence[Path]) -> tuple[list[Listed], list[str]]:
    """The cards among files and in folders, by title; and of what else is in the folders, why it is none."""
    found = [_listed(path, read_card(path)) for path in paths if not path.is_dir()]
    passed_over = []
    for file in (file for path in paths if path.is_dir() for file in _inside(path)):
        try:
            found.append(_listed(file, read_card(file)))
        except AssayError as why:
            passed_over.append(str(why))
    if not found:
        raise AssayError(f"{', '.join(map(str, paths))}: no cards in it (.md, .yaml or .json)")
    return sorted(found, key=lambda each: each.title.casefold()), passed_over


def _inside(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in (".md", ".json", ".yaml"))


def _listed(path: Path, card: Card) -> Listed:
    form = template_of(card)
    texts = {entry.key: said(section.text) for section, entry in card.placed(form) if entry}
    facts = card.facts
    task = str(facts.get("type") or facts.get("task_categories") or "").strip("[]' ").lower()
    spoken = texts.get("languages") or texts.get("languages-and-intended-use", "")
    codes = [(one or two).split("-")[0].lower() for one, two in CODE.findall(spoken)]
    codes += [code for name, code in NAMED.items() if name in spoken.lower()]
    licence = texts.get("licensing") or texts.get("licensing-information", "")
    return Listed(
        path=str(path),
        title=title_of(card),
        task=ALSO_CALLED.get(task, task),
        languages=tuple(dict.fromkeys(code for code in codes if code in KNOWN_CODES)),
        licence=_terms(licence),
        checked=check_card(card, form),
    )


def _terms(licence: str) -> str:
    if NON_COMMERCIAL.search(licence):
        return "non-commercial"
    return "open" if LICENCE.search(licence) else "unknown"


def tables(found: Sequence[Listed]) -> list[Table]:
    rows: list[list[Content]] = []
    for each in found:
        complete = f"{100 * each.checked.complete:.0f} %"
        rows.append([each.title, each.task or None, " ".join(each.languages) or None, each.licence, complete])
    cards = Table.of(f"{len(found)} cards", ["card", "task", "languages", "licence", "complete"], rows)
    return [cards, coverage(found)]


def coverage(found: Sequence[Listed]) -> Table:
    """How many datasets there are for each task and language; the empty cells are what is lacking."""
    data = [each for each in found if each.checked.template not in ("model", "metric")]
    tasks = list(dict.fromkeys([*TASKS, *(each.task for each in data if each.task)]))
    counts = Counter((each.task, code) for each in data for code in each.languages)
    codes = sorted({code for _, code in counts}, key=lambda code: (-sum(counts[task, code] for task in tasks), code))
    rows: list[list[Content]] = [[task, *(counts[task, code] or None for code in codes)] for task in tasks]
    absent = [code for code in NAMED.values() if code not in codes]
    notes = [f"no dataset at all in {' '.join(absent)}"] if absent else []
    table = Table.of("datasets by task and language", ["task", *codes], rows)
    return Table(table.columns, table.rows, table.caption, notes)
