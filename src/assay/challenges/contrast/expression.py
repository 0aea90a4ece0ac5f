"""Expressions on the tags of an item: parsed as a tree of allowed nodes and evaluated here, never run as Python.

Names are tags, or `id`, `language`, `split`, `source`, `parent`, `references`; a tag whose name is no word is
`tag("name")`. A tag that an item does not have is None.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from assay.errors import AssayError

LONGEST, DEEPEST = 1000, 50
"""Limits: characters, and nesting depth."""
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len,
    "int": int,
    "float": float,
    "lower": lambda text: str(text).lower(),
    "words": lambda text: len(str(text).split()),
    "startswith": lambda text, beginning: str(text).startswith(str(beginning)),
    "min": min,
    "max": max,
    "abs": abs,
}


class ExpressionError(AssayError, ValueError):
    """An invalid expression, with the reason."""


def read_expression(text: str) -> ast.expr:
    """Parse an expression; refuse anything that is not allowed."""
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression of {len(text)} characters; {LONGEST} are allowed")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"'{text}' is not an expression ({getattr(error, 'msg', error)})") from None
    if _depth(tree) > DEEPEST:
        raise ExpressionError(f"an expression nested more than {DEEPEST} deep; write a simpler one")
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED):
            raise ExpressionError(f"'{text}': {type(node).__name__} is not allowed; compare tags, texts and numbers")
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else "?"
            if name not in (*FUNCTIONS, "tag") or node.keywords:
                raise ExpressionError(f"'{text}': no function {name}; there are tag, {', '.join(FUNCTIONS)}")
    return tree


def _depth(tree: ast.AST) -> int:
    deepest, waiting = 0, [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return deepest


ALLOWED = (
    ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.Compare, *COMPARE, ast.BinOp, *ARITHMETIC,
    ast.IfExp, ast.Constant, ast.Name, ast.Load, ast.Tuple, ast.List, ast.Call,
)  # fmt: skip


def compute(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Evaluate an expression with these names; unknown names are None."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(compute(each, names) for each in node.elts)
    if isinstance(node, ast.IfExp):
        return compute(node.body if compute(node.test, names) else node.orelse, names)
    if isinstance(node, ast.BoolOp):
        return _boolean(node, names)
    if isinstance(node, ast.Call):
        return _called(node, names)
    try:
        if isinstance(node, ast.Compare):
            return _compared(node, names)
        if isinstance(node, ast.UnaryOp):
            value = compute(node.operand, names)
            return not value if isinstance(node.op, ast.Not) else -value
        if isinstance(node, ast.BinOp):
            sides = compute(node.left, names), compute(node.right, names)
            if not all(isinstance(side, int | float) for side in sides):
                raise ExpressionError("only numbers can be added or multiplied; convert a tag with int(size)")
            return ARITHMETIC[type(node.op)](*sides)
    except (TypeError, ZeroDivisionError, OverflowError) as error:
        raise ExpressionError(f"{ast.unparse(node)}: {error}; a tag is a text, int(size) a number") from None
    raise ExpressionError(f"{type(node).__name__} is not allowed")


def _boolean(node: ast.BoolOp, names: Mapping[str, Any]) -> Any:
    both = isinstance(node.op, ast.And)
    value: Any = both
    for each in node.values:
        value = compute(each, names)
        if bool(value) != both:
            return value
    return value


def _compared(node: ast.Compare, names: Mapping[str, Any]) -> bool:
    left = compute(node.left, names)
    for sign, right_node in zip(node.ops, node.comparators, strict=True):
        right = compute(right_node, names)
        if not COMPARE[type(sign)](left, right):
            return False
        left = right
    return True


def _called(node: ast.Call, names: Mapping[str, Any]) -> Any:
    arguments = [compute(each, names) for each in node.args]
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "tag":
        return names.get(str(arguments[0])) if arguments else None
    if None in arguments:  # a missing tag has no value
        return None
    try:
        return FUNCTIONS[name](*arguments)
    except (TypeError, ValueError) as error:
        raise ExpressionError(f"{ast.unparse(node)}: {error}") from None
