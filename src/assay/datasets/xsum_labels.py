"""XSum hallucination labels (Maynez et al., 2020): whether a summary is factual, and which spans are hallucinated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.record import Record, Report
from assay.datasets.tables import table_rows
from assay.errors import AssayError
from assay.records import Example, Judgement, Output, kinds

FACTUAL, SPANS = "xsum_factuality_annotations.csv", "xsum_hallucination_annotations.csv"
FACTUAL_COLUMNS = ("bbcid", "system", "summary", "is_factual", "worker_id")
SPAN_COLUMNS = (
    "bbcid", "system", "summary", "hallucination_type", "hallucinated_span_start", "hallucinated_span_end", "worker_id",
)  # fmt: skip
NOTHING = "NULL"


@dataclass(frozen=True)
class XsumLabels(Dataset):
    name: ClassVar = "xsum_labels"
    patterns: ClassVar = {"test": (SPANS,)}
    card: ClassVar = Card(
        title="XSum hallucination labels",
        task="meta-evaluation",
        goal="distinguish faithful summaries from those with hallucinations",
        languages=("en",),
        sizes={"test": 2500},
        licence="CC BY 4.0 (labels); news texts, local use only",
        references="none (500 articles by 5 sources)",
        input_type="judged summary",
        suite="summarization",
        source="https://github.com/google-research-datasets/xsum_hallucination_annotations",
        files=f"{SPANS} and {FACTUAL} in one folder",
        notes=(
            "--judgements writes for each worker whether a summary is factual (1 or 0), and the kind (intrinsic,"
            " extrinsic) of each hallucinated span, as unit span:START-END in characters",
            "33 answers about factuality and 788 about spans are empty (NULL) and are skipped",
        ),
        citation="Maynez, Narayan, Bohnet, McDonald: On Faithfulness and Factuality (2020)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        rows = report.checked(table_rows(file.path, SPAN_COLUMNS), lambda record: [record])
        seen: set[str] = set()
        for record in rows:
            id = _id(record)
            if id not in seen:
                seen.add(id)
                yield Example(
                    id=id, input=kinds.Judged(summary=record.text("summary")).plain(), language="en", split=file.split,
                    tags={"system": record.text("system"), "document": record.text("bbcid")},
                )  # fmt: skip

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        for example in self.read(path, split):
            yield Output(id=example.id, output=str((example.input or {})["summary"]), system=example.tags["system"])

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        folder = path if path.is_dir() else path.parent
        if not (folder / FACTUAL).is_file():
            raise AssayError(f"{folder / FACTUAL}: not found; it contains the factuality judgements")
        yield from Report(self.name).checked(table_rows(folder / FACTUAL, FACTUAL_COLUMNS), _factual)
        yield from Report(self.name).checked(table_rows(folder / SPANS, SPAN_COLUMNS), _hallucinated)


def _id(record: Record) -> str:
    return f"{record.text('bbcid')}/{record.text('system')}"


def _factual(record: Record) -> Iterator[Judgement]:
    answer = record.choice("is_factual", ("yes", "no", NOTHING))
    if answer != NOTHING:
        yield Judgement(
            id=_id(record), system=record.text("system"), annotator=record.text("worker_id"), criterion="factual",
            value=float(answer == "yes"),
        )  # fmt: skip


def _hallucinated(record: Record) -> Iterator[Judgement]:
    kind = record.choice("hallucination_type", ("intrinsic", "extrinsic", NOTHING))
    if kind == NOTHING:
        return
    ends = [record.text(f"hallucinated_span_{end}") for end in ("start", "end")]
    if not all(end.isdigit() for end in ends):
        raise record.bad("hallucinated_span_start", f"and end are not positions: {ends}")
    yield Judgement(
        id=_id(record), system=record.text("system"), annotator=record.text("worker_id"), criterion="hallucination",
        value=kind, unit=f"span:{ends[0]}-{ends[1]}",
    )  # fmt: skip
