"""Inputs: structures of examples as the text a model reads, and which part of a source it gets. Knows only records.

from assay import inputs
form, options = inputs.form("event-template", {"fields": "template_only", "separator": "SEP"})
text = form.render(example, options)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.inputs.form import Form

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMS = {
    "acts": "acts:ACTS",
    "annotated": "spans:ANNOTATED",
    "concepts": "simple:CONCEPTS",
    "controls": "controls:CONTROLS",
    "drs": "drs:DRS",
    "entities": "entities:ENTITIES",
    "event-prompt": "events:PROMPTED",
    "event-template": "events:TEMPLATE",
    "slots": "simple:SLOTS",
    "source": "simple:SOURCE",
    "table": "tables:TABLE",
    "triple-tree": "triples:TRIPLE_TREE",
    "triples": "triples:TRIPLES",
}
"""Name to module and form; a module is imported when its form is asked for."""


def form(name: str, options: Mapping[str, str] | None = None) -> tuple[Form, dict[str, str]]:
    """A form and its settled options; an unknown name is answered with the nearest ones."""
    if name not in FORMS:
        from difflib import get_close_matches

        near = get_close_matches(name, FORMS, n=3) or sorted(FORMS)
        raise UsageError(f"no form '{name}'; did you mean {', '.join(near)}? (assay render --help lists all)")
    module, _, attribute = FORMS[name].partition(":")
    found: Form = getattr(import_module(f"assay.inputs.{module}"), attribute)
    return found, found.settle(options or {})


__all__ = ["FORMS", "Form", "form"]
