"""Inputs: structures of examples as the text a model reads, and which part of a source it gets. Knows only records.

from assay import inputs
form = inputs.form("event-template:fields=template_only:separator=SEP")
text = form.render(example)
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.records.inputs import kind_of
from assay.records.kinds import OURS
from assay.registry import Registry
from assay.specs import build, parse

if TYPE_CHECKING:
    from assay.records.types import Example

FORMS: Registry[type[Form]] = Registry(
    "form",
    {
        "acts": "assay.inputs.acts:Acts",
        "annotated": "assay.inputs.spans:Annotated",
        "concepts": "assay.inputs.simple:Concepts",
        "controls": "assay.inputs.controls:Controls",
        "drs": "assay.inputs.drs:Drs",
        "entities": "assay.inputs.entities:Entities",
        "event-prompt": "assay.inputs.events:EventPrompt",
        "event-template": "assay.inputs.events:EventTemplate",
        "slots": "assay.inputs.simple:Slots",
        "source": "assay.inputs.simple:Source",
        "table": "assay.inputs.tables:Table",
        "triple-tree": "assay.inputs.triples:TripleTree",
        "triples": "assay.inputs.triples:Triples",
    },
    "assay.forms",
)
"""Name to class; a module is imported when its form is asked for."""


def form(text: str) -> Form:
    """A form from its name and options, `triples:style=types`."""
    spec = parse(text)
    found = FORMS.get(spec.name)
    return build(found, spec, found.presets)


def form_for(example: Example) -> str:
    """The form that fits an example where none was asked for; the source where no form is usual for its kind."""
    kind = kind_of(example)
    return _usual(kind, tuple(FORMS)) if kind else "source"


def forms_of(kind: str) -> list[str]:
    """The forms that write a kind of input, in the order of the table."""
    return [name for name, written in FORMS.each(lambda form: form.kind, {}) if written == kind]


@lru_cache
def _usual(kind: str, known: tuple[str, ...]) -> str:
    """Asked for every example; `known` because forms may be added at any time."""
    broken: dict[str, str] = {}
    written = FORMS.each(lambda form: (form.kind, form.usual), broken)
    found = next((name for name, (of, usual) in written if of == kind and usual), None)
    if not found and broken and kind not in OURS:  # one of these may write it: the source would be another text
        raise AssayError(f"no form that can be loaded writes {kind} inputs: {next(iter(broken.values()))}")
    return found or "source"


__all__ = ["FORMS", "Form", "form", "form_for", "forms_of"]
