"""Published tables computed again from released data, each number beside the printed one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError
from assay.meta.reproduce.bleu import e2e, webnlg
from assay.meta.reproduce.cells import Cell, matched
from assay.meta.reproduce.eks import eks
from assay.meta.reproduce.frank import frank
from assay.meta.reproduce.narrative import narrative

__all__ = ["REPRODUCTIONS", "Cell", "Reproduction", "matched", "reproduce"]


@dataclass(frozen=True)
class Reproduction:
    """A published work whose numbers can be recomputed."""

    title: str
    cells: Callable[[Path], list[Cell]]


REPRODUCTIONS = {
    "frank": Reproduction("FRANK: metrics of factuality against people", frank),
    "eks": Reproduction("Event-keyed summarization: ROUGE and human study", eks),
    "narrative": Reproduction("Narrative decoding: ratings by nucleus size", narrative),
    "e2e": Reproduction("E2E challenge: BLEU of the systems", e2e),
    "webnlg": Reproduction("WebNLG 2020: BLEU of the systems", webnlg),
}


def reproduce(name: str, data: Path) -> list[Cell]:
    """Every cell of one published work, from the released files under `data`."""
    if name not in REPRODUCTIONS:
        raise UsageError(f"no reproduction '{name}'; there are: {', '.join(REPRODUCTIONS)}")
    return REPRODUCTIONS[name].cells(data)
