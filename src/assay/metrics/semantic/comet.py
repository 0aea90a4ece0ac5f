"""COMET: how good a translation is, by models that were taught from people's ratings of translations."""

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


@dataclass(frozen=True)
class Comet(PackageMetric):
    """What a checkpoint of COMET says of source, output and reference; of several references the best; the mean over
    items. Checkpoints that need no reference (CometKiwi) take reads=source."""

    model: str = ""
    """Folder or hub name of the checkpoint, as the package takes it."""
    reads: Literal["source+reference", "source"] = "source+reference"
    """What the checkpoint reads besides the output."""

    name: ClassVar = "comet"
    category: ClassVar = "semantic"
    summary: ClassVar = "quality of translations by a model taught from people's ratings"
    citation: ClassVar = "Rei et al. (2020), COMET: A Neural Framework for MT Evaluation; Rei et al. (2022), COMET-22"
    needs: ClassVar = ("references", "sources")
    extra: ClassVar = "comet"
    module: ClassVar = "comet"
    distribution: ClassVar = "unbabel-comet"
    remedy: ClassVar = "pip install 'assay-eval[comet]' (where transformers is below 5), then comet:model=PATH"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reads == "source":
            object.__setattr__(self, "needs", ("sources",))

    def options(self) -> dict[str, Any]:
        held = file_digest(_checkpoint(self.model)) if self.model else None
        return super().options() | {
            "model": f"{Path(self.model).name}-{held[:12]}" if held else self.model or MISSING_FILE
        }

    def parts(self) -> tuple[Part, ...]:
        return (Part("comet", digits=3, bounds=(None, None)),)

    def missing_weights(self) -> str | None:
        if not self.model:
            return (
                "name its weights: comet:model=PATH (Unbabel/wmt22-comet-da, or a folder with checkpoints/model.ckpt)"
            )
        if Path(self.model).exists() and not _checkpoint(self.model).is_file():
            return f"{self.model}: has no checkpoints/model.ckpt; give the folder of a COMET checkpoint"
        return None

    def predict(self, samples: Sequence[Mapping[str, Any]]) -> Floats:
        """One row for each reference is asked, and the best of an item kept."""
        rows, owners = [], []
        for place, sample in enumerate(samples):
            given = {"src": sample["source"], "mt": sample["output"]}
            for reference in sample["references"] if self.reads != "source" else [None]:
                rows.append(given if reference is None else {**given, "ref": reference})
                owners.append(place)
        with _quietly():
            said = _loaded(self.model).predict(rows, batch_size=self.batch, gpus=0, progress_bar=False, num_workers=1)
        found = np.full(len(samples), -np.inf)
        with np.errstate(invalid="ignore"):  # what is no number is refused by whoever asked
            np.maximum.at(found, owners, np.asarray(said["scores"], dtype=np.float64))
        return found


def _checkpoint(model: str) -> Path:
    path = Path(model)
    return path / "checkpoints" / "model.ckpt" if path.is_dir() else path


@lru_cache(maxsize=1)
def _loaded(model: str) -> Any:
    from comet import download_model, load_from_checkpoint

    here = Path(model).exists()
    try:
        path = str(_checkpoint(model)) if here else download_model(model)
        return load_from_checkpoint(path, local_files_only=here)
    except Exception as error:  # whatever its loader meets
        raise AssayError(f"comet: weights for {model} cannot be loaded ({first_line(error)}); give a folder") from None


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Lightning greets on both streams; stdout is for numbers."""
    logger = logging.getLogger("pytorch_lightning")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logger.setLevel(before)
