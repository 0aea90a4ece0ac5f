"""Short structures as text: meaning representations, concept sets, and the plain source."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.inputs.form import Form, Options, structure

if TYPE_CHECKING:
    from assay.records import Example

BRACKETED = re.compile(r"([^\[\],]+)\[([^\]]*)\](?:, |$)")


def slots_text(given: dict[str, Any], options: Options) -> str:
    """`name[X], area[Y]`, or `name: X | area: Y`; an act, if there is one, stands in front."""
    pairs = sorted(given["slots"], key=lambda pair: pair[0]) if options["order"] == "sorted" else given["slots"]
    if options["style"] == "pairs":
        body = " | ".join(f"{slot}: {value}" if value is not None else slot for slot, value in pairs)
        return f"{given['act']} | {body}" if given.get("act") else body
    if given.get("act"):
        inside = ",".join(slot if value is None else f"{slot}={_quoted(value)}" for slot, value in pairs)
        return f"{given['act']}({inside})"
    return ", ".join(f"{slot}[{value}]" for slot, value in pairs)


def _quoted(value: str) -> str:
    return f"'{value}'" if re.search(r"[\s,=()&]", value) else value


def parse_slots(text: str, options: Options) -> list[list[str]]:
    """Slots of the bracket style."""
    pairs, position = [], 0
    while position < len(text):
        match = BRACKETED.match(text, position)
        if not match:
            raise AssayError(f"{text[position : position + 40]!r} is not slot[value]")
        pairs.append([match[1], match[2]])
        position = match.end()
    return pairs


def _write_slots(example: Example, options: Options) -> str:
    return slots_text(structure(example), options)


def _write_concepts(example: Example, options: Options) -> str:
    words = list(structure(example)["concepts"])
    if options["order"] == "sorted":
        words.sort()
    elif options["order"] == "shuffled":
        random.Random(f"{options['seed']}\0{example.id}").shuffle(words)
    return options["separator"].join(words)


def _write_source(example: Example, options: Options) -> str:
    if example.source is None:
        raise AssayError(f"id {example.id}: no source text; choose a form for its input")
    return options["prefix"] + example.source


SLOTS = Form(
    name="slots",
    about="a meaning representation: slot[value] or act(slot=value), or pairs",
    kind="slots",
    write=_write_slots,
    parse=parse_slots,
    options={"order": "given", "style": "brackets"},
    choices={"order": ("given", "sorted"), "style": ("brackets", "pairs")},
)

CONCEPTS = Form(
    name="concepts",
    about="a set of concepts: as given, sorted, or shuffled with a seed",
    kind="concepts",
    write=_write_concepts,
    parse=lambda text, options: text.split(options["separator"]),
    options={"order": "given", "separator": " ", "seed": "0"},
    choices={"order": ("given", "sorted", "shuffled")},
)

SOURCE = Form(
    name="source",
    about="the source text, with a prefix",
    kind="text",
    write=_write_source,
    options={"prefix": ""},
)
