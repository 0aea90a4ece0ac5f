"""The kinds of input: the page that lists them is complete, and one of somebody else's works like ours."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from assay.errors import AssayError
from assay.inputs import FORMS, form, form_for
from assay.inputs.form import Form
from assay.records import Example, inputs, kinds, read_examples, write_jsonl
from conftest import Call

PAGE = (Path(__file__).parents[2] / "docs/inputs.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_page_lists_every_kind_with_its_fields() -> None:
    section = PAGE[PAGE.index("## The kinds of input") :]  # before it stand the forms
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (.*) \|$", section, flags=re.MULTILINE))
    listed = {name: re.findall(r"`(\w+)`(\??)", fields) for name, fields in rows.items()}
    known = {
        name: [(field.name, "" if field.required else "?") for field in inputs.fields_of(kind)]
        for name, kind in kinds.OURS.items()
    }
    assert listed == known


@pytest.fixture
def contributed(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The kind and the form of the page, registered for one test."""
    module = ModuleType("contributed_kind")
    monkeypatch.setitem(sys.modules, "contributed_kind", module)
    monkeypatch.setattr(inputs.KINDS, "_added", {})
    monkeypatch.setattr(FORMS, "_added", {})
    for text in SNIPPETS:
        exec(compile(text, "docs/inputs.md", "exec", dont_inherit=True), module.__dict__)  # our own text
    return module


def test_a_kind_of_somebody_else_is_read_written_and_refused(
    contributed: ModuleType, here: Callable[..., Call], tmp_path: Path
) -> None:
    path, again = tmp_path / "e.jsonl", tmp_path / "again.jsonl"
    good = b'{"id":"a","references":["r"],"input":{"salt":1,"kind":"recipe","dish":"Soup","steps":["boil","eat"]}}\n'
    path.write_bytes(good)
    (example,) = read_examples(path).examples
    write_jsonl(again, [example])
    assert again.read_bytes() == good
    assert inputs.known_input(example) == contributed.Recipe(dish="Soup", steps=["boil", "eat"])
    assert form_for(example) == "recipe-steps"  # what systems give a model where no form was asked for
    assert here("render", path, "--as", "recipe-steps").out == '{"id":"a","text":"Soup: boil; eat"}\n'
    path.write_bytes(good + b'\n{"id":"e17","input":{"kind":"recipe","dish":"Soup","steps":["boil",3]}}\n')
    call = here("render", path, "--as", "recipe-steps")
    assert call.code == 1
    assert (
        f"{path} line 3 id e17: input.steps[1] is a whole number, not text; steps needs what to do, one text a step"
        in call.err
    )
    assert (
        "id a: form triples writes triples inputs; this one has recipe" in here("render", path, "--as", "triples").err
    )


def test_a_form_whose_kind_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lost(Form):
        name, about, kind = "lost", "", "lost"

    monkeypatch.setattr(FORMS, "_added", {"lost": Lost})
    with pytest.raises(AssayError, match="nobody says what lost inputs hold; register the kind"):
        form("lost").render(Example(id="a", input={"kind": "lost"}))


def test_kinds_of_ours_without_a_form_are_written_as_their_source() -> None:
    assert form_for(Example(id="a", source="s")) == "source"
    assert form_for(Example(id="a", input={"type": "slots", "slots": {}})) == "source"
    assert form_for(Example(id="a", input={"kind": "choice"})) == "source"
    assert form_for(Example(id="a", input={"kind": "unheard"})) == "source"
    assert form_for(Example(id="a", input={"kind": "event"})) == "event-template"
    assert form_for(Example(id="a", input={"kind": "triples"})) == "triples"
