"""Parallel Meaning Bank: sentences for discourse representation structures, with challenge sets of minimal edits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.record import Record, RecordError, Report
from assay.datasets.sources import text_lines
from assay.errors import AssayError
from assay.inputs.drs import clause_words
from assay.records import Example, kinds

INPUT = re.compile(r"--input \S*?(p\d+/d\d+)/")

CHALLENGES = {
    "test-tense.txt": "tense",
    "test-neg.txt": "polarity",
    "test-polarity.txt": "number",  # as published: the file named polarity contains the number set
    "name_entity.txt": "names",
    "test-quantity.txt": "quantity",
}


class Drs(Dataset):
    name: ClassVar = "drs"
    patterns: ClassVar = {
        split: (f"{file}.txt", f"*gold/{file}.txt", f"gold/{file}.txt", f"data/*/gold/{file}.txt")
        for split, file in (("train", "train"), ("validation", "dev"), ("test", "test"))
    } | {f"challenge_{name}": (f"challenge_set/{file}", file) for file, name in CHALLENGES.items()}
    card: ClassVar = Card(
        title="Parallel Meaning Bank 4.0.0 (gold, English)",
        task="data-to-text",
        goal="a sentence that expresses the meaning representation",
        languages=("en",),
        sizes={
            "validation": 1169, "test": 1048, "challenge_tense": 200, "challenge_polarity": 100,
            "challenge_number": 100, "challenge_names": 50, "challenge_quantity": 50,
        },
        licence="open (PMB); challenge sets: none stated",
        references="1",
        input_type="discourse representation structure",
        suite="data-to-text",
        source="https://pmb.let.rug.nl",
        files="dev.txt and test.txt next to dev.txt.raw and test.txt.raw; the challenge sets in challenge_set/",
        notes=(
            "the published file test-polarity.txt contains the number set and test-neg.txt the polarity set",
            "challenge items were made from release 3.0.0; their parents have the same ids",
        ),
        citation="Wang, van Noord, Bisazza, Bos: Evaluating Text Generation from DRS (2021)",
    )  # fmt: skip

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        raw = file.path.with_name(file.path.name + ".raw")
        if not raw.is_file():
            raise AssayError(f"{raw}: missing; {self.name} needs {self.card.files}")
        return report.checked(_paired(file.path, raw), lambda record: _examples(record, file))


def _paired(path: Path, raw: Path) -> Iterator[Record]:
    """Yield blocks of clauses, each with its line of text."""
    texts = text_lines(raw)
    count = 0
    for block in _blocks(path):
        text = next(texts, None)
        if text is None:
            yield Record(raw, f"line {count + 1}", problem="is missing; there are more structures than texts")
            return
        count += 1
        problem = block.problem or text.problem
        yield Record(path, block.where, {"lines": block.value, "text": text.value}, problem=problem, index=count - 1)
    if next(texts, None) is not None:
        yield Record(path, f"after structure {count}", problem=f"is missing; {raw.name} has more lines than structures")


def _blocks(path: Path) -> Iterator[Record]:
    lines: list[str] = []
    start, problem = 1, None
    for number, line in enumerate(text_lines(path), 1):
        problem = problem or line.problem
        if line.value and line.value.strip():
            if not lines:
                start = number
            lines.append(line.value)
        elif lines and not line.problem:
            yield Record(path, f"structure at line {start}", lines, problem=problem)
            lines, problem = [], None
    if lines:
        yield Record(path, f"structure at line {start}", lines, problem=problem)


def _examples(record: Record, file: SplitFile) -> Iterable[Example]:
    lines = record.texts("lines")
    header = next((match for line in lines if line.startswith("%") and (match := INPUT.search(line))), None)
    if header is None:
        raise record.bad("--input", "is missing in the header comment, so the structure has no id")
    clauses = [clause for line in lines if (clause := _clause(line))]
    if not clauses:
        raise RecordError(record, "has no clauses")
    for clause in clauses:
        if len(clause) < 3 or (len(clause) > 4 and clause[1] != "REF"):
            raise record.bad("clause", f"is not box, operator and arguments: {' '.join(clause)[:40]!r}")
    challenge = (file.split or "").removeprefix("challenge_") if (file.split or "").startswith("challenge_") else ""
    id = header[1]
    yield Example(
        id=f"{challenge}:{id}" if challenge else id,
        references=(record.text("text"),),
        input=kinds.Drs(clauses=clauses).plain(),
        language="en",
        split=file.split,
        parent=id if challenge else None,
        tags={"challenge": challenge} if challenge else {},
    )


def _clause(line: str) -> list[str]:
    return clause_words(_without_comment(line))


def _without_comment(line: str) -> str:
    """Remove a comment: everything from the first % outside quotation marks."""
    quoted = False
    for i, char in enumerate(line):
        if char == '"':
            quoted = not quoted
        elif char == "%" and not quoted:
            return line[:i]
    return line
