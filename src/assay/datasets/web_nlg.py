"""WebNLG 3.0: texts in English or Russian for sets of RDF triples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar
from xml.etree.ElementTree import Element

from assay.datasets import structures
from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.markup import xml_elements
from assay.datasets.record import Record, RecordError, Report
from assay.records import Example
from assay.records.kinds import Triples

SIZE_FOLDER = re.compile(r"\dtriples")


class WebNlg(Dataset):
    """Both languages share the files of the Russian release, so the reader picks the texts of its own."""

    language: ClassVar[str]

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        return report.checked(xml_elements(file.path, "entry", "eid"), lambda record: self._entry(record, file, report))

    def _entry(self, record: Record, file: SplitFile, report: Report) -> Iterable[Example]:
        entry: Element = record.value
        fields = Record(record.path, record.where, dict(entry.attrib))
        eid, category = fields.text("eid"), fields.text("category")
        triples = [
            structures.triple(record, " | ".join((element.text or "").split(" | ")), "mtriple")
            for element in entry.iterfind("modifiedtripleset/mtriple")
        ]
        if not triples:
            raise RecordError(record, "field 'modifiedtripleset' is missing or empty")
        texts = entry.findall("lex")
        own = [text for text in texts if text.get("lang") in (None, "", self.language)]
        if texts and not own:
            report.drop(f"no text in {self.language}")
            return
        references = [(text.text or "").strip() for text in own]
        if not all(references):
            raise RecordError(record, "field 'lex' is empty")
        # In a release by size and category an eid is unique only inside its file.
        folder = file.path.parent.name
        id = f"{len(triples)}/{category}/{eid}" if SIZE_FOLDER.fullmatch(folder) else eid
        tags = {"category": category, "size": str(len(triples)), "shape": entry.get("shape_type", "")}
        yield Example(
            id=id,
            references=tuple(references),
            input=Triples(triples=triples, category=category).plain(),
            language=self.language,
            split=file.split,
            tags={key: value for key, value in tags.items() if value},
        )


def _patterns(language: str) -> dict[str, tuple[str, ...]]:
    test = f"rdf-to-text-generation-test-data-with-refs-{language}.xml"
    return {
        "train": (f"{language}/train/*triples/*.xml", "train/*triples/*.xml"),
        "validation": (f"{language}/dev/*triples/*.xml", "dev/*triples/*.xml"),
        "test": (f"{language}/test/{test}", f"test/{test}", test),
    }


def _card(language: str, name: str, sizes: dict[str, int]) -> Card:
    return Card(
        title=f"WebNLG 3.0 ({name})",
        task="data-to-text",
        goal="verbalise all triples grammatically and naturally",
        languages=(language,),
        sizes=sizes,
        licence="CC BY-NC-SA 4.0",
        references="1 or more",
        input_type="triples",
        suite="data-to-text",
        source="https://gitlab.com/shimorina/webnlg-dataset",
        files=f"release_v3.0/{language}: train/, dev/ and test/ as published",
        hub=("GEM/web_nlg", language),
        notes=("the published train size counts texts; the reader gives one example a triple set",),
        citation="Castro Ferreira et al.: The 2020 Bilingual, Bi-Directional WebNLG+ Shared Task (2020)",
    )


class WebNlgEn(WebNlg):
    name: ClassVar = "web_nlg_en"
    language: ClassVar = "en"
    patterns: ClassVar = _patterns("en")
    card = _card("en", "English", {"train": 35426, "validation": 1667, "test": 1779})


class WebNlgRu(WebNlg):
    name: ClassVar = "web_nlg_ru"
    language: ClassVar = "ru"
    patterns: ClassVar = _patterns("ru")
    card = _card("ru", "Russian", {"train": 14630, "validation": 790, "test": 1102})
