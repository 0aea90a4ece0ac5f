"""File formats, recognised by content and never by name.

Every format becomes a `Table`: a list of `Row`s, each a mapping of fields with its position in the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError, location
from assay.records.files import PARQUET_MAGIC, decode, read_bytes
from assay.records.misread import refuse_document, refuse_nameless_csv, refuse_nameless_table
from assay.records.parquet import read_parquet
from assay.records.parse import BROKEN, UNPAIRED, UNPAIRED_SURROGATE, not_json, try_json, whole
from assay.records.size_limit import open_regular

ID_FIELDS = ("id", "gem_id", "instance_id", "example_id")
OUTPUT_FIELDS = ("output", "prediction", "generated", "generated_text", "hypothesis", "hyp", "response", "text")
REFERENCE_FIELDS = ("references", "reference", "target", "targets", "refs", "ref")
SOURCE_FIELDS = ("source", "document", "article", "src")
CONTEXT_FIELDS = ("contexts", "retrieved_contexts", "retrieval_context")
TEXT_FIELDS = frozenset((*OUTPUT_FIELDS, *REFERENCE_FIELDS, *SOURCE_FIELDS))
KNOWN_FIELDS = TEXT_FIELDS | frozenset(
    (
        *ID_FIELDS,
        "system",
        "annotator",
        "criterion",
        "value",
        "input",
        "predictions",
        "ground_truth",
        "messages",
        "expected",
        *CONTEXT_FIELDS,
    )
)

ZIP_MAGIC = b"PK\x03\x04"
ARROW_MAGICS = (b"ARROW1", b"\xff\xff\xff\xff")
"""The first bytes of Arrow files, and of Arrow streams as `datasets` writes them."""
LONGEST_RECORD = 1 << 20
LOOKS_LIKE_JSON = re.compile(r'\s*(\{\s*["}]|\[\s*["{\[\]])')


class Row(NamedTuple):
    """One item of a file. A bare string or list has the field name ``""``."""

    fields: dict[str, Any]
    where: str
    """Position in the file: `line 17`, `item 3`, `row 4`."""


class Skipped(NamedTuple):
    """An unreadable line that was left out."""

    position: int
    """Position of the item among all items of the file, from 1."""
    line: int


class Table(NamedTuple):
    """The rows of one file, and what holds for all of them."""

    rows: list[Row]
    path: str
    kind: str
    system: str | None = None
    language: str | None = None
    skipped: tuple[Skipped, ...] = ()
    """Unreadable lines that were left out (only with `skip_bad`)."""
    notes: tuple[str, ...] = ()
    """What the file has and is not used, one sentence each."""

    @property
    def positions(self) -> list[int]:
        return positions(len(self.rows), self.skipped)


def positions(count: int, skipped: tuple[Skipped, ...]) -> list[int]:
    """Return the position of each of `count` items in its file, from 1; skipped lines count."""
    left_out = {each.position for each in skipped}
    return [position for position in range(1, count + len(left_out) + 1) if position not in left_out]


def read_table(
    path: Path,
    *,
    content: bytes | None = None,
    dataset: str | None = None,
    skip_bad: bool = False,
    texts: bool = True,
) -> Table:
    """Read a file of any supported format.

    Args:
        path: The file, or a folder of data files.
        content: Content of the file, if it was read before.
        dataset: Task of a submission that has several.
        skip_bad: Leave out lines that are not JSON instead of raising an error.
        texts: Whether rows need an output. Logs of other tools may have scores alone.

    Raises:
        AssayError: The file cannot be read; the message has file and line.
    """
    if content is None and path.is_dir():
        return _folder(path, dataset)
    data = read_bytes(path) if content is None else content
    return _translated(_recognized(data, path, dataset, skip_bad, texts), dataset, texts, skip_bad)


def _folder(path: Path, dataset: str | None) -> Table:
    from assay.records.folders import data_files, read_frames

    files = data_files(path, dataset)
    if files[0].suffix == ".json":
        return read_table(files[0])._replace(system=path.resolve().name)
    rows = [Row(fields, f"row {i}") for i, fields in enumerate(read_frames(files), 1)]
    return _translated(Table(rows, f"{path}", "parquet"), None)


def _translated(table: Table, wanted: str | None, texts: bool = True, skip_bad: bool = False) -> Table:
    """Return rows of other tools with our field names; with several filters, those of the wanted one."""
    from assay.records.tools import Source, blamed, translate

    rows = table.rows
    source = Source(
        [row.fields for row in rows], lambda i: location(table.path, rows[i].where), texts, skip_bad or not texts
    )
    result = blamed(table.path, lambda: translate(source))
    if result is None:
        return table
    skipped = _without_answer(table, result.items)
    rows = [Row(fields, table.rows[i].where) for fields, i in result.items if fields is not None]
    filters = list(dict.fromkeys(row.fields["filter"] for row in rows if "filter" in row.fields))
    if len(filters) > 1:
        if wanted not in filters:
            listed = ", ".join(filters)
            raise AssayError(f"{table.path}: outputs of {len(filters)} filters ({listed}). Choose one with --dataset.")
        rows = [row for row in rows if row.fields.get("filter") == wanted]
    if len(rows) + len(skipped) != len(table.rows) + len(table.skipped):  # items are not in the order of the rows
        skipped = tuple(Skipped(len(rows) + n, each.line) for n, each in enumerate(skipped, 1))
    return table._replace(rows=rows, skipped=skipped, notes=result.notes)


def _without_answer(table: Table, items: Sequence[tuple[dict[str, Any] | None, int]]) -> tuple[Skipped, ...]:
    """Return the unreadable lines of a file, and its items without an answer."""
    positions = table.positions if any(fields is None for fields, _ in items) else []
    return (*table.skipped, *(Skipped(positions[i], i + 1) for fields, i in items if fields is None))


def _recognized(data: bytes, path: Path, dataset: str | None, skip_bad: bool, texts: bool) -> Table:
    if data.startswith(PARQUET_MAGIC):
        return Table(list(_parquet_rows(data, path)), f"{path}", "parquet")
    if data.startswith(ARROW_MAGICS):
        from assay.records.folders import read_arrow

        fields = read_arrow(data, path).iter_rows(named=True)
        return Table([Row(row, f"row {i}") for i, row in enumerate(fields, 1)], f"{path}", "arrow")
    if data.startswith(ZIP_MAGIC):
        from assay.records.tools.inspect_ai import open_archive

        return _document(open_archive(data, path), path, dataset, skip_bad or not texts)
    text = decode(data, path)
    if LOOKS_LIKE_JSON.match(text):
        return _json_table(text, path, dataset, skip_bad, texts)
    delimiter = _delimiter(text)
    if delimiter:
        return Table(list(_separated_rows(text, path, delimiter)), f"{path}", "tsv" if delimiter == "\t" else "csv")
    lines = _lines(text)
    refuse_document(lines, path)
    refuse_nameless_table(lines, path)
    if texts and path.suffix.lower() == ".csv":
        refuse_nameless_csv(text, path)
    return Table([Row({"": line}, f"line {i}") for i, line in enumerate(lines, 1)], f"{path}", "text")


def _lines(text: str) -> list[str]:
    """Split at newlines only: `str.splitlines` also splits at U+2028 and form feeds inside a text."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    return lines


def _json_table(text: str, path: Path, dataset: str | None, skip_bad: bool, texts: bool) -> Table:
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip() or try_json(first) is BROKEN:
        try:
            return _document(whole(text, path), path, dataset, skip_bad or not texts)
        except (ValueError, RecursionError) as error:
            if not _mostly_json_lines(rest):
                raise not_json(text, path, error) from None
    return _json_lines(text, path, skip_bad)


def _mostly_json_lines(text: str) -> bool:
    sample = [line for line in text.split("\n")[:20] if line.strip()]
    return sum(isinstance(try_json(line), dict | list) for line in sample) * 2 > len(sample)


def _json_lines(text: str, path: Path, skip_bad: bool) -> Table:
    rows: list[Row] = []
    skipped: list[Skipped] = []
    for number, line in enumerate(_lines(text), 1):
        if not line.strip():
            continue
        value = try_json(line)
        if value is BROKEN:
            if skip_bad:
                skipped.append(Skipped(len(rows) + len(skipped) + 1, number))
                continue
            shown = line if len(line) <= 24 else line[:24] + "…"
            problem = UNPAIRED if UNPAIRED_SURROGATE.search(line) else f"not JSON ({shown})"
            raise AssayError(
                f"{path}:{number}: {problem}; valid items before it: {len(rows)}. "
                "Fix the line, or leave it out with --skip-bad."
            )
        rows.append(Row(_fields(value), f"line {number}"))
    return Table(rows, f"{path}", "jsonl", skipped=tuple(skipped))


def _fields(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"": value}


def _document(value: Any, path: Path, dataset: str | None, skip_bad: bool) -> Table:
    """Return the table of a JSON document: a list, a GEM submission or value list, a mapping by id, or one record."""
    if isinstance(value, list):
        return Table(_items(value), f"{path}", "json")
    if not isinstance(value, dict):
        raise AssayError(f"{path}: a JSON {type(value).__name__} has no items. Use a list, or one object per line.")
    from assay.records.tools import blamed, rows_of
    from assay.records.tools.inspect_ai import is_log, of_log, unused_of
    from assay.records.tools.mlflow_tables import is_split_table, of_split_table

    if is_log(value):
        samples, model = blamed(path, lambda: of_log(value, path, skip_bad))
        rows = [Row(fields, f"sample {i}") for i, fields in enumerate(samples, 1) if fields is not None]
        without = tuple(Skipped(i, i) for i, fields in enumerate(samples, 1) if fields is None)
        notes = blamed(path, lambda: unused_of(value))
        return Table(rows, f"{path}", "json", model, skipped=without, notes=notes)
    if is_split_table(value):
        return Table(_items(list(blamed(path, lambda: of_split_table(value, path)))), f"{path}", "json")
    if (by_column := _rows_of_columns(value)) is not None:
        return Table(_items(by_column), f"{path}", "json")
    if (rows_inside := blamed(path, lambda: rows_of(value))) is not None:
        return Table(_items(rows_inside), f"{path}", "json")
    if isinstance(value.get("tasks"), dict):
        name, task = _pick_task(value["tasks"], path, dataset)
        table = _gem_values(task, path, name)
        return table._replace(system=value.get("submission_name"))
    if "values" in value:
        return _gem_values(value, path, None)
    if "submission_name" in value and any(isinstance(one, dict) and "N" in one for one in value.values()):
        raise AssayError(
            f"{path}: scores of a submission, not outputs. `assay report {path.name} -o scores.md` shows them; "
            "give the outputs of the system to score them."
        )
    if KNOWN_FIELDS & value.keys():
        return Table([Row(value, "line 1")], f"{path}", "jsonl")
    rows = [Row({"id": key, **(item if isinstance(item, dict) else {"": item})}, key) for key, item in value.items()]
    return Table(rows, f"{path}", "json")


def _rows_of_columns(value: dict[str, Any]) -> list[Any] | None:
    """Return the rows of a data frame that pandas wrote by column, `{NAME: {"0": cell}}`; None for another value."""
    columns = list(value.values())
    if not columns or not all(isinstance(column, dict) and column for column in columns):
        return None
    numbers = columns[0].keys()
    if not all(number.isdecimal() for number in numbers) or any(column.keys() != numbers for column in columns):
        return None
    return [{name: column[number] for name, column in value.items()} for number in numbers]


def _items(values: list[Any]) -> list[Row]:
    return [Row(_fields(item), f"item {i}") for i, item in enumerate(values, 1)]


def _pick_task(tasks: dict[str, Any], path: Path, dataset: str | None) -> tuple[str, Any]:
    if not tasks:
        raise AssayError(f'{path}: "tasks" is empty. A submission needs at least one task.')
    names = {gem_name(name): name for name in tasks}
    if dataset is None and len(tasks) == 1:
        dataset = next(iter(names))
    if dataset is None or gem_name(dataset) not in names:
        listed = ", ".join(list(tasks)[:10]) + (" …" if len(tasks) > 10 else "")
        problem = f"no task {dataset}" if dataset else f"{len(tasks)} tasks"
        raise AssayError(f"{path}: the submission has {problem}. Choose one with --dataset: {listed}.")
    name = names[gem_name(dataset)]
    return name, tasks[name]


def tasks_of(path: Path) -> list[str]:
    """Return the names of the tasks of a submission; an empty list for any other file.

    Of a JSONL file, which may be larger than memory, only the first line is read.
    """
    if not path.is_file():
        return []
    with open_regular(path) as stream:
        first = stream.readline(LONGEST_RECORD)
    if (
        first.endswith(b"\n")
        and isinstance(one := try_json(first.decode("utf-8", "replace")), dict)
        and "tasks" not in one
    ):
        return []
    data = read_bytes(path)
    if b'"tasks"' not in data or not data.lstrip().startswith(b"{"):
        return []
    value = try_json(decode(data, path))
    tasks = value.get("tasks") if isinstance(value, dict) else None
    return [str(name) for name in tasks] if isinstance(tasks, dict) else []


def gem_name(name: str) -> str:
    """Return the canonical name of a GEM task: dashes are underscores, `_val` is `_validation`."""
    name = name.replace("-", "_")
    return name.removesuffix("_val") + "_validation" if name.endswith("_val") else name


def _gem_values(task: Any, path: Path, name: str | None) -> Table:
    inside = f"{path}: task {name}" if name else f"{path}"
    values = task.get("values") if isinstance(task, dict) else None
    if not isinstance(values, list):
        raise AssayError(f'{inside}: "values" is not a list. Give a list of outputs.')
    rows = _items(values)
    keys = task.get("keys")
    if keys is not None:
        if not isinstance(keys, list) or len(keys) != len(values):
            count = len(keys) if isinstance(keys, list) else "no list of"
            raise AssayError(f"{inside}: {len(values)} values but {count} keys. Give one key per value, or none.")
        rows = [Row({**row.fields, "id": key}, row.where) for row, key in zip(rows, keys, strict=True)]
    return Table(rows, f"{path}", "gem", language=task.get("language"))


def _delimiter(text: str) -> str | None:
    """Return the separator if the first line is a header with a known column name; None for plain text.

    Spreadsheets write semicolons where the comma is the decimal mark.
    """
    header = text.split("\n", 1)[0].rstrip("\r")
    for delimiter in ("\t", ",", ";"):
        names = {cell.strip().strip('"') for cell in header.split(delimiter)}
        if (len(names) > 1 and names & KNOWN_FIELDS) or (delimiter == "," and names & TEXT_FIELDS and len(names) == 1):
            return delimiter
    return None


def _separated_rows(text: str, path: Path, delimiter: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    csv.field_size_limit(2**31 - 1)
    try:
        header = [name.strip() for name in next(reader)]
        if len(set(header)) < len(header):
            repeated = next(name for name in header if header.count(name) > 1)
            raise AssayError(f"{path}:1: column {repeated!r} is repeated. Rename one of them.")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise AssayError(
                    f"{path}:{reader.line_num}: {len(cells)} cells for {len(header)} columns. "
                    "Quote cells that contain the separator."
                )
            yield Row(dict(zip(header, cells, strict=True)), f"line {reader.line_num}")
    except csv.Error as error:
        raise AssayError(f"{path}:{reader.line_num}: not a table ({error}). Check the quotes.") from None


def _parquet_rows(data: bytes, path: Path) -> Iterator[Row]:
    for i, fields in enumerate(read_parquet(data, path).iter_rows(named=True), 1):
        yield Row(fields, f"row {i}")
