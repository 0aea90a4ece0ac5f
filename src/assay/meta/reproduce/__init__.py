"""Reproduction of published tables from released data: every cell as printed and as computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path

from assay.errors import AssayError, UsageError, blaming
from assay.meta.reproduce.alttest import alttest
from assay.meta.reproduce.bleu import e2e, webnlg
from assay.meta.reproduce.cells import Cell, matched
from assay.meta.reproduce.drs import drs
from assay.meta.reproduce.eks import eks
from assay.meta.reproduce.faithful import faithful
from assay.meta.reproduce.few_judgements import few_judgements
from assay.meta.reproduce.fkgl import fkgl
from assay.meta.reproduce.fomc import fomc
from assay.meta.reproduce.frank import frank, frank_figures
from assay.meta.reproduce.gem import gem
from assay.meta.reproduce.multiwoz import multiwoz
from assay.meta.reproduce.narrative import narrative
from assay.meta.reproduce.narrative_figures import narrative_figures
from assay.meta.reproduce.perception import perception
from assay.meta.reproduce.pointer import pointer
from assay.meta.reproduce.released_data import data_folder, fetch
from assay.meta.reproduce.similarity import similarity
from assay.meta.reproduce.simplification import simplification
from assay.meta.reproduce.style_transfer import style_transfer, style_transfer_figures
from assay.meta.reproduce.tesa import tesa
from assay.records.documents import JSONObject

__all__ = [
    "REPRODUCTIONS",
    "Cell",
    "Reproduction",
    "all_cells_report",
    "cells_report",
    "check_name",
    "data_folder",
    "draw",
    "fetch",
    "folder_of",
    "matched",
    "reproduce",
    "reproduce_all",
]


@dataclass(frozen=True)
class Reproduction:
    """A published work whose values can be recomputed."""

    title: str
    cells: Callable[..., list[Cell]]
    released: bool = True
    """Whether it is computed from released data; else from printed values only."""
    asks_models: bool = False
    """Whether some cells require a model; these are computed on request only."""
    long: bool = False
    """Whether it takes minutes; it is computed only if it is named."""
    figures: Callable[[Path, Path, str], list[Path]] | None = None
    """Draws the figures of the paper: data folder, output folder, format."""


REPRODUCTIONS = {
    "frank": Reproduction("FRANK: metrics of factuality against human judgements", frank, figures=frank_figures),
    "eks": Reproduction("Event-keyed summarization: ROUGE and human study", eks),
    "narrative": Reproduction("Narrative decoding: ratings by nucleus size", narrative, figures=narrative_figures),
    "fomc": Reproduction("FOMC: the printed example, counts behind the tables, class file", fomc),
    "tesa": Reproduction("TESA: chance and the arithmetic of the tables", tesa, released=False),
    "faithful": Reproduction("Faithfulness: our scores on FRANK's test part and SummEval", faithful, asks_models=True),
    "multiwoz": Reproduction("MultiWOZ: BLEU and diversity of the systems", multiwoz),
    "pointer": Reproduction("CommonGen with POINTER: diversity of the outputs", pointer),
    "simplification": Reproduction("ASSET and TurkCorpus: SARI and BLEU of the systems", simplification),
    "e2e": Reproduction("E2E challenge: BLEU, NIST and CIDEr of the systems", e2e),
    "alttest": Reproduction("Alternative annotator test: language models as judges of six data sets", alttest),
    "few-judgements": Reproduction(
        "Few judgements: coverage and gain with most labels hidden", few_judgements, long=True
    ),
    "gem": Reproduction("GEM benchmark: scores and diversity of the baselines", gem),
    "drs": Reproduction("Text from DRS: challenge sets, edits and ROSE", drs),
    "fkgl": Reproduction("FKGL: grades, BLEU and SARI from printed components", fkgl, released=False),
    "perception": Reproduction("Human perception: means, rankings and p values of print", perception, released=False),
    "similarity": Reproduction("Turkish STS benchmark: vocabulary and pairs by genre", similarity),
    "style-transfer": Reproduction(
        "Human evaluation of style transfer: counts of the coded papers", style_transfer, figures=style_transfer_figures
    ),
    "webnlg": Reproduction("WebNLG 2020: BLEU and chrF++ of the systems", webnlg),
}


def check_name(name: str) -> None:
    """Raise UsageError for an unknown work."""
    if name not in REPRODUCTIONS:
        raise UsageError(f"{name}: unknown reproduction. Use one of {', '.join(REPRODUCTIONS)}.")


def folder_of(name: str | None, data: str | PathLike[str] | None) -> Path:
    """Return the folder of released data; a work that is computed from printed values needs none.

    Raises:
        AssayError: The data is required, and there is none.
    """
    needless = name is not None and data is None and not REPRODUCTIONS[name].released
    return Path() if needless else data_folder(data)


def reproduce(name: str, data: Path, models: bool = False) -> list[Cell]:
    """Return every cell of one published work.

    Args:
        name: A key of `REPRODUCTIONS`.
        data: The folder of released data.
        models: Also compute the cells that require a model.

    Raises:
        UsageError: There is no such work.
        AssayError: The released data is missing or damaged.
    """
    check_name(name)
    made = REPRODUCTIONS[name].cells
    with blaming(f"{data / name}: not the data that was released for {name}", made):
        return made(data, models) if REPRODUCTIONS[name].asks_models else made(data)


def draw(name: str, data: Path, into: Path, form: str) -> list[Path]:
    """Draw the figures of one published work from its released data."""
    drawing = REPRODUCTIONS[name].figures
    if drawing is None:
        having = ", ".join(each for each, work in REPRODUCTIONS.items() if work.figures)
        raise UsageError(f"--plots: {name} has no figures. Use one of {having}.")
    with blaming(f"{data / name}: not the data that was released for {name}", drawing):
        return drawing(data, into, form)


def reproduce_all(data: Path) -> tuple[dict[str, list[Cell]], dict[str, str]]:
    """Return the cells of every work whose data is available, and the reasons for the others."""
    reproduced: dict[str, list[Cell]] = {}
    missing: dict[str, str] = {}
    for name in REPRODUCTIONS:
        if REPRODUCTIONS[name].long:
            missing[name] = f"takes minutes. Name it: assay metric reproduce {name}"
            continue
        try:
            reproduced[name] = reproduce(name, data)
        except AssayError as why:
            missing[name] = str(why)
    if not any(REPRODUCTIONS[name].released for name in reproduced):
        raise AssayError(f"{data}: no released data. {next(iter(missing.values()))}")
    return reproduced, missing


def cells_report(cells: Sequence[Cell]) -> JSONObject:
    """Return the object that `assay metric reproduce NAME --json` prints."""
    return {"rows": [asdict(cell) for cell in cells]}


def all_cells_report(reproduced: Mapping[str, Sequence[Cell]], missing: Mapping[str, str]) -> JSONObject:
    """Return the object that `assay metric reproduce --json` prints; tables have the name of their work."""
    rows = [asdict(cell) | {"table": f"{name}: {cell.table}"} for name, cells in reproduced.items() for cell in cells]
    return {"rows": rows, "skipped": [{"name": name, "why": why} for name, why in missing.items()]}
