"""Convert rows in GEM's schema (as on the Hugging Face hub) to examples of any dataset.

Every configuration has `gem_id`, `target` and `references`; the fields of the input depend on its type.
Files of the publishers have other schemas and are read by the module of each dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assay.datasets import structures
from assay.records.kinds import Act, Acts, Concepts, Input, Slots, Triples, Utterance
from assay.records.types import Example

if TYPE_CHECKING:
    from assay.datasets.base import Card
    from assay.datasets.record import Record

ID_FIELDS = ("gem_id", "id")
TARGET_FIELDS = ("target", "summary")
SOURCE_FIELDS = ("source", "document", "text", "prompt", "source_sentence")

ACT_NAMES = (
    "AFFIRM", "AFFIRM_INTENT", "CONFIRM", "GOODBYE", "INFORM", "INFORM_COUNT", "INFORM_INTENT", "NEGATE",
    "NEGATE_INTENT", "NOTIFY_FAILURE", "NOTIFY_SUCCESS", "OFFER", "OFFER_INTENT", "REQUEST", "REQUEST_ALTS",
    "REQ_MORE", "SELECT", "THANK_YOU",
)  # fmt: skip
"""Act names by GEM's code."""


def examples(record: Record, card: Card, name: str, split: str | None) -> Iterator[Example]:
    """Yield the example of a row. Training rows have no references; the target is then the only reference."""
    named = next((field for field in ID_FIELDS if record.has(field)), None)
    id = record.text(named) if named else f"{name}-{split or 'unknown'}-{record.index}"
    references = record.texts("references") if record.has("references") else []
    target = next((field for field in TARGET_FIELDS if record.has(field)), None)
    if not references and target:
        references = [record.text(target)]
    source = next((record.optional(field) for field in SOURCE_FIELDS if record.has(field)), None)
    make = INPUTS.get(card.input_type)
    parent = record.optional("gem_parent_id")
    yield Example(
        id=id,
        references=tuple(references),
        source=source or None,
        input=make(record).plain() if make else None,
        language=card.languages[0] if len(card.languages) == 1 else None,
        split=split,
        parent=parent if parent and parent != id else None,
    )


def _acts(record: Record) -> Acts:
    acts = []
    for act in record.items("dialog_acts"):
        code = act.get("act")
        if not isinstance(code, str) and not (isinstance(code, int) and 0 <= code < len(ACT_NAMES)):
            raise act.bad("act", f"is neither an act name nor a code below {len(ACT_NAMES)}")
        name = code if isinstance(code, str) else ACT_NAMES[code]
        acts.append(Act(name, act.optional("slot"), act.texts("values") if act.has("values") else []))
    turns = record.texts("context") if record.has("context") else [record.optional("prompt")]
    context = [Utterance("user" if (len(turns) - i) % 2 else "sys", text) for i, text in enumerate(turns) if text]
    return Acts(service=record.optional("service"), acts=acts, context=context)


def _triples(record: Record) -> Triples:
    field = "input" if record.has("input") else "tripleset"
    values = record.typed(field, list)
    triples = [structures.triple(record, value, field) for value in values]
    return Triples(triples=triples, category=record.optional("category"))


def _meaning(record: Record) -> Slots:
    if record.has("dialog_act"):
        return structures.czech_act(record, record.text("dialog_act"))
    return structures.slots(record, record.text("meaning_representation"))


INPUTS: dict[str, Callable[[Record], Input]] = {
    "concept set": lambda record: Concepts(concepts=record.texts("concepts", least=1)),
    "dialog acts": _acts,
    "triples": _triples,
    "meaning representation": _meaning,
    "highlighted table": structures.table,
}
