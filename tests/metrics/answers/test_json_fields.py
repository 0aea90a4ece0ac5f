"""json_fields: counted by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.metrics.answers.json_fields import Counts, compare
from assay.records import Example

ORDER = {"name": "Ada", "year": 1999, "lines": [{"item": "tea", "n": 2}, {"item": "rum", "n": 1}]}


def scores(output: Any, expected: Any, options: str = "") -> dict[str, float | None]:
    text = output if isinstance(output, str) else json.dumps(output)
    found = assay.score(
        [assay.Output(id="1", output=text)], examples=[assay.Example(id="1", expected=expected)],
        metrics=f"json_fields{options}",
    )  # fmt: skip
    return {name.removeprefix("json_fields."): score.value for name, score in found.scores.items()}


def test_equal() -> None:
    assert set(scores(ORDER, ORDER).values()) == {1.0}


def test_by_hand() -> None:
    changed = {"name": "Ada", "year": "1999", "lines": [{"item": "rum", "n": 1}, {"item": "tea", "n": 3}], "extra": 1}
    found = scores(changed, ORDER)
    assert found["precision"] == pytest.approx(4 / 7)  # name, rum, 1, tea of seven values
    assert found["recall"] == pytest.approx(4 / 6)
    assert found["json_fields"] == pytest.approx(8 / 13)
    assert found["types"] == pytest.approx(6 / 7)  # name, lines and four fields inside, of these and year


def test_fences_and_other_text() -> None:
    fenced = f"Here it is:\n```json\n{json.dumps(ORDER)}\n```\nDone."
    assert scores(fenced, ORDER)["json_fields"] == 1
    assert scores(f"It is {json.dumps(ORDER)} I think.", ORDER)["json_fields"] == 1


def test_no_json() -> None:
    found = scores("I cannot do that", ORDER)
    assert (found["valid"], found["recall"], found["precision"], found["json_fields"]) == (0, 0, 0, 0)


def test_lists_have_no_order() -> None:
    assert compare(["a", "b"], ["b", "a", "a"]) == Counts(2, 2, 3)
    assert compare([{"a": 1}], "x") == Counts(0, 1, 1)


def test_a_reference_with_json_is_the_expected_answer() -> None:
    found = assay.score(['{"a": 1}'], ['{"a": 1, "b": 2}'], metrics="json_fields")
    assert found.scores["json_fields"].value == pytest.approx(2 / 3)


def test_which_fields_are_wrong() -> None:
    examples = [assay.Example(id=str(i), expected={"a": i, "b": i}) for i in range(4)]
    outputs = [assay.Output(id=str(i), output=json.dumps({"a": i, "b": -1})) for i in range(4)]
    found = assay.score(outputs, examples=examples, metrics="json_fields")
    assert any("lowest recall of fields: b 0.00" in note for note in found.warnings)


def test_a_schema(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    rule = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "integer"}},
        "additionalProperties": False,
    }
    path.write_text(json.dumps(rule))
    assert scores({"a": 1}, {"a": 1}, f":schema={path}")["valid"] == 1
    assert scores({"a": 1, "b": 2}, {"a": 1}, f":schema={path}")["valid"] == 0
    assert scores({"a": "1"}, {"a": 1}, f":schema={path}")["valid"] == 0
    path2 = tmp_path / "other.json"
    path2.write_text(json.dumps({"$ref": "#"}))
    with pytest.raises(AssayError, match=r"the keyword \$ref is not supported"):
        scores({"a": 1}, {"a": 1}, f":schema={path2}")


def test_many_entries() -> None:
    many = [{"n": i} for i in range(2000)]
    assert compare(many, many).matched == 2000


def test_what_objects_share_is_no_label() -> None:
    outputs = [f'{{"a": {i}, "b": ["calm", "sea"]}}' for i in range(12)]
    expected = [Example(id=str(i), expected={"a": i, "b": ["calm", "sea"]}) for i in range(12)]
    assert not [note for note in assay.score(outputs, examples=expected).warnings if "remove it" in note]
