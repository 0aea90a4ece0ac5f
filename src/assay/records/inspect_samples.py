"""The samples in a log of inspect_ai, which is a JSON document or an `.eval` archive."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError, first_line
from assay.records.archives import read_entry
from assay.records.documents import parse_json
from assay.records.other_tools import Fields, numbers, said, texts
from assay.records.size_limit import size_limit

MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partly, incorrect and no answer, as inspect_ai marks and counts them."""


def is_log(value: Any) -> bool:
    """Whether a document is a log of inspect_ai with its samples."""
    return (
        isinstance(value, Mapping) and isinstance(value.get("eval"), Mapping) and isinstance(value.get("samples"), list)
    )


def of_log(value: Mapping[str, Any], path: Path, skip_bad: bool = False) -> tuple[list[Fields | None], str | None]:
    """The samples of a log, and the model they are of. Later epochs are items of their own; the first is the parent.
    With `skip_bad` those that ended in an error are None."""
    rows: list[Fields | None] = []
    for i, sample in enumerate(value["samples"]):
        where = f"{path}: sample {i + 1}"
        if not isinstance(sample, Mapping) or "id" not in sample:
            raise AssayError(f"{where}: has no id; it is no log of inspect_ai")
        if sample.get("error"):
            if skip_bad:
                rows.append(None)
                continue
            raise AssayError(
                f"{where} ({sample['id']}): ended in an error ({_message(sample['error'])}); have it answered again, "
                "or leave such samples out with --skip-bad"
            )
        epoch = sample.get("epoch") or 1
        made: Fields = {"id": str(sample["id"]) if epoch == 1 else f"{sample['id']} ({epoch})"}
        if epoch != 1:
            made["parent"] = str(sample["id"])
        made["output"] = _completion(sample.get("output"), where)
        if right := texts(sample.get("target")):
            made["references"] = right
        if asked := said(sample.get("input")):
            made["source"] = asked
        scores = sample.get("scores") or {}
        values = {name: each.get("value") for name, each in scores.items() if isinstance(each, Mapping)}
        several = {f"{name}.{key}": one for name, each in values.items() if isinstance(each, Mapping)
                   for key, one in each.items()}  # fmt: skip
        rows.append({**made, **numbers({k: MARKS.get(str(each), each) for k, each in (values | several).items()})})
    model = value["eval"].get("model")
    return rows, model if isinstance(model, str) else None


def _message(error: Any) -> str:
    said = error.get("message") if isinstance(error, Mapping) else error
    return str(said).strip().split("\n")[0][:80]


def _completion(output: Any, where: str) -> str:
    if isinstance(output, Mapping):
        if isinstance(output.get("completion"), str):
            return str(output["completion"])
        choices = output.get("choices") or [{}]
        message = choices[0].get("message") if isinstance(choices[0], Mapping) else None
        if isinstance(message, Mapping):
            return said([message])
    raise AssayError(f"{where}: has no completion; leave samples out that ended in an error")


def open_archive(data: bytes, path: Path) -> dict[str, Any]:
    """An `.eval` archive as the log it stands for."""
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
    except Exception as error:  # zipfile and what unpacks for it know a dozen kinds
        raise AssayError(f"{path}: not an archive of inspect_ai ({first_line(error)})") from None
    return {**read[0], "samples": read[1:]}
