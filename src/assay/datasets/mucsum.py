"""MUCSUM: summaries keyed to one event of a news report (Gantt et al., event-keyed summarization)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.record import Record
from assay.datasets.sources import json_items
from assay.records import Example, kinds

TYPES = ("arson", "attack", "bombing", "forced work stoppage", "kidnapping", "robbery")
STAGES = ("accomplished", "attempted", "threatened")
ROLES = ("date", "location", "perpind", "perporg", "target", "victim", "weapon")


@dataclass(frozen=True)
class Mucsum(Dataset):
    events: Literal["all", "first"] = "all"
    """`first` takes the first event of each document alone, as the published statistics and lead-3 row do."""

    name: ClassVar = "mucsum"
    patterns: ClassVar = {
        split: (f"{file}.json", f"mucsum/{file}.json", f"data/mucsum/{file}.json")
        for split, file in (("train", "train"), ("validation", "dev"), ("test", "test"))
    }
    card: ClassVar = Card(
        title="MUCSUM",
        task="summarization",
        goal="a short text that gives all and only what the report says about one event and its participants",
        languages=("en",),
        sizes={"train": 1114, "validation": 191, "test": 209},
        licence="MIT (summaries); MUC-4 texts, academic use",
        references="1 (30 test items have 3, not published)",
        input_type="event template",
        suite="summarization",
        source="https://github.com/wgantt/eks",
        files="train.json, dev.json and test.json of data/mucsum",
        notes=(
            "drafts were written by gpt-3.5-turbo and then edited, which may favour that family of models",
            "all text is lower-case; reports of real violence",
            "62 % of the test items share their document with another item: they are not independent"
            " (assay score --cluster document), and a model that is given the document alone cannot tell them apart",
        ),
        citation="Gantt, Martin, Kuchmiichuk, White: Event-Keyed Summarization (2024)",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return sorted(json_items(file.path), key=lambda record: record.where)

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        document = Record(record.path, record.where, {"events": record.value})
        for item in document.items("events")[: 1 if self.events == "first" else None]:
            event = Record(record.path, record.where, item.value, "instance_id")
            sentences = event.texts("document", least=1)
            template = _template(event.inner("template"))
            summary = event.texts("summary", least=1)
            given = kinds.Event(template=template, document=sentences, summary_sentences=len(summary))
            yield Example(
                id=event.text("instance_id"),
                references=(" ".join(summary),),
                source=" ".join(sentences),
                input=given.plain(),
                language="en",
                split=file.split,
                tags={"document": record.where.removeprefix("key "), "type": template["type"]},
            )


def _template(record: Record) -> dict[str, Any]:
    """The nine slots in the order of the paper; an unknown slot or value is refused."""
    unknown = [key for key in record.value if key not in ("type", "completion", *ROLES)]
    if unknown:
        raise record.bad(str(unknown[0]), "is no slot of the template")
    slots: dict[str, Any] = {
        "type": record.choice("type", TYPES),
        "completion": record.choice("completion", STAGES),
    }
    return slots | {role: record.texts(role) for role in ROLES}
