"""Bombs, devices and pipes: what would fill the memory or never end is refused in one line that says what to do."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars
import pytest

from assay.datasets import dataset
from assay.errors import AssayError, UsageError
from assay.records import read_examples, read_outputs, size_limit
from assay.records.documents import read_json, read_toml
from assay.records.files import write_text
from assay.records.parquet import check_parquet_file, unpacked_sizes
from assay.records.size_limit import format_size
from assay.store.foreign import read_foreign

LIMIT = 1 << 20
ROW = b'{"id": "a", "output": "x"}\n'


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_MAX_BYTES", "1MB")


def parquet(frame: polars.DataFrame, path: Path) -> Path:
    frame.write_parquet(path)
    return path


def plain(path: Path) -> Path:
    path.write_bytes(ROW + b" " * LIMIT)
    return path


def packed(path: Path) -> Path:
    path.write_bytes(gzip.compress(ROW + b" " * 2 * LIMIT))
    return path


def packed_twice(path: Path) -> Path:
    """Several members, each small."""
    path.write_bytes(gzip.compress(ROW * 20_000) * 4)
    return path


def one_value(path: Path) -> Path:
    return parquet(polars.DataFrame({"output": polars.Series(["x"]).new_from_index(0, LIMIT // 15)}), path)


def one_long_value(path: Path) -> Path:
    return parquet(polars.DataFrame({"output": polars.Series(["x" * 2000]).new_from_index(0, 2000)}), path)


def lists(path: Path) -> Path:
    return parquet(polars.DataFrame({"output": ["x"], "references": [["y" * 1000] * 2000]}), path)


def structs(path: Path) -> Path:
    return parquet(polars.DataFrame({"output": ["x"] * 2000, "tags": [{"a": {"b": "y" * 1000}}] * 2000}), path)


BOMBS = [plain, packed, packed_twice, one_value, one_long_value, lists, structs]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("make", BOMBS)
def test_what_is_too_large_is_refused(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path / "file")
    for read in (read_outputs, read_examples):
        with pytest.raises(AssayError, match=r"the limit is 1 MB\. To read it, set ASSAY_MAX_BYTES=") as caught:
            read(path)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("make", BOMBS)
def test_it_is_read_once_that_is_allowed(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    assert read_outputs(make(tmp_path / "file")).texts


def test_the_limit_is_given_in_words_of_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, meant in (("", 1 << 30), ("4GB", 4 << 30), ("512 MiB", 512 << 20), ("8k", 8192), ("17", 17)):
        monkeypatch.setenv("ASSAY_MAX_BYTES", given)
        assert size_limit.size_limit() == meant
    for given in ("much", "-1", "1.5GB", "1e9", "²"):
        monkeypatch.setenv("ASSAY_MAX_BYTES", given)
        with pytest.raises(UsageError, match=r"ASSAY_MAX_BYTES=.*: give a number of bytes, e.g. 4GB"):
            size_limit.size_limit()
    assert [format_size(size) for size in (5, 2048, 3 << 29)] == ["5 bytes", "2 KB", "1.5 GB"]


@pytest.mark.parametrize("compression", ["zstd", "lz4", "snappy", "gzip", "uncompressed"])
def test_what_parquet_unpacks_to_is_known_from_its_pages(tmp_path: Path, compression: str) -> None:
    texts = [f"{i:07d}" * 5 for i in range(2000)]
    frame = polars.DataFrame({"a": texts, "b": [[i, None] for i in range(2000)], "c": [{"d": "x"}, None] * 1000})
    path = tmp_path / "file"
    frame.write_parquet(path, compression=compression, row_group_size=500)  # type: ignore[arg-type]
    sizes = unpacked_sizes(path.read_bytes())
    assert len(sizes) == 4
    assert frame.estimated_size() < sum(sizes) < 10 * frame.estimated_size()


@pytest.mark.usefixtures("small")
def test_row_groups_may_be_read_one_after_the_other(tmp_path: Path) -> None:
    frame = polars.DataFrame({"a": [f"{i:09d}" for i in range(60_000)]})
    frame.write_parquet(tmp_path / "file", row_group_size=10_000)
    check_parquet_file(tmp_path / "file", whole=False)
    with pytest.raises(AssayError, match="decompresses to"):
        check_parquet_file(tmp_path / "file")
    frame.write_parquet(tmp_path / "whole")
    with pytest.raises(AssayError, match="decompresses to"):
        check_parquet_file(tmp_path / "whole", whole=False)


def test_a_page_in_itself_is_no_loop(tmp_path: Path) -> None:
    """Footers whose columns point at the same pages again and again."""
    stream = io.BytesIO()
    polars.DataFrame({"a": [1, 2, 3]}).write_parquet(stream, statistics=False)
    data = stream.getvalue()
    start = time.monotonic()
    for place in range(4, len(data) - 8):
        for value in (0x00, 0x7F, 0xFF):
            changed = data[:place] + bytes([value]) + data[place + 1 :]
            with suppress(ValueError):
                unpacked_sizes(changed)
    assert time.monotonic() - start < 30


TOML = {
    "a name of many names": ("a." * 200_000 + "b = 1", r":1: a key of more than 32 parts"),
    "with blanks and quotes": ("x = 1\n" + "\"a\" . 'b' . c ." * 20 + "d = 1", r":2: a key of more than 32"),
    "a table of many names": ("[" + "a." * 200_000 + "b]", r":1: a key of more than 32 parts"),
    "an inline one": ("x = {" + "a." * 200_000 + "b = 1}", r":1: a key of more than 32 parts"),
    "brackets": ("x = " + "[" * 100_000, "nested too deeply"),
    "braces": ("x = " + "{a = " * 100_000, "nested too deeply"),
    "digits": ("x = " + "9" * 100_000, "not TOML"),
    "long": ("x = '" + "a" * (1 << 21) + "'", "2 MB, too much for TOML; .* ASSAY_MAX_BYTES"),
    "cut": ("x = ", "not TOML"),
}


@pytest.mark.parametrize("case", TOML)
def test_toml(tmp_path: Path, case: str) -> None:
    text, said = TOML[case]
    (tmp_path / "c.toml").write_text(text)
    start = time.monotonic()
    with pytest.raises(AssayError, match=said) as caught:
        read_toml(tmp_path / "c.toml")
    assert time.monotonic() - start < 10
    assert "c.toml" in str(caught.value)


def test_long_texts_in_toml_are_no_keys(tmp_path: Path) -> None:
    prose = "One sentence. Another. " * 200 + "e.g. 1.2.3.4.5 " * 5
    (tmp_path / "c.toml").write_text(f'x = "{prose}"\n[a.b.c."d.e".f]\ny = """\n{prose}\n"""\n')
    assert read_toml(tmp_path / "c.toml")["x"] == prose


JSON: dict[str, tuple[str | bytes, str]] = {
    "brackets": ("[" * 100_000, "nested too deeply"),
    "digits": ("9" * 10_000, "not JSON"),
    "half a letter": ('{"a": "\\ud800"}', "unpaired surrogate"),
    "half a letter, raw": (b'{"a": "\xed\xa0\x80"}', "not valid UTF-8"),
    "cut": ('{"a": ', "not JSON"),
    "nothing": ("", "empty"),
}


@pytest.mark.parametrize("case", JSON)
def test_damaged_or_deep_json_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    text, said = JSON[case]
    (tmp_path / "f").write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(AssayError, match=said) as caught:
        read_json(tmp_path / "f")
    assert "\n" not in str(caught.value)


def test_devices_are_no_files() -> None:
    for device in ("/dev/zero", "/dev/urandom", "/dev/full"):
        if Path(device).exists():
            with pytest.raises(AssayError, match=f"{device}: is a device. Give a file"):
                read_outputs(device)
            with pytest.raises(AssayError, match="no such file or folder"):
                list(dataset("e2e_nlg").read(Path(device)))
    with pytest.raises(AssayError, match="empty"):
        read_outputs(os.devnull)


def test_standard_input_without_end(tmp_path: Path) -> None:
    with open("/dev/zero", "rb") as zeros:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "assay", "score", "-"], stdin=zeros, capture_output=True, text=True, check=False,
            env={**os.environ, "ASSAY_MAX_BYTES": "1MB"},
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("assay: standard input: is too large; the limit is 1 MB")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_nobody_writes_to_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_limit, "PIPE_TIMEOUT", 0.3)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(AssayError, match=r"pipe: no process has written to this pipe for 0\.3 s. Give a file"):
        read_outputs(tmp_path / "pipe")
    with pytest.raises(AssayError, match="no such file or folder"):
        list(dataset("e2e_nlg").read(tmp_path / "pipe"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_nobody_reads_from_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_limit, "PIPE_TIMEOUT", 0.3)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(AssayError, match=r"pipe: no process has read this pipe for 0\.3 s. Give a file"):
        write_text(tmp_path / "pipe", "x")
    found: list[bytes] = []

    def read() -> None:
        time.sleep(0.1)
        found.append((tmp_path / "pipe").read_bytes())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    write_text(tmp_path / "pipe", "x" * 100_000)  # more than it holds at once
    reader.join(10)
    assert found == [b"x" * 100_000]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("pauses", [(0.0, 0.0), (0.2, 0.0), (0.0, 0.5), (0.3, 0.5)])
def test_a_pipe_is_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: tuple[float, float]
) -> None:
    """However late its writer comes, and however slowly it writes once it is there."""
    monkeypatch.setattr(size_limit, "PIPE_TIMEOUT", 5.0)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        time.sleep(pauses[0])
        with pipe.open("wb") as stream:
            time.sleep(pauses[1])
            stream.write(b'{"id": "a", "output": "x"}\n')
            stream.flush()
            time.sleep(pauses[1])
            stream.write(b'{"id": "b", "output": "y"}\n')

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    assert read_outputs(pipe).ids == ["a", "b"]
    writer.join()


@pytest.mark.usefixtures("small")
def test_published_files_are_streamed_but_no_bomb_is(tmp_path: Path) -> None:
    """What is read a line at a time may be longer than the limit; not what packs better than any text."""
    rows = [json.dumps({"gem_id": f"x-{i}", "references": [os.urandom(40).hex()], "source": "s"}) for i in range(8000)]
    (tmp_path / "test.jsonl").write_bytes(gzip.compress("\n".join(rows).encode()))
    assert sum(1 for _ in dataset("xsum").read(tmp_path / "test.jsonl")) == 8000
    (tmp_path / "test.jsonl").write_bytes(gzip.compress(b'{"gem_id": "x", "references": ["y"]}\n' * 40_000))
    with pytest.raises(AssayError, match="decompresses to more than 200 times its size"):
        list(dataset("xsum").read(tmp_path / "test.jsonl"))


@pytest.mark.usefixtures("small")
def test_an_archive_that_is_a_bomb(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * LIMIT)
    with pytest.raises(AssayError, match=r"its header: is too large; the limit is 256 KB.*ASSAY_MAX_BYTES"):
        read_foreign(tmp_path / "log.eval")


def test_reasons_against_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for name, said in (
        ("none", "no such file"),
        ("", "is a folder"),
        ("file/x", "no such file"),
        ("a\0b", "cannot be"),
    ):
        with pytest.raises(AssayError, match=said):
            read_outputs(tmp_path / name)
