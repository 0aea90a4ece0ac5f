"""Items as other tools write them, in our words: samples of lm-evaluation-harness, details of lighteval, evaluation
tables of MLflow (logs of inspect_ai: `inspect_samples`). Each row becomes an id, an output, references, a source and
numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import AssayError

T = TypeVar("T")
Fields = dict[str, Any]
OUTPUTS = ("outputs", "output", "predictions", "prediction", "response")
TAKEN = frozenset("id output references source filter system parent target doc_id".split())
"""Names that say something else than a number would."""
TRUTHS = ("ground_truth", "targets", "target", "expected_response", "expectations", "label", "reference")
ASKED = ("inputs", "input", "question", "prompt", "request", "messages")


def blamed(path: object, make: Callable[[], T]) -> T:
    """What is made of somebody's file, or one line on why it cannot be: its fields may be of any type."""
    try:
        return make()
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(f"{path}: looks like the file of another tool but is not whole ({error!r:.120})") from None


def translate(rows: Sequence[Fields], where: Callable[[int], str], texts: bool = True) -> list[Fields] | None:
    """Rows of a file in our words, or None where they are of no tool that is known here. Without `texts` an answer that
    is none (a task of choices) is no error: its numbers are asked for."""
    first = rows[0] if rows else {}
    if "doc_id" in first and ("filtered_resps" in first or "resps" in first):
        return [_of_harness(row, where(i), texts) for i, row in enumerate(rows)]
    if isinstance(first.get("model_response"), Mapping) and isinstance(first.get("doc"), Mapping):
        return [_of_lighteval(i, row, where(i), texts) for i, row in enumerate(rows)]
    if "full_prompt" in first and "predictions" in first:
        return [_of_old_lighteval(i, row, where(i), texts) for i, row in enumerate(rows)]
    if isinstance(first.get("predictions"), str) and "output" not in first and any(name in first for name in TRUTHS):
        return [_renamed(row) for row in rows]
    return None


def _of_harness(row: Fields, where: str, must: bool) -> Fields:
    """`samples_*.jsonl`: one line a document, for each filter of the answers."""
    answers = row.get("filtered_resps", row.get("resps"))
    found = texts(_listed(row.get("target")))
    arguments = row.get("arguments")
    if isinstance(arguments, Mapping):
        arguments = list(arguments.values())
    prompt = next(iter(_leaves(arguments)), None)
    made: Fields = {"id": str(row["doc_id"]), "output": _answer(answers, where, must), **numbers(row)}
    if found:
        made["references"] = found
    if isinstance(prompt, str):
        made["source"] = prompt
    if isinstance(row.get("filter"), str):
        made["filter"] = row["filter"]
    return made


def _answer(value: Any, where: str, must: bool) -> str:
    """The first text of an answer; choices by likelihood have none, but a number and whether it is the greatest."""
    first = next(_leaves(value), None)
    if isinstance(first, str) and not _is_likelihood(value):
        return first
    if not must:
        return ""
    raise AssayError(
        f"{where}: its answers are no texts (a task of choices?); its numbers may stand beside texts with --scores"
    )


def _is_likelihood(value: Any) -> bool:
    """Whether answers are pairs like `["-0.61", "False"]`, as the harness writes them."""
    while isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple):
        value = value[0]
    if not isinstance(value, list | tuple) or len(value) != 2 or value[1] not in ("True", "False"):
        return False
    try:
        return float(value[0]) <= 0
    except (TypeError, ValueError):
        return False


def _of_lighteval(number: int, row: Fields, where: str, must: bool) -> Fields:
    doc, response = row["doc"], row["model_response"]
    choices, gold = doc.get("choices") or [], doc.get("gold_index")
    right = [
        choices[i] for i in (gold if isinstance(gold, list) else [gold]) if isinstance(i, int) and i < len(choices)
    ]
    answers = response.get("text_post_processed") or response.get("text")
    made: Fields = {
        "id": str(doc.get("id") or number),
        "output": _answer(answers, where, must),
    }
    if isinstance(doc.get("query"), str):
        made["source"] = doc["query"]
    if right:
        made["references"] = texts(right)
    metrics = row.get("metric") or row.get("metrics")
    return {**made, **(numbers(metrics) if isinstance(metrics, Mapping) else {})}


def _of_old_lighteval(number: int, row: Fields, where: str, must: bool) -> Fields:
    made: Fields = {
        "id": str(number),
        "output": _answer(_listed(row["predictions"]), where, must),
        "source": row["full_prompt"],
    }
    if right := texts(_listed(row.get("gold"))):
        made["references"] = right
    metrics = row.get("metrics")
    return {**made, **(numbers(metrics) if isinstance(metrics, Mapping) else {})}


def _listed(value: Any) -> Any:
    """A list that was written as text."""
    if isinstance(value, str) and value.startswith("["):
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
    return value


def said(value: Any) -> str:
    """A text, or what is said in a list of messages."""
    if isinstance(value, str):
        return value
    parts = []
    for message in value if isinstance(value, list) else []:
        content = message.get("content") if isinstance(message, Mapping) else None
        pieces = content if isinstance(content, list) else [content]
        parts += [piece if isinstance(piece, str) else piece.get("text", "") for piece in pieces if piece]
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def is_split_table(value: Any) -> bool:
    """Whether a document is a table as MLflow and pandas write it: `columns` and `data`."""
    return isinstance(value, Mapping) and isinstance(value.get("columns"), list) and isinstance(value.get("data"), list)


def of_split_table(value: Mapping[str, Any], path: Path) -> list[Fields]:
    columns = [str(column) for column in value["columns"]]
    rows = []
    for i, cells in enumerate(value["data"], 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            raise AssayError(f"{path} row {i}: no list of {len(columns)} cells; log the table again")
        rows.append(_renamed(dict(zip(columns, cells, strict=True))))
    return rows


def _renamed(row: Fields) -> Fields:
    """Columns of `mlflow.evaluate` in our words; the others stay as they are."""
    made: Fields = {}
    for ours, names in (("output", OUTPUTS), ("references", TRUTHS), ("source", ASKED)):
        name = next((name for name in names if row.get(name) is not None), None)
        value = row.get(name) if name else None
        if ours == "references":
            if found := texts(value):
                made[ours] = found
        elif value is not None:
            made[ours] = value if isinstance(value, str) else said(value) or str(value)
    taken = {*OUTPUTS, *TRUTHS, *ASKED}
    others = {name: cell for name, cell in row.items() if name not in taken}
    return {
        **others,
        **{name.removesuffix("/score").replace("/", "."): cell for name, cell in numbers(others).items()},
        **made,
    }


def texts(value: Any) -> list[str]:
    """One text or a list of them; numbers are written out."""
    found = value if isinstance(value, list | tuple) else [value]
    return [str(each) for each in found if isinstance(each, str | int | float) and not isinstance(each, bool)]


def _leaves(value: Any) -> Iterator[Any]:
    """What stands in lists inside lists, in its order."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    elif value is not None:
        yield value


def numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a row: what the tool measured itself."""
    return {
        name: float(value)
        for name, value in row.items()
        if isinstance(value, int | float) and not name.endswith("_hash") and name not in TAKEN
    }
