"""Every reader on files of its schema: whole, cut off, in another encoding, with a field missing, and fuzzed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.datasets import DATASETS, Report, dataset
from assay.errors import AssayError
from assay.records import Example
from tests.datasets.synthetic_files import MADE, write

NAMES = sorted(MADE)


def read(name: str, path: Path, *, lenient: bool = False) -> tuple[list[Example], Report]:
    report = Report(name, lenient=lenient)
    return list(dataset(name).read(path, None, report)), report


def attempt(name: str, path: Path, *, lenient: bool = False) -> tuple[list[Example], Report, str | None]:
    """Examples and report, or what was said instead; anything but an `AssayError` fails the test."""
    report = Report(name, lenient=lenient)
    examples: list[Example] = []
    try:
        examples.extend(dataset(name).read(path, None, report))
    except AssayError as error:
        return examples, report, str(error)
    return examples, report, None


def test_every_dataset_has_a_synthetic_file() -> None:
    assert sorted(DATASETS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_folder_and_file_give_the_same_examples(name: str, tmp_path: Path) -> None:
    path = write(name, tmp_path)
    examples, report = read(name, tmp_path)
    assert len(examples) == MADE[name].examples == report.examples
    assert len({example.id for example in examples}) == len(examples)
    assert not report.bad
    assert not report.dropped
    assert all(example.split for example in examples)
    assert read(name, path)[0] == examples


@pytest.mark.parametrize("name", NAMES)
def test_a_cut_off_file_is_refused_with_one_line_or_counted(name: str, tmp_path: Path) -> None:
    path = write(name, tmp_path)
    whole = path.read_bytes()
    noticed = 0
    for cut in range(len(whole) // 2, len(whole) - 2, 7):
        path.write_bytes(whole[:cut])
        examples, _, message = attempt(name, path)
        if message is None:
            # Cut between records, or inside the last text of a line: nothing in the file can tell.
            assert len(examples) <= MADE[name].examples
            continue
        noticed += 1
        assert path.name in message
        assert "\n" not in message
        kept, report, still = attempt(name, path, lenient=True)
        assert len(kept) == report.examples
        assert sum(report.bad.values()) >= 1 or (still and re.search("no examples|missing|column", still))
    assert noticed > 0


@pytest.mark.parametrize("name", [name for name in NAMES if name != "web_nlg_ru"])
def test_a_latin1_copy_is_refused_with_file_and_place(name: str, tmp_path: Path) -> None:
    path = write(name, tmp_path)
    text = path.read_text(encoding="utf-8")
    assert not text.isascii()
    path.write_bytes(text.replace("–", "é").encode("latin-1", "replace"))
    with pytest.raises(AssayError, match=r"UTF-8|not well-formed") as error:
        read(name, path)
    assert path.name in str(error.value)
    assert re.search(rf"{re.escape(path.name)}:\d+|(line|item|entry|row|structure) \d+", str(error.value))
    kept, report, _ = attempt(name, path, lenient=True)
    assert sum(report.bad.values()) >= 1
    assert len(kept) <= MADE[name].examples


@pytest.mark.parametrize("name", NAMES)
def test_a_utf16_copy_is_refused(name: str, tmp_path: Path) -> None:
    path = write(name, tmp_path)
    path.write_bytes(path.read_text(encoding="utf-8").encode("utf-16"))
    with pytest.raises(AssayError):
        read(name, path)


@pytest.mark.parametrize("name", [name for name in NAMES if MADE[name].required])
def test_a_missing_field_is_named_with_its_record(name: str, tmp_path: Path) -> None:
    path = write(name, tmp_path)
    field = MADE[name].required
    assert field
    damaged = re.sub(rf'"{field}":', f'"x{field}":', path.read_text(encoding="utf-8"), count=1)
    path.write_text(damaged, encoding="utf-8")
    with pytest.raises(AssayError, match=rf"field '{field}' is missing") as error:
        read(name, path)
    assert re.search(rf"{re.escape(path.name)}:1\b|item 1\b|key doc", str(error.value))
    kept, report = read(name, path, lenient=True)
    assert report.bad[f"field '{field}' is missing"] == 1
    assert 0 < len(kept) < MADE[name].examples
    assert str(path) in next(iter(report.first_bad.values()))


WRONG: list[Any] = [None, 7, True, [], {}, "", [1], {"a": 1}]


@pytest.mark.parametrize("name", [name for name in NAMES if MADE[name].required])
def test_a_field_of_another_type_never_crashes(name: str, tmp_path: Path) -> None:
    """Each field in turn, at every depth, with each wrong value: an error with the file's name, or an example."""
    path = write(name, tmp_path)
    lines = path.suffix == ".jsonl" or name == "muc4"
    text = path.read_text(encoding="utf-8")
    document = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    for place in _places(document):
        for wrong in WRONG:
            changed = _with(document, place, wrong)
            path.write_text(
                "\n".join(map(json.dumps, changed)) if lines and isinstance(changed, list) else json.dumps(changed)
            )
            message = attempt(name, path)[2]
            assert message is None or path.name in message


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, inner in items for place in _places(inner, (*at, key)))]


def _with(value: Any, place: tuple[Any, ...], wrong: Any) -> Any:
    if not place:
        return wrong
    key, *rest = place
    if isinstance(value, dict):
        return {k: _with(v, tuple(rest), wrong) if k == key else v for k, v in value.items()}
    return [_with(v, tuple(rest), wrong) if i == key else v for i, v in enumerate(value)]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_fuzzed_files_end_in_examples_or_one_clear_line(name: str, data: st.DataObject) -> None:
    """Bytes changed, inserted or removed anywhere: never another exception, and lenient reads what strict reads."""
    with TemporaryDirectory() as folder:
        path = write(name, Path(folder))
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            place = data.draw(st.integers(0, len(content) - 1))
            kind = data.draw(st.sampled_from(("change", "insert", "remove")))
            if kind == "remove":
                del content[place : place + data.draw(st.integers(1, 40))]
            elif kind == "insert":
                content[place:place] = data.draw(
                    st.binary(max_size=8) | st.sampled_from((b'"', b"{", b"]", b"\n", b"\t", b"<"))
                )
            else:
                content[place] = data.draw(st.integers(0, 255))
            if not content:
                content = bytearray(b"x")
        path.write_bytes(bytes(content))
        strict, _, message = attempt(name, path)
        lenient, report, _ = attempt(name, path, lenient=True)
        assert message is None or "\n" not in message
        assert message is not None or strict == lenient
        assert len(lenient) == report.examples


def test_names_of_columns_with_line_breaks_stay_in_one_line(tmp_path: Path) -> None:
    path = write("narrative", tmp_path)
    path.write_text('prompt,"two\nlines\x07"\na,b\n', encoding="utf-8")
    assert (attempt("narrative", path)[2] or "").endswith("is missing; columns: prompt, two?lines?")


def test_an_unknown_option_or_value_says_what_there_is() -> None:
    with pytest.raises(AssayError, match="rows"):
        dataset("e2e_nlg:row=pair")
    with pytest.raises(AssayError, match="mr, pair"):
        dataset("e2e_nlg:rows=both")
    with pytest.raises(AssayError, match="e2e_nlg"):
        dataset("e2e_nlgg")


def test_a_choice_of_rows_is_recorded(tmp_path: Path) -> None:
    write("e2e_nlg", tmp_path)
    pairs = list(dataset("e2e_nlg:rows=pair").read(tmp_path))
    grouped = list(dataset("e2e_nlg").read(tmp_path))
    assert [len(example.references) for example in pairs] == [1, 1]
    assert [len(example.references) for example in grouped] == [2]
    assert {example.tags["rows"] for example in pairs} == {"pair"}
    assert {example.tags["rows"] for example in grouped} == {"mr"}


def test_ids_do_not_move_when_a_record_is_left_out(tmp_path: Path) -> None:
    path = write("xsum", tmp_path)
    mlsum = write("mlsum_de", tmp_path)
    lines = mlsum.read_text(encoding="utf-8").splitlines()
    mlsum.write_text("{broken\n" + "\n".join(lines), encoding="utf-8")
    examples, report = read("mlsum_de", mlsum, lenient=True)
    assert [example.id for example in examples] == ["mlsum_de-test-1", "mlsum_de-test-2"]
    assert sum(report.bad.values()) == 1
    assert path.exists()


def test_a_folder_without_the_files_says_what_to_get(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"train\.json, dev\.json and test\.json"):
        list(dataset("mucsum").read(tmp_path))


def test_gzipped_files_are_read(tmp_path: Path) -> None:
    import gzip

    path = write("muc4", tmp_path)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert len(read("muc4", path)[0]) == 2
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(AssayError, match="gzip"):
        read("muc4", path)
