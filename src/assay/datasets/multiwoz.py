"""MultiWOZ: predicted system turns in the unified format, and delexicalised references if available."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.record import Record, Report, kind
from assay.datasets.sources import json_items
from assay.records import Example, Output
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Turn


class MultiWoz(Dataset):
    name: ClassVar = "multiwoz"
    patterns: ClassVar = {"test": ("hdsa_test_reference.json", "*reference*.json")}
    card: ClassVar = Card(
        title="MultiWOZ",
        task="dialog",
        goal="the system's next turn: offer what the user asked for and answer what was requested",
        languages=("en",),
        sizes={"test": 7372},
        licence="MIT (corpus); predictions: none stated",
        references="1 for each style of delexicalisation",
        input_type="dialog turn",
        suite="dialog",
        source="https://github.com/Tomiinek/MultiWOZ_Evaluation",
        files="predictions {dialogue: [{response, state?, active_domains?}]} or references {dialogue: [text]}",
        notes=(
            "BLEU depends on the style of delexicalisation of the references: never compare across styles",
            "DAMD and MinTL predict 999 dialogues (7,354 turns)",
        ),
        citation="Nekvinda, Dušek: Shades of BLEU, Flavours of Success (2021)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        return report.checked(json_items(file.path), lambda record: _dialogue(record, file.split or "test"))

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        """Yield the responses of a predictions file, or of all files in a folder of predictions."""
        files = sorted((path / "predictions" if (path / "predictions").is_dir() else path).glob("*.json"))
        report = Report(self.name)
        for file in [path] if path.is_file() else files:
            for example in report.checked(json_items(file), lambda record: _dialogue(record, "test")):
                if kind_of(example) == "turn":
                    yield Output(id=example.id, output=read_input(example, Turn).response, system=file.stem)


def _dialogue(record: Record, split: str) -> Iterable[Example]:
    name = record.where.removeprefix("key ").lower().removesuffix(".json")
    if not isinstance(record.value, list):
        raise record.bad("turns", f"is {kind(record.value)}, not a list of turns")
    for index, turn in enumerate(record.value):
        tags = {"dialogue": name, "turn": str(index)}
        if isinstance(turn, str):
            yield Example(id=f"{name}.{index}", references=(turn,), language="en", split=split, tags=tags)
            continue
        fields = Record(record.path, f"{record.where} turn {index}", turn)
        made = Turn(
            response=fields.text("response", empty=True),
            state=_state(fields) if fields.has("state") else None,
            active_domains=fields.texts("active_domains") if fields.has("active_domains") else None,
        )
        yield Example(id=f"{name}.{index}", input=made.plain(), language="en", split=split, tags=tags)


def _state(record: Record) -> dict[str, dict[str, object]]:
    state = record.typed("state", dict)
    for domain, slots in state.items():
        if not isinstance(slots, dict):
            raise record.bad(f"state.{domain}", f"is {kind(slots)}, not slots with values")
    return state
