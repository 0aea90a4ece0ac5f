"""Simplification on ASSET and TurkCorpus: SARI and BLEU of released system outputs, as computed by EASSE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.meta.reproduce.cells import Cell, cell, read_rows, require_files
from assay.metrics.lexical.bleu import Bleu
from assay.metrics.simplification.sari import Sari
from assay.records import Example, Items
from assay.records.files import read_text
from assay.stats.resample import all_items

# BLEU and SARI on ASSET, by EASSE from 0.2.1 on, as public leaderboards print them
ASSET = """
ACCESS     | 75.99 40.13
DMASS-DCSS | 71.44 38.67
Dress-Ls   | 86.39 36.59
UNTS       | 76.14 35.19
PBMT-R     | 79.39 34.63
"""
TURK = {"ACCESS": ("41.38", ""), "DMASS-DCSS": ("40.45", "OWN"), "EditNTS": ("38.22", "OWN")}
OWN = "printed by its authors, who used another program and other outputs"
CUT_OFF = "34.635 before rounding"
NOT_AT_HAND = "printed value not at hand"


def simplification(folder: Path) -> list[Cell]:
    """Return the cells of nine systems with the ten references of ASSET and the eight of TurkCorpus."""
    turk, outputs, asset = require_files(folder, "turkcorpus", "turkcorpus/outputs", "asset/dataset")
    sources = _lines(turk / "test.truecase.detok.orig")
    sets = {
        "ASSET": [_lines(path) for path in sorted(asset.glob("asset.test.simp.*"))],
        "TurkCorpus": [_lines(turk / f"test.truecase.detok.simp.{i}") for i in range(8)],
    }
    texts = {path.name: _lines(path) for path in sorted(outputs.iterdir()) if path.is_file()}
    for name, lines in [*texts.items(), *((name, one) for name, many in sets.items() for one in many)]:
        if len(lines) != len(sources):
            raise AssayError(f"{folder}: {name} has {len(lines)} lines, expected {len(sources)}.")
    return [made for name, references in sets.items() for made in rows(name, texts, sources, references)]


def _lines(path: Path) -> list[str]:
    return read_text(path).removesuffix("\n").split("\n")


def rows(
    name: str, texts: dict[str, list[str]], sources: Sequence[str], references: Sequence[Sequence[str]]
) -> Iterator[Cell]:
    gold = [tuple(each) for each in zip(*references, strict=True)]
    examples = tuple(Example(id=str(i), source=source, references=gold[i]) for i, source in enumerate(sources))
    printed = dict(read_rows(ASSET)) if name == "ASSET" else {}
    for system, lines in {"source": list(sources), **texts}.items():
        items = Items(tuple(lines), examples)
        sari, bleu = (
            float(metric.fold(metric.statistics(items), all_items(len(items)))[part][0])
            for metric, part in ((Sari(), "sari"), (Bleu(lowercase=True), "bleu"))
        )
        known = printed.get(system)
        yield cell(name, system, "BLEU", known[0] if known else None, bleu, "" if known else NOT_AT_HAND)
        value, note = (known[1], "") if known else TURK.get(system, (None, "")) if name != "ASSET" else (None, "")
        why = OWN if note else CUT_OFF if system == "PBMT-R" and value else "" if value else NOT_AT_HAND
        yield cell(name, system, "SARI", value, sari, why)
