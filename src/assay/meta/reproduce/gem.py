"""The GEM benchmark (Gehrmann et al., 2021): Tables 3 and 4 from the score files of its website.

The released files are later than the paper, and some runs were repeated. A row is compared if its file describes the
same outputs: the size of their vocabulary and their mean length are the printed ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.meta.reproduce.cells import Cell, not_comparable, read_rows, require_files
from assay.meta.reproduce.gem_tables import TABLE_3, TABLE_4
from assay.records.documents import read_json

SCORES = ("METEOR", "ROUGE-1", "ROUGE-2", "ROUGE-L", "BLEU", "BERTScore", "BLEURT")
DIVERSITY = ("MSTTR", "Distinct-1", "Distinct-2", "H1", "H2", "Unique-1", "Unique-2", "vocabulary", "length")
PLACES: dict[str, tuple[str, ...]] = {
    "METEOR": ("meteor",), "ROUGE-1": ("rouge1", "fmeasure"), "ROUGE-2": ("rouge2", "fmeasure"),
    "ROUGE-L": ("rougeL", "fmeasure"), "BLEU": ("bleu",), "BERTScore": ("bertscore", "f1"), "BLEURT": ("bleurt",),
    "MSTTR": ("msttr-100",), "Distinct-1": ("distinct-1",), "Distinct-2": ("distinct-2",), "H1": ("entropy-1",),
    "H2": ("entropy-2",), "Unique-1": ("unique-1",), "Unique-2": ("unique-2",), "vocabulary": ("vocab_size-1",),
    "length": ("mean_pred_length",),
}  # fmt: skip
FILES = {
    "BART": "bart-base", "T5": "t5-small2", "mT5-small": "mT5-small", "mT5-base": "mT5-base", "TGen": "tgen",
    "TGen+": "tgen-rnnlm", "TGen++": "tgen-rnnlm-lemma-tag",
}  # fmt: skip
TASKS = {
    "CommonGen": "common_gen", "Czech Restaurant": "cs_restaurants", "DART": "dart", "E2E clean": "e2e_nlg",
    "MLSum (de)": "mlsum_de", "MLSum (es)": "mlsum_es", "Schema-Guided": "schema_guided_dialog", "ToTTo": "totto",
    "XSum": "xsum", "WebNLG (en)": "web_nlg_en", "WebNLG (ru)": "web_nlg_ru", "Turk": "wiki_auto_asset_turk",
    "ASSET": "wiki_auto_asset_turk", "WikiLingua (es-en)": "wiki_lingua_spanish_es",
    "WikiLingua (ru-en)": "wiki_lingua_russian_ru", "WikiLingua (tr-en)": "wiki_lingua_turkish_tr",
    "WikiLingua (vi-en)": "wiki_lingua_vietnamese_vi",
}  # fmt: skip
NO_FILE = "no score file of this run is released here"
NO_SCORES = "the released file has the number of outputs, but no scores"
LATER = "the released file is of a later run: its outputs have another vocabulary or length"
SWAPPED = "a ROUGE-2 of 0 was printed: outputs were presumably scored with the references of other items"
ROUNDED = "the code at the time printed the middle of resampled values, which varies in the third digit"
OTHERS = {
    ("Czech Restaurant, TGen+", "MSTTR"): "0.61 is not the value of these outputs, although the other eight are",
}


def gem(folder: Path) -> list[Cell]:
    """Return the cells of Tables 3 and 4."""
    (results,) = require_files(folder / "gem", "results")
    files = {model: _read(results / f"{stem}.scores.json") for model, stem in FILES.items()}
    described = {row: dict(zip(DIVERSITY, printed, strict=True)) for row, printed in read_rows(TABLE_4)}
    cells: list[Cell] = []
    for table, block, columns in (("Table 3", TABLE_3, SCORES), ("Table 4", TABLE_4, DIVERSITY)):
        for row, printed in read_rows(block):
            released = _row(files, row)
            cells += _compared(table, row, dict(zip(columns, printed, strict=True)), released, described[row])
    return cells


def _read(path: Path) -> Mapping[str, Any]:
    if not path.exists():
        raise AssayError(f"{path}: not matches. Give the folder of released data with --data.")
    matches = read_json(path)
    if not isinstance(matches, dict):
        raise AssayError(f"{path}: not a score file. Use the released file.")
    return matches


def _row(files: Mapping[str, Mapping[str, Any]], row: str) -> Mapping[str, Any] | None:
    """Return the released scores of a row; None if there is no such file or task."""
    task, _, model = row.rpartition(", ")
    scores = files.get(model, {})
    matches = (scores.get(f"{TASKS[task]}_{split}") for split in ("val", "validation"))
    return next((each for each in matches if isinstance(each, dict)), None)


def _compared(
    table: str, row: str, printed: Mapping[str, str], released: Mapping[str, Any] | None, described: Mapping[str, str]
) -> Iterator[Cell]:
    values = {column: None if released is None else _value(released, column) for column in PLACES}
    for column, text in printed.items():
        if text == "-":
            continue
        value = values[column]
        if value is None:
            yield Cell(table, row, column, _number(text), None, None, NO_FILE if released is None else NO_SCORES)
        elif not all(_rounds(described[each], values[each]) for each in ("vocabulary", "length")):
            yield not_comparable(table, row, column, str(_number(text)), value, LATER)
        else:
            same = _rounds(text, value)
            yield Cell(table, row, column, _number(text), value, same, "" if same else _why(table, row, column))


def _value(released: Mapping[str, Any], column: str) -> float | None:
    matches: Any = released
    for name in PLACES[column]:
        matches = matches.get(name) if isinstance(matches, dict) else None
        if isinstance(matches, dict) and "mid" in matches:
            matches = matches["mid"]
    if not isinstance(matches, int | float):
        return None
    return 100.0 * matches if column.startswith("ROUGE") and matches <= 1 else float(matches)


def _number(text: str) -> float:
    return 1000 * float(text[:-1]) if text.endswith("k") else float(text)


def _rounds(text: str, value: float | None) -> bool:
    """Return whether a value rounds to the printed text, in its unit and decimals."""
    if value is None:
        return False
    decimals = len(text.rstrip("k").partition(".")[2])
    unit = 1000.0 if text.endswith("k") else 1.0
    return abs(_number(text) - value) <= unit * (0.5 * 10.0**-decimals) + 1e-9


def _why(table: str, row: str, column: str) -> str:
    if (row, column) in OTHERS:
        return OTHERS[row, column]
    return SWAPPED if "TGen" in row and table == "Table 3" else ROUNDED
