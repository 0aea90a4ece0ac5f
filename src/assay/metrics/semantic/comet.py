"""COMET: translation quality by models trained on human ratings, through the package unbabel-comet."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from assay.errors import AssayError, first_line
from assay.metrics.engine.base import Part
from assay.metrics.engine.external import PackageMetric
from assay.metrics.engine.signatures import MISSING_FILE
from assay.metrics.engine.statistics import Floats
from assay.models.code_digest import file_digest
from assay.models.hub import may_download


@dataclass(frozen=True)
class Comet(PackageMetric):
    """Score of a COMET checkpoint for source, output and reference, averaged over items.

    With several references the best score counts. Reference-free checkpoints (CometKiwi) need `reads=source`.
    """

    model: str = ""
    """Folder or Hugging Face name of the checkpoint, as the package expects it (required)."""
    reads: Literal["source+reference", "source"] = "source+reference"
    """Input of the checkpoint in addition to the output."""

    name: ClassVar = "comet"
    category: ClassVar = "semantic"
    summary: ClassVar = "translation quality by a model trained on human ratings"
    citation: ClassVar = "Rei et al. (2020), COMET: A Neural Framework for MT Evaluation; Rei et al. (2022), COMET-22"
    needs: ClassVar = ("references", "sources")
    extra: ClassVar = "comet"
    module: ClassVar = "comet"
    distribution: ClassVar = "unbabel-comet"
    remedy: ClassVar = (
        "pip install 'assay-eval[comet]' in an environment without the neural extra, then comet:model=PATH"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reads == "source":
            object.__setattr__(self, "needs", ("sources",))

    def options(self) -> dict[str, Any]:
        digest = file_digest(_checkpoint(self.model)) if self.model else None
        return super().options() | {
            "model": f"{Path(self.model).name}-{digest[:12]}" if digest else self.model or MISSING_FILE
        }

    def parts(self) -> tuple[Part, ...]:
        return (Part("comet", digits=3, bounds=(None, None)),)

    def missing_weights(self) -> str | None:
        if not self.model:
            return "needs weights. Give comet:model=PATH (Unbabel/wmt22-comet-da, or a checkpoint folder)."
        if Path(self.model).exists() and not _checkpoint(self.model).is_file():
            return f"{self.model}: no checkpoints/model.ckpt. Give the folder of a COMET checkpoint."
        return None

    def predict(self, samples: Sequence[Mapping[str, Any]]) -> Floats:
        """Score the output with each reference, and return the best score of each item."""
        rows, owners = [], []
        for place, sample in enumerate(samples):
            pair = {"src": sample["source"], "mt": sample["output"]}
            for reference in sample["references"] if self.reads != "source" else [None]:
                rows.append(pair if reference is None else {**pair, "ref": reference})
                owners.append(place)
        with _quietly():
            predicted = _loaded(self.model).predict(
                rows, batch_size=self.batch, gpus=0, progress_bar=False, num_workers=1
            )
        best = np.full(len(samples), -np.inf)
        with np.errstate(invalid="ignore"):  # NaN is reported by the caller
            np.maximum.at(best, owners, np.asarray(predicted["scores"], dtype=np.float64))
        return best


def _checkpoint(model: str) -> Path:
    path = Path(model)
    return path / "checkpoints" / "model.ckpt" if path.is_dir() else path


@lru_cache(maxsize=1)
def _loaded(model: str) -> Any:
    from comet import download_model, load_from_checkpoint

    here = Path(model).exists()
    may_download(model)
    try:
        path = str(_checkpoint(model)) if here else download_model(model)
        return load_from_checkpoint(path, local_files_only=here)
    except Exception as error:  # its loader can raise anything
        raise AssayError(
            f"comet: weights for {model} cannot be loaded ({first_line(error)}). Give a checkpoint folder."
        ) from None


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Suppress the messages of Lightning on both streams."""
    logger = logging.getLogger("pytorch_lightning")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logger.setLevel(before)
