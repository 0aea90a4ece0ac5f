"""QAGS: sentences of summaries that three crowd workers called consistent with the article or not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, SplitFile, gem_id
from assay.datasets.judged_outputs import JudgedOutputs
from assay.datasets.record import Record, Report
from assay.datasets.sources import json_lines
from assay.records import Example, Judgement, kinds
from assay.records.files import digest_of

CONSISTENT = "consistent"


class Qags(JudgedOutputs):
    name: ClassVar = "qags"
    criteria: ClassVar = (CONSISTENT,)
    patterns: ClassVar = {"cnndm": ("mturk_cnndm.jsonl",), "xsum": ("mturk_xsum.jsonl",)}
    card: ClassVar = Card(
        title="QAGS",
        task="meta-evaluation",
        goal="distinguish summaries that are consistent with their article",
        languages=("en",),
        sizes={"cnndm": 235, "xsum": 239},
        licence="none stated; news texts, local use only",
        references="none",
        input_type="judged summary",
        suite="summarization",
        source="https://github.com/W4ngatang/qags",
        files="mturk_cnndm.jsonl and mturk_xsum.jsonl, one article with summary_sentences and their responses a line",
        notes=(
            "splits are the two sets; each has the summaries of one system",
            "--judgements writes the criterion consistent: 1 or 0 by each worker for each sentence (unit sentence:N),"
            " and for each summary the share of sentences that most workers called consistent (annotator aggregate)",
            "the files have no ids: an id is qags-SET-LINE, from line 0",
        ),
        citation="Wang, Cho, Lewis: Asking and Answering Questions to Evaluate the Factual Consistency (2020)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        return report.checked(json_lines(file.path), partial(_example, split=file.split))

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        yield from super().judgements(path, split)
        for file in self.find(path, split):
            yield from Report(self.name).checked(json_lines(file.path), partial(_by_worker, split=file.split))


def _example(record: Record, split: str | None) -> Iterator[Example]:
    sentences = record.items("summary_sentences")
    if not sentences:
        raise record.bad("summary_sentences", "is empty")
    votes = [[float(answer == "yes") for _, answer in _responses(sentence)] for sentence in sentences]
    share = sum(sum(own) > len(own) / 2 for own in votes) / len(votes)
    article = record.text("article")
    yield Example(
        id=_id(record, split), source=article, language="en", split=split,
        input=kinds.Judged(
            human={CONSISTENT: share}, summary=" ".join(each.text("sentence") for each in sentences)
        ).plain(),
        tags={"system": f"system-{split}", "document": digest_of(article)[:16]},
    )  # fmt: skip


def _by_worker(record: Record, split: str | None) -> Iterator[Judgement]:
    for place, sentence in enumerate(record.items("summary_sentences")):
        for worker, answer in _responses(sentence):
            yield Judgement(
                id=_id(record, split), system=f"system-{split}", annotator=worker, criterion=CONSISTENT,
                value=float(answer == "yes"), unit=f"sentence:{place}",
            )  # fmt: skip


def _id(record: Record, split: str | None) -> str:
    return gem_id(Qags.name, split, record.index)


def _responses(sentence: Record) -> list[tuple[str, str]]:
    """Return worker and answer of each response."""
    responses = sentence.items("responses")
    if not responses:
        raise sentence.bad("responses", "is empty")
    return [(f"worker-{each.get('worker_id')}", each.choice("response", ("yes", "no"))) for each in responses]
