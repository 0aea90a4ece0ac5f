"""Forms: write the structured input of an example as the text that a model reads, and select parts of a source.

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
"""Name to class; a module is imported when its form is requested."""


def form(text: str) -> Form:
    """Return a form by name and options, e.g. `triples:style=types`."""
    spec = parse(text)
    cls = FORMS.get(spec.name)
    return build(cls, spec, cls.presets)


def form_for(example: Example) -> str:
    """Return the default form of an example; the source if its kind has no default form."""
    kind = kind_of(example)
    return _usual(kind, tuple(FORMS)) if kind else "source"


def forms_of(kind: str) -> list[str]:
    """Return the forms that write a kind of input, in the order of the table."""
    return [name for name, written in FORMS.each(lambda form: form.kind, {}) if written == kind]


@lru_cache
def _usual(kind: str, known: tuple[str, ...]) -> str:
    """Return the default form of a kind. Cached for speed; `known` is part of the key because forms may be added."""
    broken: dict[str, str] = {}
    written = FORMS.each(lambda form: (form.kind, form.usual), broken)
    default = next((name for name, (of, usual) in written if of == kind and usual), None)
    if (
        not default and broken and kind not in OURS
    ):  # a form that cannot be loaded may write it; the source would be a different text
        raise AssayError(f"no form that can be loaded writes {kind} inputs: {next(iter(broken.values()))}")
    return default or "source"


__all__ = ["FORMS", "Form", "form", "form_for", "forms_of"]
