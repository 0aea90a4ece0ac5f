"""Dialog acts as text: original, sorted or template order, after the service, with up to five turns of context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.records.files import read_text

if TYPE_CHECKING:
    from assay.records import Example, kinds
    from assay.records.kinds import Act, Utterance

SEPARATOR = " __sep__ "
INTENT_ACTS = ("NOTIFY_FAILURE", "NOTIFY_SUCCESS", "INFORM_COUNT", "OFFER_INTENT")
ORDER = ("SELECT", "INFORM_COUNT", "NOTIFY_SUCCESS", "NOTIFY_FAILURE", "INFORM", "REQUEST", "CONFIRM")
LITERAL_VALUES = ("True", "False", "dontcare")
CONFIRMING = "Please confirm the following details:"


def act_text(act: Act) -> str:
    return " ".join(part for part in (act.act, act.slot, *act.values) if part)


def call_text(act: Act) -> str:
    """`OFFER(price=$23)`, the style of GEM's paper."""
    values = " or ".join(act.values)
    return f"{act.act}({act.slot or ''}{'=' + values if values else ''})"


def template_key(act: Act, method: str) -> str:
    """Return the key of an act in a template file, e.g. `OFFER!!price!!@`."""
    name, slot, values = act.act, act.slot, act.values
    parts = [name]
    if name in INTENT_ACTS:
        intent = (values[0] if values else "") if name == "OFFER_INTENT" else method
        if not intent:
            raise AssayError(f"act {name} needs the intent: the method of the service call is missing")
        parts += [intent, *(("count", "@") if name == "INFORM_COUNT" else ())]
    elif slot:
        parts.append(slot)
        if values and values[0] in LITERAL_VALUES:
            if len(values) > 1:
                raise AssayError(f"act {name} {slot}: {values[0]} next to other values")
            parts.append(values[0])
        else:
            parts += ["@"] * len(values)
    return "!!".join(parts)


def templated(structure: kinds.Acts, templates: Mapping[str, str]) -> str:
    """Write each act as a minimal sentence, in the precedence of the templates' authors or the original order."""
    acts = sorted(structure.acts, key=lambda act: ORDER.index(act.act) if act.act in ORDER else len(ORDER))
    pieces = [CONFIRMING] if any(act.act == "CONFIRM" for act in acts) else []
    for act in acts:
        key = template_key(act, structure.method)
        if key not in templates:
            raise AssayError(
                f"no template for {key} of service {structure.service}; add it to {structure.service}.tsv, or use "
                "style=acts"
            )
        text = templates[key]
        for value in act.values if "@" in key else ():
            text = text.replace("@", value.replace("@", "\0"), 1)
        pieces.append(text.replace("\0", "@"))
    return " ".join(pieces)


@lru_cache(maxsize=64)
def read_templates(path: Path) -> Mapping[str, str]:
    """Read a file of key, tab, template; key and template must have the same number of @."""
    templates = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        key, tab, template = line.partition("\t")
        if not tab or key.count("@") != template.count("@"):
            raise AssayError(f"{path}:{number}: write a key, a tab and a template with the same number of @")
        templates[key.strip()] = template.strip()
    return templates


def context_text(turns: Sequence[Utterance], count: int) -> str:
    """Return the last `count` turns, oldest first."""
    return " ".join(f"{turn.speaker}: {turn.text}" for turn in turns[len(turns) - min(count, len(turns)) :])


@dataclass(frozen=True)
class Acts(Form):
    name: ClassVar = "acts"
    about: ClassVar = "service and dialog acts, as calls or by templates, with 0 to 5 turns of context"
    kind: ClassVar = "acts"
    presets: ClassVar = {"prompt": {"context": 1}, "context5": {"context": 5}}
    reversible: ClassVar = "service, act strings and context, if no value contains a comma"

    order: Literal["sorted", "given"] = "sorted"
    style: Literal["acts", "call", "template"] = "acts"
    context: Literal[0, 1, 2, 3, 4, 5] = 0
    """Number of turns before the reply; 1 is the user's turn only."""
    templates: str = ""
    """A folder with one SERVICE.tsv of templates for each service."""

    def write(self, example: Example, structure: kinds.Acts) -> str:
        if self.style == "template":
            if not self.templates:
                raise AssayError("style=template needs templates=FOLDER with one SERVICE.tsv for each service")
            body = templated(structure, read_templates(Path(self.templates) / f"{structure.service}.tsv"))
        else:
            acts = [(call_text if self.style == "call" else act_text)(act) for act in structure.acts]
            body = ", ".join(sorted(acts) if self.order == "sorted" else acts)
        context = context_text(structure.context, self.context)
        return SEPARATOR.join(part for part in (structure.service, body, context) if part)

    def read(self, text: str) -> dict[str, Any]:
        """Return service, act strings and context; acts remain strings, since values may contain spaces."""
        service, _, rest = text.partition(SEPARATOR)
        body, _, context = rest.partition(SEPARATOR)
        return {"service": service, "acts": body.split(", ") if body else [], "context": context}
