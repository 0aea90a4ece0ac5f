"""WebNLG 3.0: texts in English or Russian for sets of RDF triples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar
from xml.etree.ElementTree import Element

from assay.datasets import structures
from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.markup import xml_elements
from assay.datasets.record import Record, RecordError, Report
from assay.datasets.sources import json_items
from assay.errors import AssayError
from assay.records import Example, Judgement
from assay.records.files import read_text
from assay.records.kinds import Triples
from assay.records.parse import whole

SIZE_FOLDER = re.compile(r"\dtriples")


HUMAN = {"en": "english", "ru": "russian"}
RATED = ("Correctness", "DataCoverage", "Fluency", "Relevance", "TextStructure")
TYPES = "rdf-to-text-generation-test-instance-types.json"
"""File of test items with unseen categories or entities, published next to the test file."""
SEEN = {"type1": "seen", "type2": "unseen", "type3": "unseen-category"}


def instance_types(path: Path) -> dict[str, str] | None:
    """Return by id whether an item is `seen`, `unseen` (entities) or `unseen-category`; None without the file."""
    file = path.with_name(TYPES)
    if not path.name.startswith("rdf-to-text-generation-test") or not file.is_file():
        return None
    types = whole(read_text(file), file)
    wrong = [f"{id} is {type}" for id, type in types.items() if type not in SEEN] if isinstance(types, dict) else ["?"]
    if wrong:
        raise AssayError(f"{file}: {wrong[0]}, not one of {', '.join(SEEN)} by id; put the published file there")
    return {id: SEEN[type] for id, type in types.items()}


class WebNlg(Dataset):
    """Return the texts of the reader's language; the files of the Russian release have both."""

    language: ClassVar[str]

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        """Yield ratings of the 2020 shared task: means over annotators, from 0 to 100."""
        name = f"{HUMAN[self.language]}_humeval_data_all_teams.json"
        places = [path] if path.is_file() else [path / "human" / name, path / name, path.parent / "human" / name]
        file = next((place for place in places if place.is_file() and place.name == name), None)
        if file is None:
            raise AssayError(f"{path}: has no {name}; it contains the ratings of the 2020 shared task")
        return Report(self.name).checked(json_items(file, "sample_id"), _rated)

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        types = instance_types(file.path)
        return report.checked(
            xml_elements(file.path, "entry", "eid"), lambda record: self._entry(record, file, types, report)
        )

    def _entry(
        self, record: Record, file: SplitFile, types: Mapping[str, str] | None, report: Report
    ) -> Iterable[Example]:
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
        # In a release by size and category an eid is unique only within its file.
        folder = file.path.parent.name
        id = f"{len(triples)}/{category}/{eid}" if SIZE_FOLDER.fullmatch(folder) else eid
        tags = {"category": category, "size": str(len(triples)), "shape": entry.get("shape_type", "")}
        if types is not None:
            if eid not in types:
                raise RecordError(record, f"{TYPES} next to it has no type for {eid}")
            tags["seen"] = types[eid]
        yield Example(
            id=id,
            references=tuple(references),
            input=Triples(triples=triples, category=category).plain(),
            language=self.language,
            split=file.split,
            tags={key: value for key, value in tags.items() if value},
        )


def _rated(record: Record) -> Iterator[Judgement]:
    for criterion in RATED:
        yield Judgement(
            id=f"Id{record.text('sample_id')}", system=record.text("submission_id"), annotator="aggregate",
            criterion=criterion, value=record.number(criterion), method="slider",
        )  # fmt: skip


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
        notes=(
            "the published train size counts texts; the reader returns one example per triple set",
            "--judgements writes the human ratings of the 2020 shared task (human/*_humeval_data_all_teams.json):"
            " means over annotators, five criteria",
            "test items are tagged seen, unseen (entities) or unseen-category by the file of types next to them",
        ),
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
