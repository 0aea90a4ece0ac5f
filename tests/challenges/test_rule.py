"""Rules of one's own: expressions that are computed and never run, and Python functions."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.challenges.contrast import contrast, tagged
from assay.challenges.contrast.expression import ExpressionError, compute, read_expression
from assay.challenges.contrast.rule import Rule
from assay.errors import AssayError
from assay.records import Example

ITEM = Example(id="a", source="It rained all day.", language="en", tags={"size": "4", "category": "City", "a-b": "x"})


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('category == "City"', "yes"),
        ("int(size) > 3 and language in ('de', 'en')", "yes"),
        ("not category or 2 < int(size) < 4", "no"),
        ("words(source)", "4"),
        ("words(source) // 3 * 2 - 1", "1"),
        ('"long" if len(source) > 10 else "short"', "long"),
        ('tag("a-b") == "x"', "yes"),
        ("missing is None", "yes"),
        ("int(missing)", None),
        ("lower(category)", "city"),
        ("missing == 'x' or startswith(source, 'It')", "yes"),
        ("-1 < 0", "yes"),
    ],
)
def test_expressions_are_evaluated(expression: str, value: str | None) -> None:
    (made,) = tagged(Rule(expression=expression), [ITEM])
    assert made.tags.get("rule") == value


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("__import__('os').system('true')", r"no function \?"),
        ("source.upper()", r"no function \?"),
        ("source.upper", "Attribute is not allowed"),
        ("[x for x in source]", "ListComp is not allowed"),
        ("(lambda: 1)()", "not allowed|no function"),
        ("open('x')", "no function open"),
        ("f'{source}'", "JoinedStr is not allowed"),
        ("9 ** 9", "Pow is not allowed"),
        ("source[0]", "Subscript is not allowed"),
        ("len(obj=1)", "no function len|keyword is not allowed"),
        ("size >", "is not an expression"),
        ("x" * 2000, "1000 are allowed"),
        ("-" * 900 + "1", "nested more than 50 deep|is not an expression"),
        ("(" * 400 + "1" + ")" * 400, "nested|is not an expression"),
    ],
)
def test_forbidden_syntax_is_rejected(expression: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        read_expression(expression)


@pytest.mark.parametrize("expression", ["size * 9", "source + source", "size > 3", "1 / 0", "int(category)", "-source"])
def test_evaluation_errors_name_the_item(expression: str) -> None:
    with pytest.raises(AssayError, match="id a: "):
        tagged(Rule(expression=expression), [ITEM])


@given(st.text(alphabet="ab1 ()+-*<>=!andornti'\",%/[].", max_size=30))
def test_no_expression_ends_in_a_traceback(text: str) -> None:
    message = "a value"
    try:
        compute(read_expression(text), {"a": "x", "b": None})
    except ExpressionError as error:
        message = str(error)
    assert message


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 50), st.booleans())
def test_values_are_pythons(a: int, b: int, c: int, d: bool) -> None:
    for text in ("a + b * c", "a // c - b % c", "a < b <= c or d", "not d and a != b", "a if d else b", "-a in (b, c)"):
        names = {"a": a, "b": b, "c": c, "d": d}
        tree = read_expression(text)
        assert isinstance(tree, ast.expr)
        assert compute(tree, names) == eval(text, {}, names)


def test_a_python_function_assigns_tags(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "def long(example):\n    return len(example.source) > 5\n\ndef broken(example):\n    return 1 / 0\n"
    )
    (made,) = tagged(contrast(f"rule:file={file}:function=long:tag=long"), [ITEM])
    assert made.tags["long"] == "yes"
    with pytest.raises(AssayError, match=r"id a: broken.*ZeroDivisionError"):
        tagged(contrast(f"rule:file={file}:function=broken"), [ITEM])
    with pytest.raises(AssayError, match="no such Python file"):
        tagged(contrast("rule:file=nowhere.py:function=x"), [ITEM])
    with pytest.raises(AssayError, match="has no attribute"):
        tagged(contrast("rule:function=assay.nothing"), [ITEM])
    with pytest.raises(AssayError, match="a text, a number"):
        tagged(contrast("rule:function=msgspec.to_builtins"), [ITEM])
    for wrong in ("rule", "rule:expression=1:function=x", "rule:expression=1:file=x", "rule:expression=1:tag= "):
        with pytest.raises(AssayError, match="contrast rule:"):
            contrast(wrong)
