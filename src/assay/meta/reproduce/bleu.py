"""Metrics of the systems of two shared tasks (E2E, WebNLG 2020), from released outputs and test references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.datasets.markup import xml_elements
from assay.errors import AssayError
from assay.meta.reproduce.cells import Cell, cell, not_comparable, read_csv, read_rows, require_files
from assay.metrics.engine.base import Metric
from assay.metrics.lexical.bleu import Bleu
from assay.metrics.lexical.chrf import ChrfPlusPlus
from assay.metrics.lexical.cider import Cider
from assay.metrics.lexical.nist import Nist
from assay.records import Example, Items
from assay.records.files import read_text
from assay.stats.resample import all_items

# Dušek, Novikova and Rieser (2020), primary systems: BLEU, NIST, CIDEr; mteval ignores case
E2E = """
tgen   | 65.93 8.6094 2.2338
slug   | 66.19 -      2.2615
tnt1   | 65.61 -      2.2183
harv   | 64.96 -      2.0850
gong   | 64.22 8.3453 2.2721
sheff1 | 60.15 -      2.1775
zhaw1  | 58.64 8.0212 1.8173
chen   | 58.59 -      1.5790
sheff2 | 54.36 -      1.4130
forge1 | 42.07 6.5139 1.3106
tr2    | 42.02 6.7686 1.4389
"""
E2E_NOTES = {
    "BLEU": "",
    "NIST": "the challenge's own program: a milder penalty of short outputs, a few words split otherwise",
    "CIDEr": "the challenge's program splits words as the Penn Treebank does: 1 in 5,000",
}
# WebNLG+ 2020, English, as quoted by later work: BLEU, chrF++
WEBNLG = {"Amazon_AI_(Shanghai)": ("53.98", "0.690"), "FBConvAI": ("52.67", "0.686"), "bt5": ("51.7", "0.679")}
NOT_AT_HAND = "printed value not at hand"
CHECKED = ("tgen",)
"""Rows that two public leaderboards print identically; the source of all other printed values is not available."""
UNCHECKED = "the printed value could not be checked against a source, so nothing is claimed"


def e2e(folder: Path) -> list[Cell]:
    """Return BLEU, NIST and CIDEr of every available E2E system."""
    outputs, references = require_files(folder / "e2e", "outputs", "testset_w_refs.csv")
    by_input: dict[str, list[str]] = {}
    for row in read_csv(references, ("mr", "ref")):
        by_input.setdefault(row["mr"], []).append(row["ref"])
    cells = []
    printed = dict(read_rows(E2E))
    for path in sorted(outputs.glob("*.tsv")):
        rows = read_csv(path, ("MR", "output"), "\t")
        inputs = [row["MR"].strip("'") for row in rows]  # one team quoted its inputs a second time
        unknown = [text for text in inputs if text not in by_input]
        if unknown:
            raise AssayError(f"{path}: {len(unknown)} inputs are not in {references.name}, first {unknown[0]}")
        texts = [row["output"].strip("'") if row["MR"].startswith("'") else row["output"] for row in rows]
        items = items_of(texts, [by_input[text] for text in inputs])
        values = (fold(Bleu(lowercase=True), items, "bleu"), fold(Nist(), items, "nist"), fold(Cider(), items, "cider"))
        known = printed.get(path.stem)
        for place, (column, value) in enumerate(zip(E2E_NOTES, values, strict=True)):
            value_printed = known[place] if known and known[place] != "-" else None
            if value_printed and path.stem not in CHECKED:
                cells.append(not_comparable("E2E challenge", path.stem, column, value_printed, value, UNCHECKED))
                continue
            note = E2E_NOTES[column] if value_printed else NOT_AT_HAND
            cells.append(cell("E2E challenge", path.stem, column, value_printed, value, note))
    return cells


def webnlg(folder: Path) -> list[Cell]:
    """Return BLEU and chrF++ of every available WebNLG 2020 system, English and Russian."""
    return [*_webnlg(folder, "en"), *_webnlg(folder, "ru")]


def _webnlg(folder: Path, language: str) -> Iterator[Cell]:
    name = f"rdf-to-text-generation-test-data-with-refs-{language}.xml"
    outputs, references = require_files(folder / "webnlg", f"outputs-2020/{language}", f"{language}/test/{name}")
    texts = []
    for record in xml_elements(references, "entry", "eid"):
        if record.problem:
            raise AssayError(f"{record.label}: {record.problem}")
        lexes = record.value.findall("lex")
        texts.append([lex.text or "" for lex in lexes if lex.get("lang", language) in (language, "")])
    for path in sorted(outputs.glob("*.txt")):
        lines = read_text(path).removesuffix("\n").split("\n")
        if len(lines) != len(texts):
            raise AssayError(f"{path}: {len(lines)} lines for {len(texts)} test inputs")
        bleu, chrf = WEBNLG.get(path.stem, (None, None)) if language == "en" else (None, None)
        items, table = items_of(lines, texts), f"WebNLG 2020 {language}"
        scores = {"BLEU": fold(Bleu(), items, "bleu"), "chrF++": fold(ChrfPlusPlus(), items, "chrf++") / 100}
        for (column, value), printed in zip(scores.items(), (bleu, chrf), strict=True):
            if printed:
                yield not_comparable(table, path.stem, column, printed, value, UNCHECKED)
            else:
                yield cell(table, path.stem, column, None, value, NOT_AT_HAND)


def items_of(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> Items:
    examples = tuple(Example(id=str(i), references=tuple(texts)) for i, texts in enumerate(references))
    return Items(tuple(outputs), examples)


def fold(metric: Metric, items: Items, part: str) -> float:
    """Return one score of a metric over all items."""
    return float(metric.fold(metric.statistics(items), all_items(len(items)))[part][0])


def corpus_bleu(outputs: Sequence[str], references: Sequence[Sequence[str]], lowercase: bool) -> float:
    return fold(Bleu(lowercase=lowercase), items_of(outputs, references), "bleu")
