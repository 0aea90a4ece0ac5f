"""SummEval: summaries judged for coherence, consistency, fluency and relevance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from assay.datasets.base import Card, SplitFile
from assay.datasets.judged_outputs import JudgedOutputs
from assay.datasets.sources import json_lines
from assay.records import Example, kinds

if TYPE_CHECKING:
    from assay.datasets.record import Record

CRITERIA = ("coherence", "consistency", "fluency", "relevance")


class SummEval(JudgedOutputs):
    name: ClassVar = "summeval"
    criteria: ClassVar = CRITERIA
    patterns: ClassVar = {"test": ("summeval.jsonl", "*.jsonl")}
    card: ClassVar = Card(
        title="SummEval",
        task="meta-evaluation",
        goal="summaries that are coherent, consistent with the article, fluent and relevant",
        languages=("en",),
        sizes={"test": 1600},
        licence="MIT (annotations); CNN/Daily Mail texts, local use only",
        references="11",
        input_type="judged summary",
        suite="summarization",
        source="https://github.com/Yale-LILY/SummEval",
        files="summeval.jsonl: id, system, source, references, output and human (four means) per line",
        notes=("100 articles by 16 systems",),
        citation="Fabbri et al.: SummEval (2021)",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_lines(file.path, "id")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        system = record.text("system")
        human = record.inner("human")
        yield Example(
            id=f"{record.text('id')}/{system}",
            references=tuple(record.texts("references", least=1)),
            source=record.text("source"),
            input=kinds.Judged(
                human={name: human.number(name) for name in CRITERIA}, summary=record.text("output", empty=True)
            ).plain(),
            language="en",
            split=file.split,
            tags={"article": record.text("id"), "system": system},
        )
