"""Shades of BLEU, flavours of Success (Nekvinda and Dušek, 2021): MultiWOZ systems from their released predictions.

Goals and most references are not released, so Inform and Success stay open; BLEU is there for one style of references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.meta.reproduce.bleu import corpus_bleu
from assay.meta.reproduce.cells import Cell, cell, need, read_rows
from assay.metrics.base import Metric
from assay.metrics.lengths import Lengths
from assay.metrics.msttr import Msttr
from assay.metrics.ngrams import Ngrams
from assay.records import Example, Items
from assay.records.documents import read_json
from assay.stats.resample import whole
from assay.text.detokenize import detokenize

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
SLOT = re.compile(r"\[([\w\s\d]+)\](es|s|-s|-es|)")
DOMAINS = re.compile(r"^(?:value|restaurant|hotel|attraction|train|taxi|hospital|police|bus)[_ ]")
PLACEHOLDERS = {
    "ADDRESS": ("address",), "AREA": ("area",), "DAY": ("day",), "FOOD": ("food",), "NAME": ("name",),
    "TIME": ("time", "arrive", "arriveby", "arrive by", "leave", "leaveat", "leave at", "duration"),
    "PLACE": ("place", "departure", "destination"), "PHONE": ("phone",), "POST": ("postcode", "post"),
    "PRICE": ("price", "pricerange", "price range", "entrance fee"), "REFERENCE": ("reference", "ref"),
    "COUNT": ("count", "choice", "people", "stay", "stars"), "TYPE": ("type", "car"),
    "TRAINID": ("trainid",), "DEPARTMENT": ("department",), "INTERNET": ("internet",), "PARKING": ("parking",),
    "OPEN": ("open", "openhours"),
}  # fmt: skip
KNOWN = {name: placeholder for placeholder, names in PLACEHOLDERS.items() for name in names}
TRAIN_IDS = ("id", "value_id", "train_id", "train")
JOINED = "a stand-in for the tokenizer that joins clitics: a few types may differ"


def multiwoz(folder: Path) -> list[Cell]:
    """Tables 4 and 6 for the systems whose predictions are released; Table 5 needs goals that are not."""
    predictions, references = need(folder / "multiwoz", "predictions", "hdsa_test_reference.json")
    responses = {name: _responses(predictions / f"{name}.json") for name in SYSTEMS}
    gold = {id.lower(): texts for id, texts in read_json(references).items()}
    return [*table_4(responses, gold), *table_5(), *table_6(responses)]


def _responses(path: Path) -> dict[str, list[str]]:
    """By dialogue: what the system said, normalised."""
    if not path.exists():
        raise AssayError(f"{path}: not found; name the folder that holds the released data with --data")
    given = read_json(path)
    return {id: [normalise(str(turn["response"])) for turn in turns] for id, turns in given.items()}


def normalise(response: str) -> str:
    """Lower case, slots by their common names, detokenized."""

    def placeholder(match: re.Match[str]) -> str:
        name = match[1].strip()
        return "TRAINID" if name in TRAIN_IDS else KNOWN.get(DOMAINS.sub("", name), "")

    text = SLOT.sub(placeholder, response.lower()).replace("-s", "").replace("-ly", "")
    return detokenize(" ".join(text.split()))


def table_4(responses: dict[str, dict[str, list[str]]], gold: dict[str, list[str]]) -> Iterator[Cell]:
    for row, printed in read_rows(TABLE_4):
        for name, value in zip(SYSTEMS, printed, strict=True):
            if row != "HDSA":
                yield cell("Table 4", row, f"{name} BLEU", value, None, "these references are not released here")
                continue
            turns = [(said, gold[id]) for id, said in responses[name].items() if id in gold]
            pairs = [pair for said, wanted in turns for pair in zip(said, wanted, strict=False)]
            texts, refs = [one for one, _ in pairs], [[normalise(two)] for _, two in pairs]
            note = f"{len(turns)} dialogues; {JOINED}"
            yield cell("Table 4", row, f"{name} BLEU", value, corpus_bleu(texts, refs, lowercase=False), note)


def table_5() -> Iterator[Cell]:
    for row, printed in read_rows(TABLE_5):
        for name, value in zip(SYSTEMS, printed, strict=True):
            yield cell("Table 5", row, name, value, None, "the goals of the dialogues are not released here")


def table_6(responses: dict[str, dict[str, list[str]]]) -> Iterator[Cell]:
    found = {name: richness([text for said in by.values() for text in said]) for name, by in responses.items()}
    for row, printed in read_rows(TABLE_6):
        for name, value in zip(SYSTEMS, printed, strict=True):
            yield cell("Table 6", row, name, value, found[name][row], JOINED)


def richness(texts: Sequence[str]) -> dict[str, float]:
    counted = Ngrams(tokenizer="multiwoz", conditional="tokens")
    values = fold_all([counted, Msttr(tokenizer="multiwoz", segment=50), Lengths(tokenizer="multiwoz")], texts)
    return {
        "unique tokens": values["vocab-1"],
        "unique trigrams": values["vocab-3"],
        "entropy": values["entropy-1"],
        "cond. bigram entropy": values["cond_entropy-2"],
        "MSTTR-50": values["msttr"],
        "mean turn length": values["mean_length"],
    }


def fold_all(metrics: Sequence[Metric], texts: Sequence[str]) -> dict[str, float]:
    """Numbers of texts that need nothing else."""
    items = Items(tuple(texts), tuple(Example(id=str(i)) for i in range(len(texts))))
    values: dict[str, float] = {}
    for metric in metrics:
        found = metric.fold(metric.statistics(items), whole(len(texts)))
        values |= {name: float(value[0]) for name, value in found.items()}
    return values
