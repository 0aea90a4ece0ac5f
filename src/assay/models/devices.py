"""Where and how a model runs: the device, the threads, and quiet."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

SMALL = 5_000_000
"""Parameters below which a model is small."""


def torch_device(name: str = "") -> str:
    """The device named, else that of ASSAY_DEVICE, as torch names it; `auto` is the GPU if there is one."""
    name = name or os.environ.get("ASSAY_DEVICE") or "auto"
    if name != "auto":
        return name
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Without the loading bars and advice that transformers prints: stderr is for the person at work."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)


@contextlib.contextmanager
def limited_threads(model: Any) -> Iterator[None]:
    """One thread for a small model: more gain it nothing, and where cores are busy they wait for one another."""
    import torch

    before = torch.get_num_threads()
    if sum(parameter.numel() for parameter in model.parameters()) < SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
