"""Items of other tools: samples of lm-evaluation-harness, details of lighteval, evaluation tables of MLflow.

Each row becomes an id, an output, references, a source and scores. See `inspect_samples` for logs of inspect_ai.
"""

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
"""Names of fields that are not scores."""
TRUTHS = ("ground_truth", "targets", "target", "expected_response", "expectations", "label", "reference")
PROMPTS = ("inputs", "input", "question", "prompt", "request", "messages")


def blamed(path: object, make: Callable[[], T]) -> T:
    """Return the result of `make`; turn any exception into one line, because fields can have any type."""
    try:
        return make()
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(f"{path}: looks like a file of another tool, but is incomplete ({error!r:.120})") from None


def translate(rows: Sequence[Fields], where: Callable[[int], str], texts: bool = True) -> list[Fields] | None:
    """Return the rows of another tool with our field names, or None if the tool is unknown.

    Args:
        rows: Fields of each row.
        where: Location of a row, for errors.
        texts: Whether each row needs a text. Tasks of multiple choice have only scores.
    """
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
    """Translate a row of `samples_*.jsonl`, which has one line per document and filter."""
    answers = row.get("filtered_resps", row.get("resps"))
    references = texts(_listed(row.get("target")))
    arguments = row.get("arguments")
    if isinstance(arguments, Mapping):
        arguments = list(arguments.values())
    prompt = next(iter(_leaves(arguments)), None)
    fields: Fields = {"id": str(row["doc_id"]), "output": _answer(answers, where, must), **numbers(row)}
    if references:
        fields["references"] = references
    if isinstance(prompt, str):
        fields["source"] = prompt
    if isinstance(row.get("filter"), str):
        fields["filter"] = row["filter"]
    return fields


def _answer(value: Any, where: str, must: bool) -> str:
    """Return the first text of an answer. Multiple choice has log-likelihoods instead of texts."""
    first = next(_leaves(value), None)
    if isinstance(first, str) and not _is_likelihood(value):
        return first
    if not must:
        return ""
    raise AssayError(
        f"{where}: answers are not texts (multiple choice?). To use its scores, read the file with --scores."
    )


def _is_likelihood(value: Any) -> bool:
    """Return whether answers are pairs like `["-0.61", "False"]`, the harness's format of log-likelihoods."""
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
    correct = [
        choices[i] for i in (gold if isinstance(gold, list) else [gold]) if isinstance(i, int) and i < len(choices)
    ]
    answers = response.get("text_post_processed") or response.get("text")
    fields: Fields = {
        "id": str(doc.get("id") or number),
        "output": _answer(answers, where, must),
    }
    if isinstance(doc.get("query"), str):
        fields["source"] = doc["query"]
    if correct:
        fields["references"] = texts(correct)
    metrics = row.get("metric") or row.get("metrics")
    return {**fields, **(numbers(metrics) if isinstance(metrics, Mapping) else {})}


def _of_old_lighteval(number: int, row: Fields, where: str, must: bool) -> Fields:
    fields: Fields = {
        "id": str(number),
        "output": _answer(_listed(row["predictions"]), where, must),
        "source": row["full_prompt"],
    }
    if gold := texts(_listed(row.get("gold"))):
        fields["references"] = gold
    metrics = row.get("metrics")
    return {**fields, **(numbers(metrics) if isinstance(metrics, Mapping) else {})}


def _listed(value: Any) -> Any:
    """Parse a list that was written as text; return other values unchanged."""
    if isinstance(value, str) and value.startswith("["):
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
    return value


def message_text(value: Any) -> str:
    """Return a text, or the joined content of a list of chat messages."""
    if isinstance(value, str):
        return value
    parts = []
    for message in value if isinstance(value, list) else []:
        content = message.get("content") if isinstance(message, Mapping) else None
        pieces = content if isinstance(content, list) else [content]
        parts += [piece if isinstance(piece, str) else piece.get("text", "") for piece in pieces if piece]
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def is_split_table(value: Any) -> bool:
    """Return whether a document is a table in the format of MLflow and pandas: `columns` and `data`."""
    return isinstance(value, Mapping) and isinstance(value.get("columns"), list) and isinstance(value.get("data"), list)


def of_split_table(value: Mapping[str, Any], path: Path) -> list[Fields]:
    columns = [str(column) for column in value["columns"]]
    rows = []
    for i, cells in enumerate(value["data"], 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            raise AssayError(f"{path} row {i}: not a list of {len(columns)} cells. Log the table again.")
        rows.append(_renamed(dict(zip(columns, cells, strict=True))))
    return rows


def _renamed(row: Fields) -> Fields:
    """Return a row of `mlflow.evaluate` with our field names; other columns keep theirs."""
    fields: Fields = {}
    for ours, names in (("output", OUTPUTS), ("references", TRUTHS), ("source", PROMPTS)):
        name = next((name for name in names if row.get(name) is not None), None)
        value = row.get(name) if name else None
        if ours == "references":
            if references := texts(value):
                fields[ours] = references
        elif value is not None:
            fields[ours] = value if isinstance(value, str) else message_text(value) or str(value)
    taken = {*OUTPUTS, *TRUTHS, *PROMPTS}
    others = {name: cell for name, cell in row.items() if name not in taken}
    return {
        **others,
        **{name.removesuffix("/score").replace("/", "."): cell for name, cell in numbers(others).items()},
        **fields,
    }


def texts(value: Any) -> list[str]:
    """Return one text or number, or a list of them, as a list of strings."""
    values = value if isinstance(value, list | tuple) else [value]
    return [str(each) for each in values if isinstance(each, str | int | float) and not isinstance(each, bool)]


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the elements of nested lists in order."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    elif value is not None:
        yield value


def numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """Return the numeric fields of a row: scores that the tool has computed."""
    return {
        name: float(value)
        for name, value in row.items()
        if isinstance(value, int | float) and not name.endswith("_hash") and name not in TAKEN
    }
