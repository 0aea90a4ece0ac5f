"""Corpus BLEU of the systems of two shared tasks, from their released outputs and the test references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.datasets.markup import xml_elements
from assay.errors import AssayError
from assay.meta.reproduce.cells import Cell, cell, need, read_csv
from assay.metrics.bleu import Bleu
from assay.records import Example, Items
from assay.records.files import read_text
from assay.stats.resample import whole

# Dušek, Novikova and Rieser (2018); mteval ignores case. Only these two printed values are at hand.
E2E = {"tgen": "65.93", "slug": "66.19"}
# WebNLG+ 2020, English; only the best four are quoted by later work at three decimals
WEBNLG = {"Amazon_AI_(Shanghai)": "54.0", "FBConvAI": "52.7", "bt5": "51.7"}
NOT_AT_HAND = "printed value not at hand"


def e2e(folder: Path) -> list[Cell]:
    """BLEU of every E2E challenge system present."""
    outputs, references = need(folder / "e2e", "outputs", "testset_w_refs.csv")
    by_input: dict[str, list[str]] = {}
    for row in read_csv(references, ("mr", "ref")):
        by_input.setdefault(row["mr"], []).append(row["ref"])
    cells = []
    for path in sorted(outputs.glob("*.tsv")):
        rows = read_csv(path, ("MR", "output"), "\t")
        inputs = [row["MR"].strip("'") for row in rows]  # one team quoted its inputs a second time
        unknown = [text for text in inputs if text not in by_input]
        if unknown:
            raise AssayError(f"{path}: {len(unknown)} inputs are not in {references.name}, first {unknown[0]}")
        texts = [row["output"].strip("'") if row["MR"].startswith("'") else row["output"] for row in rows]
        value = corpus_bleu(texts, [by_input[text] for text in inputs], lowercase=True)
        printed = E2E.get(path.stem)
        cells.append(cell("E2E challenge", path.stem, "BLEU", printed, value, "" if printed else NOT_AT_HAND))
    return cells


def webnlg(folder: Path) -> list[Cell]:
    """BLEU of every WebNLG 2020 system present, English and Russian."""
    return [*_webnlg(folder, "en"), *_webnlg(folder, "ru")]


def _webnlg(folder: Path, language: str) -> Iterator[Cell]:
    name = f"rdf-to-text-generation-test-data-with-refs-{language}.xml"
    outputs, references = need(folder / "webnlg", f"outputs-2020/{language}", f"{language}/test/{name}")
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
        printed = WEBNLG.get(path.stem) if language == "en" else None
        value = corpus_bleu(lines, texts, lowercase=False)
        yield cell(f"WebNLG 2020 {language}", path.stem, "BLEU", printed, value, "" if printed else NOT_AT_HAND)


def corpus_bleu(outputs: Sequence[str], references: Sequence[Sequence[str]], lowercase: bool) -> float:
    examples = tuple(Example(id=str(i), references=tuple(texts)) for i, texts in enumerate(references))
    metric = Bleu(lowercase=lowercase)
    return float(metric.fold(metric.statistics(Items(tuple(outputs), examples)), whole(len(outputs)))["bleu"][0])
