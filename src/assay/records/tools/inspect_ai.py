"""Samples of a log of inspect_ai, a JSON document or an `.eval` archive."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError, first_line
from assay.records.archives import read_entry
from assay.records.documents import parse_json
from assay.records.size_limit import size_limit
from assay.records.tools.common import Fields, message_text, numbers, texts, unused

MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Values of correct, partially correct, incorrect and no answer in inspect_ai."""


def is_log(value: Any) -> bool:
    """Return whether a document is a log of inspect_ai with samples."""
    return (
        isinstance(value, Mapping) and isinstance(value.get("eval"), Mapping) and isinstance(value.get("samples"), list)
    )


def of_log(value: Mapping[str, Any], path: Path, skip_bad: bool = False) -> tuple[list[Fields | None], str | None]:
    """Return the samples of a log and the name of the model.

    Later epochs of a sample are separate items, linked to the first by `parent`. With `skip_bad`, samples that ended in
    an error are None.
    """
    rows: list[Fields | None] = []
    for i, sample in enumerate(value["samples"]):
        where = f"{path}: sample {i + 1}"
        if not isinstance(sample, Mapping) or "id" not in sample:
            raise AssayError(f"{where}: has no id. Is it a log of inspect_ai?")
        if sample.get("error"):
            if skip_bad:
                rows.append(None)
                continue
            raise AssayError(
                f"{where} ({sample['id']}): ended in an error ({_message(sample['error'])}). Run it again, or leave "
                "such samples out with --skip-bad."
            )
        epoch = sample.get("epoch") or 1
        fields: Fields = {"id": str(sample["id"]) if epoch == 1 else f"{sample['id']} ({epoch})"}
        if epoch != 1:
            fields["parent"] = str(sample["id"])
        fields["output"] = _completion(sample.get("output"), where)
        if targets := texts(sample.get("target")):
            fields["references"] = targets
        if prompt := message_text(sample.get("input")):
            fields["source"] = prompt
        scores = sample.get("scores") or {}
        values = {name: each.get("value") for name, each in scores.items() if isinstance(each, Mapping)}
        several = {f"{name}.{key}": one for name, each in values.items() if isinstance(each, Mapping)
                   for key, one in each.items()}  # fmt: skip
        rows.append({**fields, **numbers({k: MARKS.get(str(each), each) for k, each in (values | several).items()})})
    model = value["eval"].get("model")
    return rows, model if isinstance(model, str) else None


def unused_of(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a note that names what the samples of a log have and is not used."""
    rows = []
    for sample in value["samples"]:
        metadata, messages = sample.get("metadata"), sample.get("messages")
        row = {f"metadata.{name}": each for name, each in metadata.items()} if isinstance(metadata, Mapping) else {}
        if isinstance(messages, list) and any(isinstance(one, Mapping) and one.get("tool_calls") for one in messages):
            row["tool calls"] = True
        rows.append(row)
    return tuple(f"inspect_ai: {note}" for note in unused(rows, frozenset()))


def _message(error: Any) -> str:
    message = error.get("message") if isinstance(error, Mapping) else error
    return str(message).strip().split("\n")[0][:80]


def _completion(output: Any, where: str) -> str:
    if isinstance(output, Mapping):
        if isinstance(output.get("completion"), str):
            return str(output["completion"])
        choices = output.get("choices") or [{}]
        message = choices[0].get("message") if isinstance(choices[0], Mapping) else None
        if isinstance(message, Mapping):
            return message_text([message])
    raise AssayError(f"{where}: has no completion. Leave such samples out.")


def open_archive(data: bytes, path: Path) -> dict[str, Any]:
    """Return the log in an `.eval` archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            room = size_limit()
            names = sorted(
                name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json")
            )
            head = next(name for name in ("header.json", "_journal/start.json") if name in archive.namelist())
            read = []
            for name in (head, *names):
                content = read_entry(archive, data, name, f"{path}: {name}", room)
                room -= len(content)
                read.append(parse_json(content, f"{path}: {name}"))
    except AssayError:
        raise
    except Exception as error:  # zipfile and the decompressors raise many types
        raise AssayError(f"{path}: not an archive of inspect_ai ({first_line(error)})") from None
    return {**read[0], "samples": read[1:]}
