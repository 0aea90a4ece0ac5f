"""Inputs: structures of examples as the text a model reads, and which part of a source it gets. Knows only records.

from assay import inputs
form = inputs.form("event-template:fields=template_only:separator=SEP")
text = form.render(example)
"""

from __future__ import annotations

from assay.inputs.form import Form
from assay.registry import Registry
from assay.specs import build, parse

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


__all__ = ["FORMS", "Form", "form"]
