"""What kind of file is this? Decided by content; the name is never looked at.

Every kind becomes the same thing: a list of `Row`s, each a mapping of fields with the line it came from.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.records.files import PARQUET_MAGIC, decode, read_bytes
from assay.records.parquet import read_parquet
from assay.records.parse import BROKEN, HALF_PAIR, HALF_PAIR_FOUND, not_json, try_json, whole
from assay.records.size_limit import open_regular

ID_FIELDS = ("id", "gem_id", "instance_id", "example_id")
OUTPUT_FIELDS = ("output", "prediction", "generated", "generated_text", "hypothesis", "hyp", "response", "text")
REFERENCE_FIELDS = ("references", "reference", "target", "targets", "refs", "ref")
SOURCE_FIELDS = ("source", "document", "article", "src")
TEXT_FIELDS = frozenset((*OUTPUT_FIELDS, *REFERENCE_FIELDS, *SOURCE_FIELDS))
KNOWN_FIELDS = TEXT_FIELDS | frozenset(
    (*ID_FIELDS, "system", "annotator", "criterion", "value", "input", "predictions", "ground_truth")
)

ZIP_MAGIC = b"PK\x03\x04"
LONGEST_RECORD = 1 << 20
LOOKS_LIKE_JSON = re.compile(r'\s*(\{\s*["}]|\[\s*["{\[\]])')


class Row(NamedTuple):
    """One item of a file. A bare string or list stands under the field name ``""``."""

    fields: dict[str, Any]
    where: str


class Skipped(NamedTuple):
    """A line that could not be read and was left out."""

    position: int
    """Which item of the file it would have been, from 1."""
    line: int


class Table(NamedTuple):
    """The rows of one file, with what the file says about all of them."""

    rows: list[Row]
    path: str
    kind: str
    system: str | None = None
    language: str | None = None
    skipped: tuple[Skipped, ...] = ()
    """Lines that were left out because they could not be read (only when that was asked for)."""

    @property
    def positions(self) -> list[int]:
        return positions(len(self.rows), self.skipped)


def positions(count: int, skipped: tuple[Skipped, ...]) -> list[int]:
    """Which item of its file each of `count` items is, from 1: what was left out still has its place."""
    without = {each.position for each in skipped}
    return [place for place in range(1, count + len(without) + 1) if place not in without]


def read_table(
    path: Path,
    *,
    content: bytes | None = None,
    dataset: str | None = None,
    skip_bad: bool = False,
    texts: bool = True,
) -> Table:
    """Read any supported file, or what was read of it already. `dataset` picks one task of a submission that holds
    several. Without `texts` rows of other tools may be without an answer: only their numbers are asked for."""
    if content is None and path.is_dir():
        return _folder(path, dataset)
    data = read_bytes(path) if content is None else content
    return _translated(_recognised(data, path, dataset, skip_bad, texts), dataset, texts)


def _folder(path: Path, dataset: str | None) -> Table:
    from assay.records.folders import data_files, read_frames

    files = data_files(path, dataset)
    if files[0].suffix == ".json":
        return read_table(files[0])._replace(system=path.resolve().name)
    rows = [Row(fields, f"row {i}") for i, fields in enumerate(read_frames(files), 1)]
    return _translated(Table(rows, f"{path}", "parquet"), None)


def _translated(table: Table, wanted: str | None, texts: bool = True) -> Table:
    """Rows of other tools in our words; of several filters of the same answers the one that is wanted."""
    from assay.records.other_tools import blamed, translate

    fields = [row.fields for row in table.rows]
    made = blamed(table.path, lambda: translate(fields, lambda i: f"{table.path} {table.rows[i].where}", texts))
    if made is None:
        return table
    rows = [Row(fields, row.where) for fields, row in zip(made, table.rows, strict=True)]
    filters = list(dict.fromkeys(row.fields["filter"] for row in rows if "filter" in row.fields))
    if len(filters) > 1:
        if wanted not in filters:
            listed = ", ".join(filters)
            raise AssayError(
                f"{table.path}: answers through {len(filters)} filters ({listed}); choose one with --dataset"
            )
        rows = [row for row in rows if row.fields.get("filter") == wanted]
    return table._replace(rows=rows)


def _recognised(data: bytes, path: Path, dataset: str | None, skip_bad: bool, texts: bool) -> Table:
    if data.startswith(PARQUET_MAGIC):
        return Table(list(_parquet_rows(data, path)), f"{path}", "parquet")
    if data.startswith(ZIP_MAGIC):
        from assay.records.inspect_samples import open_archive

        return _document(open_archive(data, path), path, dataset, skip_bad or not texts)
    text = decode(data, path)
    if LOOKS_LIKE_JSON.match(text):
        return _json_table(text, path, dataset, skip_bad, texts)
    delimiter = _delimiter(text)
    if delimiter:
        return Table(list(_separated_rows(text, path, delimiter)), f"{path}", "csv" if delimiter == "," else "tsv")
    lines = _lines(text)
    _refuse_nameless_table(lines, path)
    return Table([Row({"": line}, f"line {i}") for i, line in enumerate(lines, 1)], f"{path}", "text")


def _refuse_nameless_table(lines: list[str], path: Path) -> None:
    """Lines with equally many tabs are a table whose columns we do not know; as texts they would be scored whole."""
    tabs = lines[0].count("\t") if len(lines) > 1 else 0
    if tabs and all(line.count("\t") == tabs for line in lines):
        shown = ", ".join(cell.strip()[:24] for cell in lines[0].split("\t")[:6])
        raise AssayError(
            f"{path}:1: a table of {tabs + 1} columns, none of which has a name that is known ({shown}); call the "
            "column of outputs output, that of references reference (docs/files.md lists the names)"
        )


def _lines(text: str) -> list[str]:
    """Lines by newline only: str.splitlines would also cut at U+2028 and form feeds inside a text."""
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
            problem = HALF_PAIR_FOUND if HALF_PAIR.search(line) else f"not JSON ({shown})"
            raise AssayError(
                f"{path}:{number}: {problem}; {len(rows)} items before it were fine. "
                "Fix the line, or use --skip-bad to leave it out"
            )
        rows.append(Row(_fields(value), f"line {number}"))
    return Table(rows, f"{path}", "jsonl", skipped=tuple(skipped))


def _fields(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"": value}


def _document(value: Any, path: Path, dataset: str | None, skip_bad: bool) -> Table:
    """A whole JSON document: a list, a GEM submission or value list, a mapping from id, or a single record."""
    if isinstance(value, list):
        return Table(_items(value), f"{path}", "json")
    if not isinstance(value, dict):
        raise AssayError(f"{path}: a JSON {type(value).__name__} holds no items; give a list or one object a line")
    from assay.records.inspect_samples import is_log, of_log
    from assay.records.other_tools import blamed, is_split_table, of_split_table

    if is_log(value):
        samples, model = blamed(path, lambda: of_log(value, path, skip_bad))
        rows = [Row(fields, f"sample {i}") for i, fields in enumerate(samples, 1) if fields is not None]
        without = tuple(Skipped(i, i) for i, fields in enumerate(samples, 1) if fields is None)
        return Table(rows, f"{path}", "json", model, skipped=without)
    if is_split_table(value):
        return Table(_items(list(blamed(path, lambda: of_split_table(value, path)))), f"{path}", "json")
    if isinstance(value.get("tasks"), dict):
        name, task = _pick_task(value["tasks"], path, dataset)
        table = _gem_values(task, path, name)
        return table._replace(system=value.get("submission_name"))
    if "values" in value:
        return _gem_values(value, path, None)
    if KNOWN_FIELDS & value.keys():
        return Table([Row(value, "line 1")], f"{path}", "jsonl")
    rows = [Row({"id": key, **(item if isinstance(item, dict) else {"": item})}, key) for key, item in value.items()]
    return Table(rows, f"{path}", "json")


def _items(values: list[Any]) -> list[Row]:
    return [Row(_fields(item), f"item {i}") for i, item in enumerate(values, 1)]


def _pick_task(tasks: dict[str, Any], path: Path, dataset: str | None) -> tuple[str, Any]:
    if not tasks:
        raise AssayError(f"{path}: the submission has no tasks; it needs at least one under 'tasks'")
    names = {gem_name(name): name for name in tasks}
    if dataset is None and len(tasks) == 1:
        dataset = next(iter(names))
    if dataset is None or gem_name(dataset) not in names:
        listed = ", ".join(list(tasks)[:10]) + (" …" if len(tasks) > 10 else "")
        asked = f"has no task {dataset}" if dataset else f"holds {len(tasks)} tasks"
        raise AssayError(f"{path}: the submission {asked}; choose one with --dataset: {listed}")
    name = names[gem_name(dataset)]
    return name, tasks[name]


def tasks_of(path: Path) -> list[str]:
    """The tasks of a file that is a submission, as its keys have them; none of any other file. Of one record a line,
    which may be more than there is room for, only the first is read."""
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
    """Dashes count as underscores and `_val` is `_validation`, as GEM's own tools have it."""
    name = name.replace("-", "_")
    return name.removesuffix("_val") + "_validation" if name.endswith("_val") else name


def _gem_values(task: Any, path: Path, name: str | None) -> Table:
    inside = f"{path}: task {name}" if name else f"{path}"
    values = task.get("values") if isinstance(task, dict) else None
    if not isinstance(values, list):
        raise AssayError(f"{inside}: 'values' must be a list of outputs")
    rows = _items(values)
    keys = task.get("keys")
    if keys is not None:
        if not isinstance(keys, list) or len(keys) != len(values):
            count = len(keys) if isinstance(keys, list) else "no list of"
            raise AssayError(f"{inside}: {len(values)} values but {count} keys; give one key a value, or none")
        rows = [Row({**row.fields, "id": key}, row.where) for row, key in zip(rows, keys, strict=True)]
    return Table(rows, f"{path}", "gem", language=task.get("language"))


def _delimiter(text: str) -> str | None:
    """A header line with one of our column names makes a table; anything else is plain text."""
    header = text.split("\n", 1)[0].rstrip("\r")
    for delimiter in ("\t", ","):
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
            raise AssayError(f"{path}:1: a column name stands twice in {header}; rename one of them")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise AssayError(
                    f"{path}:{reader.line_num}: {len(cells)} cells under {len(header)} columns; quote the cell "
                    "that holds the separator"
                )
            yield Row(dict(zip(header, cells, strict=True)), f"line {reader.line_num}")
    except csv.Error as error:
        raise AssayError(f"{path}:{reader.line_num}: not a table ({error}); check the quotes") from None


def _parquet_rows(data: bytes, path: Path) -> Iterator[Row]:
    for i, fields in enumerate(read_parquet(data, path).iter_rows(named=True), 1):
        yield Row(fields, f"row {i}")
