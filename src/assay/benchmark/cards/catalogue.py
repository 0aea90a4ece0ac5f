"""A catalogue of cards: task, languages, licence and completeness of each, and coverage by task and language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.benchmark.cards.card import Card, read_card, template_of
from assay.benchmark.cards.check import CODE, KNOWN_CODES, LICENCE, NON_COMMERCIAL, CardCheck, check_card, written_text
from assay.benchmark.cards.page import title_of
from assay.errors import AssayError
from assay.show.tables import Content, Table

NAMED = {
    "arabic": "ar", "czech": "cs", "german": "de", "english": "en", "spanish": "es", "french": "fr", "hindi": "hi",
    "indonesian": "id", "italian": "it", "japanese": "ja", "korean": "ko", "dutch": "nl", "portuguese": "pt",
    "russian": "ru", "thai": "th", "turkish": "tr", "vietnamese": "vi", "chinese": "zh",
}  # fmt: skip
"""The eighteen languages of GEM, which cards often name without a code."""
TASKS = ("data-to-text", "dialog", "simplification", "summarization")
ALSO_CALLED = {"structure-to-text": "data-to-text", "dialogue": "dialog", "text simplification": "simplification"}


@dataclass(frozen=True)
class CatalogueEntry:
    """A card in the catalogue."""

    path: str
    title: str
    task: str
    languages: tuple[str, ...]
    licence: str
    check: CardCheck

    def plain(self) -> dict[str, Any]:
        """Return the entry as JSON."""
        return {
            "path": self.path, "title": self.title, "task": self.task, "languages": list(self.languages),
            "licence": self.licence, "complete": self.check.complete, "template": self.check.template,
            "lacking": sorted({each.section for each in self.check.findings if each.is_error}),
        }  # fmt: skip


def catalogue(paths: Sequence[Path]) -> tuple[list[CatalogueEntry], list[str]]:
    """Return the cards in files and folders sorted by title, and the reasons why other files are not cards."""
    entries = [_entry(path, read_card(path)) for path in paths if not path.is_dir()]
    skipped = []
    for file in (file for path in paths if path.is_dir() for file in _inside(path)):
        try:
            entries.append(_entry(file, read_card(file)))
        except AssayError as why:
            skipped.append(str(why))
    if not entries:
        raise AssayError(f"{', '.join(map(str, paths))}: no cards (.md, .yaml or .json)")
    return sorted(entries, key=lambda each: each.title.casefold()), skipped


def _inside(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in (".md", ".json", ".yaml"))


def _entry(path: Path, card: Card) -> CatalogueEntry:
    form = template_of(card)
    texts = {entry.key: written_text(section.text) for section, entry in card.placed(form) if entry}
    facts = card.facts
    task = str(facts.get("type") or facts.get("task_categories") or "").strip("[]' ").lower()
    languages = texts.get("languages") or texts.get("languages-and-intended-use", "")
    codes = [(one or two).split("-")[0].lower() for one, two in CODE.findall(languages)]
    codes += [code for name, code in NAMED.items() if name in languages.lower()]
    licence = texts.get("licensing") or texts.get("licensing-information", "")
    return CatalogueEntry(
        path=str(path),
        title=title_of(card),
        task=ALSO_CALLED.get(task, task),
        languages=tuple(dict.fromkeys(code for code in codes if code in KNOWN_CODES)),
        licence=_terms(licence),
        check=check_card(card, form),
    )


def _terms(licence: str) -> str:
    if NON_COMMERCIAL.search(licence):
        return "non-commercial"
    return "open" if LICENCE.search(licence) else "unknown"


def tables(entries: Sequence[CatalogueEntry]) -> list[Table]:
    """Return the table of cards and the table of coverage."""
    rows: list[list[Content]] = []
    for each in entries:
        complete = f"{100 * each.check.complete:.0f} %"
        rows.append([each.title, each.task or None, " ".join(each.languages) or None, each.licence, complete])
    cards = Table.of(f"{len(entries)} cards", ["card", "task", "languages", "licence", "complete"], rows)
    return [cards, coverage(entries)]


def coverage(entries: Sequence[CatalogueEntry]) -> Table:
    """Return the number of datasets by task and language."""
    data = [each for each in entries if each.check.template not in ("model", "metric")]
    tasks = list(dict.fromkeys([*TASKS, *(each.task for each in data if each.task)]))
    counts = Counter((each.task, code) for each in data for code in each.languages)
    codes = sorted({code for _, code in counts}, key=lambda code: (-sum(counts[task, code] for task in tasks), code))
    rows: list[list[Content]] = [[task, *(counts[task, code] or None for code in codes)] for task in tasks]
    absent = [code for code in NAMED.values() if code not in codes]
    notes = [f"no dataset in {' '.join(absent)}"] if absent else []
    table = Table.of("datasets by task and language", ["task", *codes], rows)
    return Table(table.columns, table.rows, table.caption, notes)
