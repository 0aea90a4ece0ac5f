"""WikiLingua: English summaries of how-to articles in other languages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.record import Record, RecordError, Report
from assay.datasets.sources import parallel_lines
from assay.errors import AssayError
from assay.records import Example


class WikiLingua(Dataset):
    """Parallel files `{split}.src.{language}` and `{split}.tgt.{language}`, or `{split}.src` and `{split}.tgt`."""

    name: ClassVar = "wiki_lingua"
    patterns: ClassVar = {
        split: (f"{file}.src", f"{file}.src.??", f"*/{file}.src", f"*/{file}.src.??")
        for split, file in (("train", "train"), ("validation", "val"), ("test", "test"))
    }
    card: ClassVar = Card(
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
        files="{train,val,test}.src.LANGUAGE and {train,val,test}.tgt.en (or .src and .tgt)",
        modifications=("split again so that no article is in train and test in any language: modify.resplit",),
        hub=("GEM/wiki_lingua", None),
        notes=("sizes add Spanish, Russian, Turkish and Vietnamese into English",),
        citation="Ladhak et al.: WikiLingua (2020)",
    )

    def find(self, path: Path, split: str | None = None) -> list[SplitFile]:
        """Exclude English sources next to another language: they are its translations."""
        files = super().find(path, split)
        others = {(file.path.parent, file.split) for file in files if not file.path.name.endswith(".en")}
        return [f for f in files if not f.path.name.endswith(".en") or (f.path.parent, f.split) not in others]

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        stem, _, language = file.path.name.partition(".src")
        language = language.lstrip(".")
        if not file.path.name.startswith(f"{stem}.src"):
            raise AssayError(f"{file.path}: not a .src file; {self.name} needs {self.card.files}")
        candidates = [f"{stem}.tgt.en", f"{stem}.tgt"] if language else [f"{stem}.tgt"]
        target = next((p for p in map(file.path.with_name, candidates) if p.is_file()), None)
        if target is None:
            raise AssayError(f"{file.path.with_name(candidates[0])}: missing; {self.name} needs {self.card.files}")
        pair = language or file.path.parent.name
        paths = {"source": file.path, "target": target}
        english = file.path.with_name(f"{stem}.src.en")
        if language not in ("", "en") and english.is_file():
            paths["english"] = english
        rows = parallel_lines(paths)
        return report.checked(rows, lambda record: self._row(record, file, pair, language))

    def _row(self, record: Record, file: SplitFile, pair: str, language: str) -> Iterable[Example]:
        if not record.value["source"].strip() and not record.value["target"].strip():
            raise RecordError(record, "source and target are empty")
        yield Example(
            id=gem_id(f"{self.name}_{pair}", file.split, record.index),
            references=(record.text("target").strip(),),
            source=record.text("source").strip(),
            language=language or None,
            split=file.split,
            tags={"into": "en", "article": article_key(record.value.get("english") or record.value["source"])},
        )


def article_key(english: str) -> str:
    """Return a digest of the English text, which is the same for all languages of an article."""
    return hashlib.blake2b(english.strip().encode(), digest_size=8).hexdigest()
