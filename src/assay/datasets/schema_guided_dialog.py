"""Schema-Guided Dialog in GEM's form: the system's reply from its dialog acts and the turn before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.sources import json_items
from assay.records import Example
from assay.records.kinds import Act, Acts, Utterance

if TYPE_CHECKING:
    from assay.datasets.record import Record

CONTEXT = 5
"""Number of turns before each reply; no published input uses more."""


class SchemaGuidedDialog(Dataset):
    name: ClassVar = "schema_guided_dialog"
    patterns: ClassVar = {
        split: (f"{folder}/dialogues_*.json",)
        for split, folder in (("train", "train"), ("validation", "dev"), ("test", "test"))
    }
    card: ClassVar = Card(
        title="Schema-Guided Dialog",
        task="dialog",
        goal="verbalise the dialog acts of a virtual assistant in reply to the previous turn",
        languages=("en",),
        sizes={"train": 164982, "validation": 10000, "test": 10000},
        licence="CC BY-SA 4.0",
        references="1",
        input_type="dialog acts",
        suite="dialog",
        source="https://github.com/google-research-datasets/dstc8-schema-guided-dialogue",
        files="train/, dev/ and test/ with dialogues_NNN.json",
        modifications=(
            "response generation: the system turn is the target; its acts and the user's turn are the input",
        ),
        hub=("GEM/schema_guided_dialog", None),
        notes=(
            "GEM evaluates on a sample of 10,000 turns per split; the reader returns every system turn of its files",
        ),
        citation="Rastogi et al.: Towards Scalable Multi-domain Conversational Agents (2020)",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_items(file.path, "dialogue_id")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        dialogue = record.text("dialogue_id")
        turns = record.items("turns")
        utterances = [
            Utterance("user" if turn.choice("speaker", ("USER", "SYSTEM")) == "USER" else "sys", turn.text("utterance"))
            for turn in turns
        ]
        prefix = f"{file.split}/" if file.split else ""  # the publishers restart dialogue numbers in each split
        for index, turn in enumerate(turns):
            if utterances[index].speaker != "sys" or index == 0:
                continue
            frames = turn.items("frames")
            if not frames:
                raise turn.bad("frames", "is empty")
            acts = [_act(action) for frame in frames for action in frame.items("actions")]
            call = next((frame.inner("service_call") for frame in frames if frame.has("service_call")), None)
            service = frames[0].text("service")
            before = utterances[max(0, index - CONTEXT) : index]
            method = call.text("method") if call else ""
            yield Example(
                id=f"{prefix}{dialogue}.{index}",
                references=(utterances[index].text,),
                source=before[-1].text,
                input=Acts(service=service, acts=acts, context=before, method=method).plain(),
                language="en",
                split=file.split,
                tags={"dialogue": dialogue, "turn": str(index), "service": service, "acts": str(len(acts))},
            )


def _act(action: Record) -> Act:
    return Act(action.text("act"), action.optional("slot"), action.texts("values"))
