"""Entailment: premise, hypothesis and label, from seven published sets in one layout."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.record import Record, Report
from assay.datasets.tables import table_rows
from assay.errors import AssayError
from assay.records import Example
from assay.specs import did_you_mean

THREE = ("entailment", "neutral", "contradiction")
TWO = ("entailment", "not_entailment")
SETS: Mapping[str, tuple[str, ...]] = {
    "mnli": THREE, "snli": THREE, "sick": THREE, "mpe": THREE, "rte": TWO, "scitail": TWO, "add_one_rte": TWO,
}  # fmt: skip
"""Classes of each set; two-class sets do not distinguish neutral from contradiction."""
FREE = "mnli+scitail+snli"
"""Sets whose terms allow any use."""
IMAGE_ID = re.compile(r"(\d+)(jpg\d)?")
MARKUP = re.compile(r"</?[bu]>")
TESTED, VALIDATED = 10, 3
"""Percentage of the premises."""


@dataclass(frozen=True)
class NliPairs(Dataset):
    sets: str = FREE
    """Sets to read, joined by +."""

    name: ClassVar = "nli"
    inner_splits: ClassVar = True
    card: ClassVar = Card(
        title="Entailment pairs (MultiNLI, SNLI, SciTail, SICK, MPE, RTE, add-one-RTE)",
        task="annotation",
        goal="classify whether the premise entails the hypothesis, contradicts it, or neither",
        languages=("en",),
        sizes={"train": 27715, "validation": 812, "test": 3077},
        licence="MultiNLI: OANC's terms, fiction CC BY or CC BY-SA 3.0 or public domain; SNLI: CC BY-SA 4.0; SciTail:"
        " Apache-2.0; SICK: CC BY-NC-SA 3.0; MPE, RTE, add-one-RTE: none stated",
        references="1",
        input_type="pair of texts",
        suite="",
        source="https://cims.nyu.edu/~sbowman/multinli, https://nlp.stanford.edu/projects/snli, "
        "https://allenai.org/data/scitail",
        files="a folder for each set (mnli, snli, scitail, ...) with dev.csv or train.csv: premise,hypothesis,label",
        notes=(
            "default: the sets whose terms allow any use, sets=mnli+scitail+snli",
            "all pairs of a premise are in one split, by a digest of its letters: 10 % test, 3 % validation",
            "image ids inside the premises of MPE and marks inside those of add-one-RTE are removed",
            "RTE, SciTail and add-one-RTE have two classes, entailment and not_entailment",
        ),
        citation="Williams et al. (2018), MultiNLI; Bowman et al. (2015), SNLI; Khot et al. (2018), SciTail; Marelli et"
        " al. (2014), SICK; Lai et al. (2017), MPE; Dagan et al. (2006), RTE; Pavlick and Callison-Burch (2016)",
    )

    def __post_init__(self) -> None:
        for name in self.sets.split("+"):
            if name not in SETS:
                raise AssayError(f"nli: no set {name}{did_you_mean(name, SETS)}; there is {', '.join(SETS)}")

    @property
    def file_patterns(self) -> Mapping[str, tuple[str, ...]]:
        names = sorted(self.sets.split("+"))
        return {f"{name} {part}": (f"{name}/{part}.csv",) for name in names for part in ("dev", "train")}

    def read(self, path: Path, split: str | None = None, report: Report | None = None) -> Iterator[Example]:
        yield from super().read(path, split, report)
        others = [name for name in SETS if name not in self.sets.split("+") and (path / name).is_dir()]
        if others and report is not None:
            report.note(f"not read: {', '.join(others)}; {self.name}:sets={'+'.join((self.sets, *others))} reads all")

    def records(self, file: SplitFile) -> Iterable[Record]:
        return table_rows(file.path, ("premise", "hypothesis", "label"))

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        name = file.path.parent.name if file.path.parent.name in SETS else "nli"
        premise, hypothesis, label = (record.text(field) for field in ("premise", "hypothesis", "label"))
        known = SETS.get(name, (*THREE, TWO[1]))
        if label not in known:
            raise record.bad("label", f"is {label[:40]!r}, and {name} has {', '.join(known)}")
        yield Example(
            id=gem_id(name, file.path.stem, record.index),
            source=_plain(name, premise),
            references=(_plain(name, hypothesis),),
            language="en",
            split=split_of_premise(premise),
            tags={"label": label, "set": name},
        )


def _plain(name: str, text: str) -> str:
    if name == "mpe":
        text = without_image_ids(text)
    if name == "add_one_rte":
        text = MARKUP.sub("", text)
    return " ".join(text.split()) if name in ("mpe", "add_one_rte") else text.strip()


def without_image_ids(text: str) -> str:
    """Replace names of images by spaces; every run of digits is read once, so that long ones cost no more."""
    return IMAGE_ID.sub(lambda match: " " if match[2] else match[0], text)


def split_of_premise(premise: str) -> str:
    """Return the split by the letters and digits of the premise, so that variants of a premise are in one split."""
    letters = "".join(character for character in premise.lower() if character.isalnum())
    place = int.from_bytes(hashlib.blake2b(letters.encode(), digest_size=8).digest(), "big") % 100
    return "test" if place < TESTED else "validation" if place < TESTED + VALIDATED else "train"
