"""Items as other tools write them, in our words: samples of lm-evaluation-harness, logs of inspect_ai, details of
lighteval, evaluation tables of MLflow. Each row becomes an id, an output, references, a source and numbers."""

from __future__ import annotations

import ast
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import AssayError, first_line
from assay.records.budget import budget, read_within
from assay.records.documents import parse_json

T = TypeVar("T")
Fields = dict[str, Any]
MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partly, incorrect and no answer, as inspect_ai marks and counts them."""
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


def translate(rows: Sequence[Fields], where: Callable[[int], str]) -> list[Fields] | None:
    """Rows of a file in our words, or None where they are of no tool that is known here."""
    first = rows[0] if rows else {}
    if "doc_id" in first and ("filtered_resps" in first or "resps" in first):
        return [_of_harness(row, where(i)) for i, row in enumerate(rows)]
    if isinstance(first.get("model_response"), Mapping) and isinstance(first.get("doc"), Mapping):
        return [_of_lighteval(i, row, where(i)) for i, row in enumerate(rows)]
    if "full_prompt" in first and "predictions" in first:
        return [_of_old_lighteval(i, row, where(i)) for i, row in enumerate(rows)]
    return None


def _of_harness(row: Fields, where: str) -> Fields:
    """`samples_*.jsonl`: one line a document, for each filter of the answers."""
    answers = row.get("filtered_resps", row.get("resps"))
    found = _texts(row.get("target"))
    arguments = row.get("arguments")
    if isinstance(arguments, Mapping):
        arguments = list(arguments.values())
    prompt = next(iter(_leaves(arguments)), None)
    made: Fields = {"id": str(row["doc_id"]), "output": _answer(answers, where), **_numbers(row)}
    if found:
        made["references"] = found
    if isinstance(prompt, str):
        made["source"] = prompt
    if isinstance(row.get("filter"), str):
        made["filter"] = row["filter"]
    return made


def _answer(value: Any, where: str) -> str:
    """The first text of an answer; choices by likelihood have none."""
    for leaf in _leaves(value):
        if isinstance(leaf, str):
            return leaf
        break
    raise AssayError(f"{where}: its answers are no texts (a task of choices?); score its numbers with --scores instead")


def _of_lighteval(number: int, row: Fields, where: str) -> Fields:
    doc, response = row["doc"], row["model_response"]
    choices, gold = doc.get("choices") or [], doc.get("gold_index")
    right = [
        choices[i] for i in (gold if isinstance(gold, list) else [gold]) if isinstance(i, int) and i < len(choices)
    ]
    made: Fields = {"id": str(doc.get("id") or number), "output": _answer(response.get("text"), where)}
    if isinstance(doc.get("query"), str):
        made["source"] = doc["query"]
    if right:
        made["references"] = _texts(right)
    metrics = row.get("metric") or row.get("metrics")
    return {**made, **(_numbers(metrics) if isinstance(metrics, Mapping) else {})}


def _of_old_lighteval(number: int, row: Fields, where: str) -> Fields:
    made: Fields = {
        "id": str(number),
        "output": _answer(_listed(row["predictions"]), where),
        "source": row["full_prompt"],
    }
    if right := _texts(_listed(row.get("gold"))):
        made["references"] = right
    metrics = row.get("metrics")
    return {**made, **(_numbers(metrics) if isinstance(metrics, Mapping) else {})}


def _listed(value: Any) -> Any:
    """A list that was written as text."""
    if isinstance(value, str) and value.startswith("["):
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
    return value


def is_log(value: Any) -> bool:
    """Whether a document is a log of inspect_ai with its samples."""
    return (
        isinstance(value, Mapping) and isinstance(value.get("eval"), Mapping) and isinstance(value.get("samples"), list)
    )


def of_log(value: Mapping[str, Any], path: Path) -> tuple[list[Fields], str | None]:
    """The samples of a log, and the model they are of. Later epochs are items of their own; the first is the parent."""
    rows = []
    for i, sample in enumerate(value["samples"]):
        where = f"{path}: sample {i + 1}"
        if not isinstance(sample, Mapping) or "id" not in sample:
            raise AssayError(f"{where}: has no id; it is no log of inspect_ai")
        epoch = sample.get("epoch") or 1
        made: Fields = {"id": str(sample["id"]) if epoch == 1 else f"{sample['id']} ({epoch})"}
        if epoch != 1:
            made["parent"] = str(sample["id"])
        made["output"] = _completion(sample.get("output"), where)
        if right := _texts(sample.get("target")):
            made["references"] = right
        if asked := _said(sample.get("input")):
            made["source"] = asked
        scores = sample.get("scores") or {}
        values = {name: each.get("value") for name, each in scores.items() if isinstance(each, Mapping)}
        rows.append({**made, **_numbers({name: MARKS.get(str(each), each) for name, each in values.items()})})
    model = value["eval"].get("model")
    return rows, model if isinstance(model, str) else None


def _completion(output: Any, where: str) -> str:
    if isinstance(output, Mapping):
        if isinstance(output.get("completion"), str):
            return str(output["completion"])
        choices = output.get("choices") or [{}]
        message = choices[0].get("message") if isinstance(choices[0], Mapping) else None
        if isinstance(message, Mapping):
            return _said([message])
    raise AssayError(f"{where}: has no completion; leave samples out that ended in an error")


def _said(value: Any) -> str:
    """A text, or what is said in a list of messages."""
    if isinstance(value, str):
        return value
    parts = []
    for message in value if isinstance(value, list) else []:
        content = message.get("content") if isinstance(message, Mapping) else None
        pieces = content if isinstance(content, list) else [content]
        parts += [piece if isinstance(piece, str) else piece.get("text", "") for piece in pieces if piece]
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def open_archive(data: bytes, path: Path) -> dict[str, Any]:
    """An `.eval` archive as the log it stands for."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            room = budget()
            names = sorted(
                name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json")
            )
            head = next(name for name in ("header.json", "_journal/start.json") if name in archive.namelist())
            read = []
            for name in (head, *names):
                with archive.open(name) as entry:
                    content = read_within(entry, f"{path}: {name}", room)
                room -= len(content)
                read.append(parse_json(content, f"{path}: {name}"))
    except AssayError:
        raise
    except Exception as error:  # zipfile and what unpacks for it know a dozen kinds
        raise AssayError(f"{path}: not an archive of inspect_ai ({first_line(error)})") from None
    return {**read[0], "samples": read[1:]}


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
            if texts := _texts(value):
                made[ours] = texts
        elif value is not None:
            made[ours] = value if isinstance(value, str) else _said(value) or str(value)
    taken = {*OUTPUTS, *TRUTHS, *ASKED}
    others = {name: cell for name, cell in row.items() if name not in taken}
    return {
        **others,
        **{name.removesuffix("/score").replace("/", "."): cell for name, cell in _numbers(others).items()},
        **made,
    }


def _texts(value: Any) -> list[str]:
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


def _numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a row: what the tool measured itself."""
    return {
        name: float(value)
        for name, value in row.items()
        if isinstance(value, int | float) and not name.endswith("_hash") and name not in TAKEN
    }
