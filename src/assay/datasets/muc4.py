"""MUC-4: news reports with all their event templates and coreferent mentions (GTT's processed form)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.sources import json_lines
from assay.inputs.ontology import MUC4
from assay.records import Example
from assay.records.kinds import Events, Mention

if TYPE_CHECKING:
    from assay.datasets.record import Record

ROLES = tuple(MUC4.sources.values())


class Muc4(Dataset):
    name: ClassVar = "muc4"
    patterns: ClassVar = {
        split: (f"{file}.json", f"muc/processed/{file}.json", f"data/muc/processed/{file}.json")
        for split, file in (("train", "train"), ("validation", "dev"), ("test", "test"))
    }
    card: ClassVar = Card(
        title="MUC-4",
        task="extraction",
        goal="all events of a report with perpetrators, targets, victims and weapons",
        languages=("en",),
        sizes={"train": 1300, "validation": 200, "test": 200},
        licence="MIT (processed form); MUC-4 texts, academic use",
        references="none (templates)",
        input_type="article",
        suite="",
        source="https://github.com/xinyadu/gtt",
        files="train.json, dev.json and test.json of data/muc/processed (one document per line)",
        notes=("1,114 / 191 / 209 templates; six name two incident types, written 'attack / bombing'",),
        citation="Du, Rush, Cardie: Template Filling with Generative Transformers (2021)",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_lines(file.path, "docid")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        text = record.text("doctext")
        templates = [_template(template, text) for template in record.items("templates")]
        yield Example(
            id=record.text("docid"),
            source=text,
            input=Events(templates=templates).plain(),
            language="en",
            split=file.split,
            tags={"events": str(len(templates))},
        )


def _template(record: Record, text: str) -> dict[str, str | list[list[Mention]]]:
    """Entities are lists of mentions; each mention must be in the text at its offset."""
    made: dict[str, str | list[list[Mention]]] = {"type": record.text("incident_type")}
    for role in ROLES:
        entities = []
        for entity in record.typed(role, list):
            if not isinstance(entity, list) or not entity:
                raise record.bad(role, "has an entity without mentions")
            entities.append([_mention(record, role, mention, text) for mention in entity])
        made[role] = entities
    return made


def _mention(record: Record, role: str, mention: Any, text: str) -> Mention:
    if not (isinstance(mention, list) and len(mention) == 2 and isinstance(mention[0], str)):
        raise record.bad(role, "has a mention that is not [text, offset]")
    words, start = mention
    if not isinstance(start, int) or text[max(start, 0) : max(start, 0) + len(words)] != words:
        raise record.bad(role, f"has a mention that is not in 'doctext' at {start!r}")
    return Mention(words, start)
