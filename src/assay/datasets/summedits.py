"""SummEdits: summaries with one small edit, consistent with their document or not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from assay.datasets.base import Card, SplitFile
from assay.datasets.judged_outputs import JudgedOutputs
from assay.datasets.record import Record
from assay.datasets.sources import json_items
from assay.records import Example, kinds
from assay.records.files import digest_of

DOMAINS = {"podcast": 500, "qmsumm": 431, "sales_email": 613, "scitldr": 466}
ORIGINAL, EDITED = "original", "edited"


class SummEdits(JudgedOutputs):
    name: ClassVar = "summedits"
    criteria: ClassVar = ("consistent",)
    patterns: ClassVar = {name: (f"summedits_{name}.json",) for name in DOMAINS}
    card: ClassVar = Card(
        title="SummEdits",
        task="meta-evaluation",
        goal="detect small edits that make a summary inconsistent with its document",
        languages=("en",),
        sizes=DOMAINS,
        licence="Apache-2.0",
        references="none",
        input_type="judged summary",
        suite="summarization",
        source="https://github.com/salesforce/factualNLG",
        files="summedits_DOMAIN.json, a list with doc, summary, original_summary, label and edit_types",
        notes=(
            "splits are domains; the tag part has the published split",
            "--judgements writes the criterion consistent, 1 or 0; the system is original for a seed summary, else"
            " edited",
            "the tag document is a digest of the text: summaries of one document are resampled together",
        ),
        citation="Laban et al.: SummEdits (2023)",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_items(file.path, "id")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        label = record.number("label")
        if label not in (0, 1):
            raise record.bad("label", f"is {label:g}; it must be 0 or 1")
        edits = ", ".join(record.texts("edit_types"))
        original, summary, text = record.text("original_summary"), record.text("summary"), record.text("doc")
        yield Example(
            id=record.text("id"), source=text, language="en", split=file.split,
            input=kinds.Judged(human={"consistent": label}, summary=summary).plain(),
            tags={"system": ORIGINAL if summary == original else EDITED, "part": record.text("split"), "edits": edits,
                  "document": digest_of(text)[:16]},
        )  # fmt: skip
