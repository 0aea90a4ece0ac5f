"""WebAnno TSV 3, as INCEpTION exports it: tokens with offsets, and one column per feature of each span layer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from assay.errors import AssayError

Span = tuple[str, int, int, str]
LAYER = re.compile(r"#T_SP=([^|]+)\|?(.*)")
TOKEN = re.compile(r"\d+-\d+(?:\.\d+)?\t(\d+)-(\d+)\t")
VALUE = re.compile(r"(.*?)(?:\[(\d+)\])?", re.DOTALL)
ESCAPED = re.compile(r"\\(.)")
COMMENTS = ("comment", "note", "notes")


def read_tsv(content: str, path: Path) -> tuple[str, list[Span], Counter[str]]:
    """Return the text, the spans (label, start, end, comment) of a file, and counts of what it has besides them.

    Of a layer, the first feature is the label, and one called comment or note the comment. A span over several tokens
    has a number in brackets; stacked spans are separated by |.
    """
    left_out: Counter[str] = Counter()
    lines = content.split("\n")
    if not lines[0].startswith("#FORMAT=WebAnno TSV 3"):
        raise AssayError(f"{path}:1: {lines[0][:40]!r} is not #FORMAT=WebAnno TSV 3; export this format")
    layers: list[list[str]] = []
    pieces: list[tuple[int, str]] = []
    wide = False  # offsets count units of UTF-16, two for an emoji
    spans: dict[tuple[int, str, str, int], list[int | str]] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith(("#T_RL=", "#T_CH=")):
            left_out[f"layers of {'relations' if line.startswith('#T_RL') else 'chains'}"] += 1
        if match := LAYER.match(line.rstrip()):
            layers.append([name for name in match[2].split("|") if name] or [match[1].rpartition(".")[2]])
        token = TOKEN.match(line)
        if not token:
            continue
        start, end = int(token[1]), int(token[2])
        word, *columns = line[token.end() :].rstrip("\r").split("\t")
        pieces.append((start, word))
        wide = wide or len(word) < end - start == _units(word)
        at = 0
        for layer, features in enumerate(layers):
            cells = [_stacked(cell) for cell in columns[at : at + len(features)]]
            at += len(features)
            if len(cells) < len(features):
                raise AssayError(f"{path}:{number}: a column of the layer {features[0]} is missing")
            for place, (label, id) in enumerate(cells[0]):
                if label == "_":
                    continue
                comment = next(
                    (cell[place][0] for name, cell in zip(features, cells, strict=True) if name.lower() in COMMENTS
                     if place < len(cell) and cell[place][0] not in ("_", "*")), "",
                )  # fmt: skip
                name = features[0] if label == "*" else label
                key = layer, name, id, 0 if id else start  # without a number, a span is one token
                if key not in spans:
                    left_out.update(
                        f"values of the feature {other}"
                        for other, cell in zip(features[1:], cells[1:], strict=True)
                        if other.lower() not in COMMENTS and place < len(cell) and cell[place][0] not in ("_", "*")
                    )
                known = spans.setdefault(key, [start, end, comment])
                known[1] = max(int(known[1]), end)
    text, within = _text(pieces, wide)
    return (
        text,
        [(name, within(int(s)), within(int(e)), str(c)) for (_, name, _, _), (s, e, c) in spans.items()],
        left_out,
    )


def _stacked(cell: str) -> list[tuple[str, str]]:
    """Return value and number of each stacked annotation of a cell."""
    values = []
    for part in re.split(r"(?<!\\)\|", cell):
        match = VALUE.fullmatch(part)
        assert match is not None
        values.append((ESCAPED.sub(r"\1", match[1]), match[2] or ""))
    return values


def _units(text: str) -> int:
    """Return the length of a text in units of UTF-16."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def _text(pieces: list[tuple[int, str]], wide: bool) -> tuple[str, Callable[[int], int]]:
    """Return the text of tokens at their offsets, and the place of an offset in it; between tokens is white space."""
    coding, size = ("utf-16-le", 2) if wide else ("utf-32-le", 4)
    data = b""
    for start, word in sorted(pieces):
        data += (" " * (start - len(data) // size)).encode(coding)
        made = word.encode(coding)
        data = data[: start * size] + made + data[start * size + len(made) :]
    return data.decode(coding), lambda at: len(data[: at * size].decode(coding))
