"""Shades of BLEU, flavours of Success (Nekvinda and Dušek, 2021): MultiWOZ systems from their released predictions.

Goals and most references are not released, so Inform and Success cannot be recomputed; BLEU uses one reference style.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.errors import AssayError
from assay.meta.reproduce.bleu import corpus_bleu
from assay.meta.reproduce.cells import Cell, cell, read_rows, require_files
from assay.metrics.structure.dialog.report import richness
from assay.metrics.structure.dialog.responses import normalise
from assay.records.documents import read_json

SYSTEMS = ("damd", "mintl", "ubar", "soloist", "augpt", "marco", "hdsa", "hdno", "lava")
TABLE_4 = """
MWZ 2.2  | 16.4 19.4 17.6 13.6 16.8 17.3 20.7 17.8 10.8
HDSA     | 15.5 18.6 16.3 15.1 15.5 19.0 22.5 19.4 11.4
DAMD     | 16.9 20.0 17.9 14.1 16.5 17.8 21.4 18.3 11.0
AuGPT    | 15.8 18.6 16.7 13.2 17.0 17.1 20.4 17.7 10.5
UniConv  | 15.1 18.2 15.9 13.7 15.5 17.6 20.6 18.1 10.9
LAVA     | 15.4 18.6 16.3 15.1 15.5 19.0 22.5 19.4 11.4
"""
TABLE_5 = """
Inform   | 57.9 73.7 83.4 82.3 76.6 94.5 87.9 93.3 95.9
Success  | 47.6 65.4 70.3 72.4 60.5 87.2 79.4 83.4 93.5
"""
TABLE_6 = """
unique tokens        | 212  297  478  615  608  319  259  103 176
unique trigrams      | 1755 2525 5238 7923 5843 3002 2019 315 708
entropy              | 6.12 6.19 6.40 6.45 6.62 6.27 6.16 5.46 5.50
cond. bigram entropy | 1.65 1.81 2.10 2.41 2.15 1.94 1.64 0.84 1.27
MSTTR-50             | 0.62 0.66 0.68 0.66 0.70 0.67 0.67 0.59 0.54
mean turn length     | 14.27 14.78 13.54 18.45 12.90 16.01 14.42 14.96 13.28
"""
COLUMNS = {
    "unique tokens": "num_unigrams", "unique trigrams": "num_trigrams", "entropy": "entropy",
    "cond. bigram entropy": "cond_entropy", "MSTTR-50": "msttr", "mean turn length": "avg_lengths",
}  # fmt: skip
JOINED = "approximates the tokenizer that joins clitics: a few types may differ"


def multiwoz(folder: Path) -> list[Cell]:
    """Return the cells of Tables 4 and 6; Table 5 requires goals that are not released."""
    predictions, references = require_files(folder / "multiwoz", "predictions", "hdsa_test_reference.json")
    responses = {name: _responses(predictions / f"{name}.json") for name in SYSTEMS}
    gold = {id.lower(): texts for id, texts in read_json(references).items()}
    return [*table_4(responses, gold), *table_5(), *table_6(responses)]


def _responses(path: Path) -> dict[str, list[str]]:
    """Return the normalised responses of a system by dialogue."""
    if not path.exists():
        raise AssayError(f"{path}: not found. Give the folder of released data with --data.")
    dialogues = read_json(path)
    return {id: [normalise(str(turn["response"])) for turn in turns] for id, turns in dialogues.items()}


def table_4(responses: dict[str, dict[str, list[str]]], gold: dict[str, list[str]]) -> Iterator[Cell]:
    for row, printed in read_rows(TABLE_4):
        for name, value in zip(SYSTEMS, printed, strict=True):
            if row != "HDSA":
                yield cell("Table 4", row, f"{name} BLEU", value, None, "these references are not released here")
                continue
            turns = [(texts_of, gold[id]) for id, texts_of in responses[name].items() if id in gold]
            pairs = [pair for texts_of, wanted in turns for pair in zip(texts_of, wanted, strict=False)]
            texts, refs = [one for one, _ in pairs], [[normalise(two)] for _, two in pairs]
            note = f"{len(turns)} dialogues; {JOINED}"
            yield cell("Table 4", row, f"{name} BLEU", value, corpus_bleu(texts, refs, lowercase=False), note)


def table_5() -> Iterator[Cell]:
    for row, printed in read_rows(TABLE_5):
        for name, value in zip(SYSTEMS, printed, strict=True):
            yield cell("Table 5", row, name, value, None, "the goals of the dialogues are not released here")


def table_6(responses: dict[str, dict[str, list[str]]]) -> Iterator[Cell]:
    measured = {
        name: richness([text for texts_of in by.values() for text in texts_of]) for name, by in responses.items()
    }
    for row, printed in read_rows(TABLE_6):
        for name, value in zip(SYSTEMS, printed, strict=True):
            yield cell("Table 6", row, name, value, measured[name][COLUMNS[row]], JOINED)
