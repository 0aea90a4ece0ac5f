"""FRANK: summaries judged for factual errors, with the scores of fifteen metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, SplitFile, canonical_split
from assay.datasets.frank_typology import CATEGORIES, GROUPS
from assay.datasets.frank_votes import columns as columns_of
from assay.datasets.frank_votes import read_votes, verdicts, vote_judgements
from assay.datasets.judged_outputs import JudgedOutputs
from assay.datasets.record import Record, Report
from assay.datasets.sources import json_items, json_lines
from assay.records import Example, Judgement, kinds

COLUMNS = ("Factuality", *GROUPS, *CATEGORIES, "Other")
SENTENCE_FILES = ("human_annotations_sentence.json", "human_annotations_sentences.json")
"""Labels of single annotators; the release has two names of the file."""
TRAPS = "traps.jsonl"
TRAP_KINDS = {
    "F0": "untouched", "F1": "negated", "F4": "of another article", "F5": "scrambled", "F6": "with another pronoun",
}  # fmt: skip
"""Change of a sentence of the article; the first kind is a control."""
SIDE_FILES = {"baseline_factuality_metrics_outputs.json": json_items, "texts.jsonl": json_lines}


class Frank(JudgedOutputs):
    name: ClassVar = "frank"
    criteria: ClassVar = COLUMNS
    inner_splits: ClassVar = True
    patterns: ClassVar = {
        "all": ("human_annotations.json", "data/human_annotations.json", *SENTENCE_FILES),
    }
    card: ClassVar = Card(
        title="FRANK",
        task="meta-evaluation",
        goal="distinguish factual summaries from those with errors, and classify the error",
        languages=("en",),
        sizes={"validation": 671, "test": 1575},
        licence="MIT (annotations); news texts, local use only",
        references="1 with texts.jsonl",
        input_type="judged summary",
        suite="summarization",
        source="https://github.com/artidoro/frank",
        files="human_annotations.json; optional, next to it: baseline_factuality_metrics_outputs.json and texts.jsonl;"
        " or human_annotations_sentence.json, the labels of each annotator",
        notes=(
            "a category column is 1 minus the share of its errors minus the share without a majority category;"
            " input.errors contains the shares",
            "of human_annotations_sentence.json the same columns are computed from the votes: first whether most see an"
            " error in a sentence, then which; --judgements then writes every vote (factual, error, and"
            " kind for sentences that all annotators judge wrong)",
            "tune on validation, report on test",
        ),
        citation="Pagnoni, Balachandran, Tsvetkov: Understanding Factuality in Abstractive Summarization (2021)",
    )

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        """Yield the published aggregates; for a file of votes, every vote."""
        files = self.find(path)
        if not files or files[0].path.name not in SENTENCE_FILES:
            yield from super().judgements(path, split)
            return
        wanted = canonical_split(split)
        for record in Report(self.name).checked(json_items(files[0].path, "hash"), lambda record: [record]):
            if wanted in (None, canonical_split(record.text("split"))):
                yield from vote_judgements("/".join(_key(record)), record.text("model_name"), read_votes(record))

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        if file.path.name in SENTENCE_FILES:
            return report.checked(json_items(file.path, "hash"), _voted)
        folder = file.path.parent
        metrics, texts = (
            _by_key(open_file(folder / name, "hash"), report) if (folder / name).is_file() else {}
            for name, open_file in SIDE_FILES.items()
        )
        for name, side in zip(SIDE_FILES, (metrics, texts), strict=True):
            if not side:
                report.note(f"{name} is not next to {file.path.name}: its fields are omitted")
        if (folder / TRAPS).is_file():
            counts = trap_counts(folder / TRAPS)
            listed = ", ".join(f"{counts[code]:,} {what} ({code})" for code, what in TRAP_KINDS.items())
            report.note(f"{TRAPS} next to it has {sum(counts.values()):,} sentences to test annotators with: {listed}")
        records = json_items(file.path, "hash")
        return report.checked(records, lambda record: _frank(record, metrics, texts))


def trap_counts(path: Path) -> Counter[str]:
    """Return the number of sentences of each kind."""
    counted = Report(Frank.name).checked(
        json_lines(path, "hash"), lambda record: [record.choice("code", (*TRAP_KINDS,))]
    )
    return Counter(counted)


def _by_key(records: Iterator[Record], report: Report) -> dict[tuple[str, str], Record]:
    return dict(report.checked(_uncounted(records, report), lambda record: [(_key(record), record)]))


def _uncounted(records: Iterator[Record], report: Report) -> Iterator[Record]:
    """Read a side file, for lookup by key."""
    for record in records:
        report.records -= 1
        yield record


def _key(record: Record) -> tuple[str, str]:
    return record.text("hash"), record.text("model_name")


def _frank(
    record: Record, metrics: dict[tuple[str, str], Record], texts: dict[tuple[str, str], Record]
) -> Iterable[Example]:
    key = _key(record)
    columns = {name: record.number(name) for name in COLUMNS}
    columns |= {f"Flip_{name}": record.number(f"Flip_{name}") for name in COLUMNS[1:] if record.has(f"Flip_{name}")}
    text = texts.get(key)
    skipped = ("hash", "model_name", "dataset", "split")
    known = metrics[key].value if key in metrics else None
    judged = kinds.Judged(
        human=columns,
        errors=error_shares(columns),
        metrics=None if known is None else {name: value for name, value in known.items() if name not in skipped},
        summary=None if text is None else text.text("summary", empty=True),
        sentences=None if text is None else text.texts("sentences"),
    )
    yield _example(record, judged, text)


def _voted(record: Record) -> Iterable[Example]:
    """Return the example of a record of single votes, which includes its texts."""
    votes = read_votes(record)
    sentences = record.texts("summary_sentences")
    if len(sentences) != len(votes):
        raise record.bad("summary_sentences_annotations", f"has {len(votes)} entries for {len(sentences)} sentences")
    columns, summary = columns_of(verdicts(votes)), record.text("summary", empty=True)
    judged = kinds.Judged(human=columns, errors=error_shares(columns), summary=summary, sentences=sentences)
    yield _example(record, judged, record)


def _example(record: Record, judged: kinds.Judged, text: Record | None) -> Example:
    split = record.choice("split", ("valid", "test"))
    hash, system = _key(record)
    return Example(
        id=f"{hash}/{system}",
        references=(text.text("reference"),) if text else (),
        source=text.text("article") if text else None,
        input=judged.plain(),
        language="en",
        split="validation" if split == "valid" else "test",
        tags={"hash": hash, "system": system, "model_name": system, "dataset": record.text("dataset")},
    )


def error_shares(columns: dict[str, float]) -> dict[str, float]:
    """Return the share of sentences by error; `unassigned` has no majority category. They add up to 1 - Factuality."""
    shares = {name: columns["Other"] - columns[name] for name in CATEGORIES}
    return shares | {"unassigned": 1 - columns["Other"]}
