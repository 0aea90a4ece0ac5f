"""Published tables computed again from released data, each number beside the printed one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from assay.errors import AssayError, UsageError, blaming
from assay.meta.reproduce.bleu import e2e, webnlg
from assay.meta.reproduce.cells import Cell, matched
from assay.meta.reproduce.eks import eks
from assay.meta.reproduce.faithful import faithful
from assay.meta.reproduce.fomc import fomc
from assay.meta.reproduce.frank import frank, frank_figures
from assay.meta.reproduce.multiwoz import multiwoz
from assay.meta.reproduce.narrative import narrative
from assay.meta.reproduce.pointer import pointer
from assay.meta.reproduce.simplification import simplification
from assay.meta.reproduce.tesa import tesa

__all__ = [
    "REPRODUCTIONS",
    "Cell",
    "Reproduction",
    "all_cells_report",
    "cells_report",
    "draw",
    "matched",
    "released_data",
    "reproduce",
    "reproduce_all",
]
DATA = "../shared/data"


@dataclass(frozen=True)
class Reproduction:
    """A published work whose numbers can be recomputed."""

    title: str
    cells: Callable[..., list[Cell]]
    released: bool = True
    """Whether it is computed from released data; else from what was printed alone."""
    asks_models: bool = False
    """Whether some of its cells ask a model, and are computed only where that is wanted."""
    figures: Callable[[Path, Path, str], list[Path]] | None = None
    """Draws the figures of the paper: from a folder of data, into a folder, in a format."""


REPRODUCTIONS = {
    "frank": Reproduction("FRANK: metrics of factuality against people", frank, figures=frank_figures),
    "eks": Reproduction("Event-keyed summarization: ROUGE and human study", eks),
    "narrative": Reproduction("Narrative decoding: ratings by nucleus size", narrative),
    "fomc": Reproduction("FOMC: the printed example, counts behind the tables, class file", fomc),
    "tesa": Reproduction("TESA: chance and the arithmetic of the tables", tesa, released=False),
    "faithful": Reproduction("Faithfulness: our scores on FRANK's test part and SummEval", faithful, asks_models=True),
    "multiwoz": Reproduction("MultiWOZ: BLEU and diversity of the systems", multiwoz),
    "pointer": Reproduction("CommonGen with POINTER: diversity of the outputs", pointer),
    "simplification": Reproduction("ASSET and TurkCorpus: SARI and BLEU of the systems", simplification),
    "e2e": Reproduction("E2E challenge: BLEU, NIST and CIDEr of the systems", e2e),
    "webnlg": Reproduction("WebNLG 2020: BLEU and chrF++ of the systems", webnlg),
}


def known(name: str) -> None:
    """Refuse a name that no published work has."""
    if name not in REPRODUCTIONS:
        raise UsageError(f"no reproduction '{name}'; there are: {', '.join(REPRODUCTIONS)}")


def reproduce(name: str, data: Path, models: bool = False) -> list[Cell]:
    """Every cell of one published work, from the released files under `data`; with `models` also those that ask one."""
    known(name)
    made = REPRODUCTIONS[name].cells
    with blaming(f"{data / name}: not the data that was released for {name}", made):
        return made(data, models) if REPRODUCTIONS[name].asks_models else made(data)


def draw(name: str, data: Path, into: Path, form: str) -> list[Path]:
    """The figures of one published work that can be drawn from the released files under `data`."""
    drawing = REPRODUCTIONS[name].figures
    if drawing is None:
        having = ", ".join(each for each, work in REPRODUCTIONS.items() if work.figures)
        raise UsageError(f"--plots: no figure of {name} is drawn; there are those of {having}")
    with blaming(f"{data / name}: not the data that was released for {name}", drawing):
        return drawing(data, into, form)


def released_data(folder: str | PathLike[str] | None = None) -> Path:
    """Where the released data lies: the folder itself, or what ASSAY_DATA names."""
    path = Path(folder or os.environ.get("ASSAY_DATA", DATA))
    if not path.is_dir():
        raise AssayError(f"{path}: no such folder; name the released data with --data or ASSAY_DATA")
    return path


def reproduce_all(data: Path) -> tuple[dict[str, list[Cell]], dict[str, str]]:
    """Every published work whose data is there, and why the others are not."""
    found: dict[str, list[Cell]] = {}
    missing: dict[str, str] = {}
    for name in REPRODUCTIONS:
        try:
            found[name] = reproduce(name, data)
        except AssayError as why:
            missing[name] = str(why)
    if not any(REPRODUCTIONS[name].released for name in found):
        raise AssayError(f"{data}: nothing to reproduce there; {next(iter(missing.values()))}")
    return found, missing


def cells_report(cells: Sequence[Cell]) -> dict[str, Any]:
    """As `assay metric reproduce NAME --json` prints it."""
    return {"rows": [asdict(cell) for cell in cells]}


def all_cells_report(found: Mapping[str, Sequence[Cell]], missing: Mapping[str, str]) -> dict[str, Any]:
    """As `assay metric reproduce --json` prints it; tables carry the name of their work."""
    rows = [asdict(cell) | {"table": f"{name}: {cell.table}"} for name, cells in found.items() for cell in cells]
    return {"rows": rows, "skipped": [{"name": name, "why": why} for name, why in missing.items()]}
