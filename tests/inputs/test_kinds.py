"""The kinds of input: the page that lists them is complete, and one of somebody else's works like ours."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from assay.errors import AssayError
from assay.inputs import FORMS, form, form_for
from assay.inputs.form import Form
from assay.records import Example, inputs, kinds, read_examples, write_jsonl
from tests.conftest import Call, assay, read_jsonl
from tests.conftest import write_jsonl as write_rows

PAGE = (Path(__file__).parents[2] / "docs/inputs.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_page_lists_every_kind_with_its_fields() -> None:
    section = PAGE[PAGE.index("## The kinds of input") :]  # the forms are before it
    rows = dict(re.findall(r"^- \*\*`(\w+)`\*\* (.*(?:\n  .*)*)", section, flags=re.MULTILINE))
    listed = {name: re.findall(r"`(\w+)`(\??):", fields) for name, fields in rows.items()}
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


def test_a_kind_of_another_package_is_read_written_and_refused(
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
    assert here("data", "render", path, "--as", "recipe-steps").out == '{"id":"a","text":"Soup: boil; eat"}\n'
    path.write_bytes(good + b'\n{"id":"e17","input":{"kind":"recipe","dish":"Soup","steps":["boil",3]}}\n')
    call = here("data", "render", path, "--as", "recipe-steps")
    assert call.code == 1
    assert (
        f"{path}:3 id e17: input.steps[1] is an integer, not a string; steps needs what to do, one text a step"
        in call.err
    )
    assert (
        "id a: form triples writes triples inputs; this one has recipe"
        in here("data", "render", path, "--as", "triples").err
    )


def test_a_form_of_an_unregistered_kind_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lost(Form):
        name, about, kind = "lost", "", "lost"

    monkeypatch.setattr(FORMS, "_added", {"lost": Lost})
    with pytest.raises(AssayError, match="input kind lost is not registered"):
        form("lost").render(Example(id="a", input={"kind": "lost"}))


def test_a_kind_of_ours_is_one_class_and_one_row(tmp_path: Path) -> None:
    """In a copy of the package: the class of the page among ours, its form in a file of its own, a row in the table."""
    package = tmp_path / "assay"
    shutil.copytree(Path(kinds.__file__).parents[1], package, ignore=shutil.ignore_patterns("static", "sample"))
    imports, _, rest = SNIPPETS[1].partition("@register\n")
    kind, _, written = rest.partition("@dataclass")
    ours = package / "records/kinds.py"
    ours.write_text(ours.read_text(encoding="utf-8").replace("class Sentences(", f"{kind}class Sentences("), "utf-8")
    lines = [line for line in imports.splitlines() if "import register" not in line and "FORMS" not in line]
    text = "\n".join([*lines, "from assay.inputs import Form", "from assay.records.kinds import Recipe", ""])
    text += "@dataclass" + written.replace('FORMS.add("recipe-steps", RecipeSteps)\n', "")
    (package / "inputs/recipes.py").write_text(text, encoding="utf-8")
    table = package / "inputs/__init__.py"
    row = '        "recipe-steps": "assay.inputs.recipes:RecipeSteps",\n'
    table.write_text(table.read_text(encoding="utf-8").replace('        "slots":', f'{row}        "slots":'), "utf-8")
    rows = [{"id": "a", "input": {"kind": "recipe", "dish": "Soup", "steps": ["boil", "eat"]}}]
    examples, out = write_rows(tmp_path / "e.jsonl", rows), tmp_path / "o.jsonl"
    call = assay("system", "generate", examples, "--system", "copy", "-o", out, PYTHONPATH=str(tmp_path))
    assert call.code == 0, call.err
    assert read_jsonl(out)[0]["output"] == "Soup: boil; eat"
    call = assay("data", "render", examples, PYTHONPATH=str(tmp_path))
    assert (call.code, f"--as FORM is missing; {examples} has 1 recipe input (recipe-steps)" in call.err) == (2, True)


def test_what_has_no_source_is_said_with_the_forms_that_fit(here: Callable[..., Call], tmp_path: Path) -> None:
    spans = {"kind": "annotated", "text": "It rose", "spans": []}
    for structure, message in (
        (spans, "no source text; its annotated input is written by --as annotated"),
        ({"kind": "turn", "response": "Yes."}, "no source text, and no form writes turn inputs"),
        (
            {"kind": "triples", "triples": []},
            "no source text; its triples input is written by --as triple-tree or",
        ),
        (None, "no source text and no structured input; there is nothing to write"),
    ):
        path = write_rows(tmp_path / "e.jsonl", [{"id": "s", "source": "."}, {"id": "a", "input": structure}])
        call = here("data", "render", path, "--as", "source")
        assert (call.code, f"{path}:2 id a: {message}" in call.err) == (1, True), call.err
    path = write_rows(tmp_path / "e.jsonl", [{"id": "s", "source": "."}, {"id": "a", "input": spans}])
    call = here("system", "generate", path, "--system", "copy", "-o", tmp_path / "o.jsonl")
    assert f"{path}:2 id a: no source text; its annotated input is written by --as annotated" in call.err
    call = here("data", "render", path)
    assert (
        call.code,
        f"--as FORM is missing; {path} has 1 text input (controls, source), 1 annotated input (annotated)" in call.err,
    ) == (2, True)


def test_a_kind_is_built_from_plain_lists_and_tuples() -> None:
    """Variables of narrower types fit, which mypy watches here, and a tuple is as good as a list."""
    pairs = [("name", "Thornbeck"), ("area", "harbour")]
    scores = {"fluency": 4}
    clauses = (("b1", "REF", "x1"), ("b1", "REF", "x2"))
    assert kinds.Slots(slots=pairs).plain()["slots"] == [["name", "Thornbeck"], ["area", "harbour"]]
    assert kinds.Judged(human=scores).plain() == {"kind": "judged", "human": {"fluency": 4}}
    assert kinds.Drs(clauses=clauses).plain()["clauses"] == [["b1", "REF", "x1"], ["b1", "REF", "x2"]]
    with pytest.raises(kinds.FieldError, match="has 2 entries"):
        kinds.Drs(clauses=(("b1", "REF"),))


def test_kinds_of_ours_without_a_form_are_written_as_their_source() -> None:
    assert form_for(Example(id="a", source="s")) == "source"
    assert form_for(Example(id="a", input={"type": "slots", "slots": {}})) == "source"
    assert form_for(Example(id="a", input={"kind": "choice"})) == "source"
    assert form_for(Example(id="a", input={"kind": "annotated"})) == "source"
    assert form_for(Example(id="a", input={"kind": "unheard"})) == "source"
    assert form_for(Example(id="a", input={"kind": "event"})) == "event-template"
    assert form_for(Example(id="a", input={"kind": "triples"})) == "triples"
