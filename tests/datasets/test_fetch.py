"""Fetching from the hub, with the hub replaced by a function: files, checksums, resuming, and being offline."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO
from urllib.error import URLError

import polars
import pytest

from assay.datasets import dataset, fetch
from assay.errors import AssayError

ROWS: dict[str, list[Any]] = {
    "gem_id": ["common_gen-validation-0", "common_gen-validation-1"],
    "concepts": [["cat", "sit"], ["dog", "run"]],
    "target": ["A cat sits.", "Dogs run."],
    "references": [["A cat sits.", "The cat sat."], ["Dogs run."]],
}


def _parquet() -> bytes:
    buffer = io.BytesIO()
    polars.DataFrame(ROWS).write_parquet(buffer)
    return buffer.getvalue()


def _hub(
    requests: list[str], split: str = "validation", url: str = "https://hub/0.parquet"
) -> Callable[[str], BinaryIO]:
    def open_url(address: str) -> BinaryIO:
        requests.append(address)
        if address.endswith("/parquet"):
            return io.BytesIO(json.dumps({"default": {split: [url]}}).encode())
        return io.BytesIO(_parquet())

    return open_url


def test_fetched_files_have_checksums_and_can_be_read(tmp_path: Path) -> None:
    reader = dataset("common_gen")
    requests: list[str] = []
    files = fetch.fetch(reader, tmp_path, _hub(requests))
    assert [file.path for file in files] == ["validation/0000.parquet"]
    examples = list(reader.read(tmp_path))
    assert [example.id for example in examples] == ROWS["gem_id"]
    assert [example.references for example in examples] == [tuple(texts) for texts in ROWS["references"]]
    assert examples[0].input == {"kind": "concepts", "concepts": ["cat", "sit"]}
    assert {example.split for example in examples} == {"validation"}
    # A second time only the list is asked for; a damaged file is noticed and fetched again.
    fetch.fetch(reader, tmp_path, _hub(requests := []))
    assert len(requests) == 1
    (tmp_path / "validation" / "0000.parquet").write_bytes(b"PAR1 damaged")
    with pytest.raises(AssayError, match="damaged Parquet"):
        list(reader.read(tmp_path))
    fetch.fetch(reader, tmp_path, _hub(requests := []))
    assert len(requests) == 2
    assert list(reader.read(tmp_path)) == examples


def test_offline_says_what_to_download_and_where_to_put_it(tmp_path: Path) -> None:
    def offline(address: str) -> BinaryIO:
        raise URLError("no route")

    with pytest.raises(
        AssayError, match=rf"cannot reach .*INK-USC/CommonGen into {tmp_path}, then: assay data read common_gen"
    ):
        fetch.fetch(dataset("common_gen"), tmp_path, offline)
    with pytest.raises(AssayError, match=r"not on the hub\. Download train\.json"):
        fetch.fetch(dataset("mucsum"), tmp_path, offline)


def test_names_from_the_hub_cannot_leave_the_folder(tmp_path: Path) -> None:
    files = fetch.fetch(dataset("common_gen"), tmp_path, _hub([], split="../../../evil"))
    assert [file.path for file in files] == ["evil/0000.parquet"]
    with pytest.raises(AssayError, match="not https"):
        fetch.fetch(dataset("common_gen"), tmp_path, _hub([], url="file:///etc/passwd"))


def test_a_hub_without_files_and_a_damaged_manifest(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="no Parquet or JSON"):
        fetch.fetch(dataset("common_gen"), tmp_path, lambda _: io.BytesIO(b"{}"))
    with pytest.raises(AssayError, match="not JSON"):
        fetch.fetch(dataset("common_gen"), tmp_path, lambda _: io.BytesIO(b"<html>"))
    (tmp_path / fetch.MANIFEST).write_text("{}")
    with pytest.raises(AssayError, match="delete it"):
        fetch.fetch(dataset("common_gen"), tmp_path, _hub([]))


def test_json_lines_of_the_repository_serve_where_nothing_was_converted(tmp_path: Path) -> None:
    row = {"gem_id": "common_gen-validation-0", "concepts": ["a"], "target": "t", "references": ["t"]}

    def hub(address: str) -> BinaryIO:
        if address.endswith("/parquet"):
            return io.BytesIO(b"{}")
        if "/api/" in address:
            names = ["validation.jsonl", "common_gen.py", "../../evil.jsonl", "README.md"]
            return io.BytesIO(json.dumps({"siblings": [{"rfilename": name} for name in names]}).encode())
        return io.BytesIO(json.dumps(row).encode() + b"\n")

    files = fetch.fetch(dataset("common_gen"), tmp_path, hub)
    assert [file.path for file in files] == ["validation/validation.jsonl", "evil/evil.jsonl"]
    (example,) = dataset("common_gen").read(tmp_path, "validation")
    assert example.input == {"kind": "concepts", "concepts": ["a"]}


def test_one_repository_may_hold_several_datasets_and_configurations(tmp_path: Path) -> None:
    def hub(address: str) -> BinaryIO:
        if not address.endswith("/parquet"):
            return io.BytesIO(_parquet())
        urls = ["https://hub/0.parquet"]
        return io.BytesIO(json.dumps({"default": {"train": urls, "test_asset": urls, "test_turk": urls}}).encode())

    assert [file.path for file in fetch.fetch(dataset("asset"), tmp_path, hub)] == ["test/0000.parquet"]
    answer = json.dumps({"ar": {}, "es": {"test": ["https://hub/0.parquet"]}}).encode()

    def several(address: str) -> BinaryIO:
        return io.BytesIO(answer if address.endswith("/parquet") else _parquet())

    with pytest.raises(AssayError, match="choose one with --config: ar, es"):
        fetch.fetch(dataset("wiki_lingua"), tmp_path, several)
    with pytest.raises(AssayError, match="no configuration 'fr'"):
        fetch.fetch(dataset("wiki_lingua"), tmp_path, several, "fr")
    assert len(fetch.fetch(dataset("wiki_lingua"), tmp_path, several, "es")) == 1


def test_rows_of_the_hub_without_gem_names(tmp_path: Path) -> None:
    path = tmp_path / "test" / "0000.parquet"
    path.parent.mkdir()
    polars.DataFrame({"id": ["7"], "document": ["Long."], "summary": ["Short."]}).write_parquet(path)
    (example,) = dataset("xsum").read(tmp_path)
    assert (example.id, example.source, example.references) == ("7", "Long.", ("Short.",))
