"""E2E: restaurant descriptions from meaning representations, in the original and the cleaned release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.datasets import structures
from assay.datasets.base import Card, SplitFile, gem_id
from assay.datasets.meaning import MeaningPairs
from assay.datasets.record import Report
from assay.datasets.tables import table_rows
from assay.errors import AssayError
from assay.records import Judgement

if TYPE_CHECKING:
    from assay.datasets.record import Record
    from assay.records.kinds import Slots

CLEANED: dict[str, tuple[str, ...]] = {
    "train": ("train-fixed.no-ol.csv", "cleaned*/train-fixed.no-ol.csv"),
    "validation": ("devel-fixed.no-ol.csv", "cleaned*/devel-fixed.no-ol.csv"),
    "test": ("test-fixed.csv", "cleaned*/test-fixed.csv"),
}
ORIGINAL: dict[str, tuple[str, ...]] = {
    "train": ("trainset.csv",),
    "validation": ("devset.csv",),
    "test": ("testset_w_refs.csv", "testset.csv"),
}
QUALITY = "human_quality.csv"
PLACES = range(1, 6)


@dataclass(frozen=True)
class E2ENlg(MeaningPairs):
    name: ClassVar = "e2e_nlg"
    meaning: ClassVar = "mr"
    text: ClassVar = "ref"
    version: Literal["cleaned", "original"] = "cleaned"
    card: ClassVar = Card(
        title="E2E NLG (cleaned)",
        task="data-to-text",
        goal="a restaurant description with all attributes and no others",
        languages=("en",),
        sizes={"train": 33525, "validation": 4299, "test": 4693},
        licence="CC BY-SA 4.0",
        references="grouped by meaning representation (1,484 in validation, 1,847 in test), or 1 with rows=pair",
        input_type="meaning representation",
        suite="data-to-text",
        source="https://github.com/tuetschek/e2e-cleaning",
        files="train-fixed.no-ol.csv, devel-fixed.no-ol.csv and test-fixed.csv of cleaned-data",
        modifications=("the cleaned release replaces the original: version=cleaned (default) or version=original",),
        hub=("GEM/e2e_nlg", None),
        notes=(
            "sizes count rows (pairs); which rows form one example depends on the option 'rows', recorded in the tags",
            f"--judgements writes the quality rankings of the challenge ({QUALITY}): five systems per row, as criteria"
            " quality (0 to 100) and check (ok, missing, added), for the ids of version=original",
        ),
        citation="Dušek, Howcroft, Rieser: Semantic Noise Matters for Neural NLG (2019)",
    )

    @property
    def file_patterns(self) -> Mapping[str, tuple[str, ...]]:
        if self.version == "original":
            return ORIGINAL
        return {split: CLEANED[split] + ORIGINAL[split] for split in CLEANED}

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        """Yield the quality of the five systems of each row, and what a text omits or adds.

        Ids are those of version=original, whose test set was judged; the unit is the row, i.e. the compared systems.
        """
        file = path if path.is_file() else path / QUALITY
        if not file.is_file():
            raise AssayError(f"{file}: not found; it contains the quality rankings of the challenge")
        return Report(self.name).checked(table_rows(file, ("unit", "worker", "mr_id", "sys1", "quality1")), _ranked)

    def records(self, file: SplitFile) -> Iterable[Record]:
        return table_rows(file.path, ("mr", "ref"))

    def structure(self, record: Record) -> Slots:
        return structures.slots(record, record.text("mr"))

    def tags(self, record: Record) -> dict[str, str]:
        return {"version": "cleaned" if "orig_mr" in record.value else "original"}


def _ranked(record: Record) -> Iterator[Judgement]:
    number = record.text("mr_id")
    if not number.isdecimal():
        raise record.bad("mr_id", f"is not a number: {number[:20]!r}")
    for place in PLACES:
        quality = record.text(f"quality{place}")
        if not quality.isdecimal():
            raise record.bad(f"quality{place}", f"is not a number: {quality[:20]!r}")
        values: tuple[tuple[str, float | str], ...] = (
            ("quality", float(quality)), ("check", "+".join(record.text(f"check{place}").split())),
        )  # fmt: skip
        for criterion, value in values:
            yield Judgement(
                id=gem_id(E2ENlg.name, "test", int(number) - 1), system=record.text(f"sys{place}"),
                annotator=record.text("worker"), criterion=criterion, value=value, position=place,
                unit=f"row:{record.text('unit')}", method="magnitude" if criterion == "quality" else "choice",
            )  # fmt: skip
