"""News and how-to summarization: XSum, MLSUM and WikiLingua in the forms their publishers documented."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.record import BadRecord, Record, Report
from assay.datasets.sources import json_lines, opened, parallel_lines
from assay.errors import AssayError
from assay.records import Example

XSUM_SPLIT = "XSum-TRAINING-DEV-TEST-SPLIT-90-5-5.json"
SHARE_LINES = frozenset(
    (
        "Share this with", "Email", "Facebook", "Messenger", "Twitter", "Pinterest", "WhatsApp", "LinkedIn", "Linkedin",
        "Copy this link", "These are external links and will open in a new window",
    )
)  # fmt: skip
"""Labels of the share buttons on the crawled pages; they are no part of the article."""


class XSum(Dataset):
    name = "xsum"
    patterns = {
        "train": (XSUM_SPLIT, "train.jsonl"),
        "validation": (XSUM_SPLIT, "validation.jsonl"),
        "test": (XSUM_SPLIT, "test.jsonl"),
    }
    card = Card(
        title="XSum",
        task="summarization",
        goal="one sentence with the relevant point of a news article",
        languages=("en",),
        sizes={"train": 204045, "validation": 11332, "test": 11334},
        licence="article texts belong to the BBC",
        references="1",
        input_type="article",
        suite="summarization",
        source="https://github.com/EdinburghNLP/XSum",
        files=f"JSON lines with document, summary and id, or {XSUM_SPLIT} beside bbc-summary-data/ID.summary",
        modifications=("pairs with p(faithful) > 0.8 kept: 23,206 / 1,117 / 1,166 remain (modify.faithful)",),
        hub=("EdinburghNLP/xsum", None),
        citation="Narayan, Cohen, Lapata: Don't Give Me the Details, Just the Summary! (2018)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        if file.path.name != XSUM_SPLIT:
            return super().read_file(file, report)
        return report.checked(_crawled(file), lambda record: self.examples(record, file))

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_lines(file.path, "id")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        yield Example(
            id=str(record.typed("id", str, int)),
            references=(record.text("summary"),),
            source=record.text("document"),
            language="en",
            split=file.split,
        )


def _crawled(file: SplitFile) -> Iterator[Record]:
    """The crawl: a list of ids a split and one file an article, its parts after `[SN]` marks."""
    with opened(file.path) as stream:
        try:
            ids = json.loads(stream.read())[file.split]
        except (ValueError, KeyError, TypeError):
            raise AssayError(f"{file.path}: no list of ids under '{file.split}'; download it again") from None
    for index, id in enumerate(ids):
        path = file.path.parent / "bbc-summary-data" / f"{id}.summary"
        yield _article(path, str(id), index)


def _article(path: Path, id: str, index: int) -> Record:
    if not path.is_file():
        return Record(path, f"id {id}", problem="is missing; the crawl is incomplete", index=index)
    with opened(path) as stream:
        text = stream.read().decode("utf-8", "replace")
    lines = [line for line in text.split("\n") if line.strip() and line.strip() not in SHARE_LINES]
    parts = "\n".join(lines).split("[SN]")
    if len(parts) < 9:
        return Record(path, f"id {id}", problem=f"has {len(parts)} [SN] parts, not 9; is the file cut off?", index=index)
    return Record(path, f"id {id}", {"id": id, "summary": parts[6].strip(), "document": parts[8].strip()}, index=index)


class Mlsum(Dataset):
    language: ClassVar[str]

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_lines(file.path, "url")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        tags = {key: record.optional(key) for key in ("topic", "url", "title", "date")}
        yield Example(
            id=gem_id(self.name, file.split, record.index),
            references=(record.text("summary"),),
            source=record.text("text"),
            language=self.language,
            split=file.split,
            tags={key: value for key, value in tags.items() if value},
        )


def _mlsum(language: str, name: str, sizes: dict[str, int], removed: str) -> tuple[Card, dict[str, tuple[str, ...]]]:
    card = Card(
        title=f"MLSUM ({name})",
        task="summarization",
        goal="the relevant points of a news article",
        languages=(language,),
        sizes=sizes,
        licence="non-commercial research only",
        references="1",
        input_type="article",
        suite="summarization",
        source="https://github.com/recitalAI/MLSUM",
        files=f"{language}_train.jsonl, {language}_val.jsonl and {language}_test.jsonl",
        modifications=(f"duplicate inputs and texts in another language dropped ({removed}): modify.clean",),
        hub=("GEM/mlsum", language),
        citation="Scialom et al.: MLSUM: The Multilingual Summarization Corpus (2020)",
    )
    files = (("train", "train"), ("validation", "val"), ("test", "test"))
    return card, {split: (f"{language}_{file}.jsonl", f"**/{language}_{file}.jsonl") for split, file in files}


class MlsumDe(Mlsum):
    name = "mlsum_de"
    language = "de"
    card, patterns = _mlsum(
        "de", "German", {"train": 220748, "validation": 11392, "test": 10695}, "147 of 242,982 items"
    )


class MlsumEs(Mlsum):
    name = "mlsum_es"
    language = "es"
    card, patterns = _mlsum(
        "es", "Spanish", {"train": 259886, "validation": 9977, "test": 13365}, "7,417 of 290,645 items"
    )


class WikiLingua(Dataset):
    """Parallel files `{split}.src.{language}` and `{split}.tgt.{language}`, or `{split}.src` beside `{split}.tgt`."""

    name = "wiki_lingua"
    patterns = {
        split: (f"{file}.src", f"{file}.src.??", f"*/{file}.src", f"*/{file}.src.??")
        for split, file in (("train", "train"), ("validation", "val"), ("test", "test"))
    }
    card = Card(
        title="WikiLingua (cross-lingual)",
        task="summarization",
        goal="a summary in English of how-to steps in another language",
        languages=("es", "ru", "tr", "vi", "en"),
        sizes={"train": 128812, "validation": 14313, "test": 31866},
        licence="CC BY-NC-SA 3.0",
        references="1",
        input_type="article",
        suite="summarization",
        source="https://github.com/esdurmus/Wikilingua",
        files="{train,val,test}.src.LANGUAGE beside {train,val,test}.tgt.en (or .src beside .tgt)",
        modifications=("split anew so that no article is in train and test in any language: modify.resplit",),
        hub=("GEM/wiki_lingua", None),
        notes=("sizes add Spanish, Russian, Turkish and Vietnamese into English",),
        citation="Ladhak et al.: WikiLingua (2020)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        stem, _, language = file.path.name.partition(".src")
        language = language.lstrip(".")
        if not file.path.name.startswith(f"{stem}.src"):
            raise AssayError(f"{file.path}: not a .src file; {self.name} needs {self.card.files}")
        candidates = [f"{stem}.tgt.en", f"{stem}.tgt"] if language else [f"{stem}.tgt"]
        target = next((p for p in map(file.path.with_name, candidates) if p.is_file()), None)
        if target is None:
            raise AssayError(f"{file.path.with_name(candidates[0])}: missing; {self.name} needs {self.card.files}")
        pair = file.path.parent.name if not language else language
        rows = parallel_lines({"source": file.path, "target": target})
        return report.checked(rows, lambda record: self._row(record, file, pair, language))

    def _row(self, record: Record, file: SplitFile, pair: str, language: str) -> Iterable[Example]:
        if not record.value["source"].strip() and not record.value["target"].strip():
            raise BadRecord(record, "source and target are empty")
        yield Example(
            id=gem_id(f"{self.name}_{pair}", file.split, record.index),
            references=(record.text("target").strip(),),
            source=record.text("source").strip(),
            language=language or None,
            split=file.split,
            tags={"into": "en"},
        )
