"""The device and threads of a model, and transformers without its progress bars."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

SMALL = 5_000_000
"""Number of parameters below which a model runs on one thread."""


def torch_device(name: str = "") -> str:
    """Return the torch device: `name`, else ASSAY_DEVICE, else the GPU if there is one (`auto`)."""
    name = name or os.environ.get("ASSAY_DEVICE") or "auto"
    if name != "auto":
        return name
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Suppress the progress bars and warnings of transformers."""
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
    """Use one thread for a small model: more threads do not help, and wait for each other on a busy machine."""
    small = sum(parameter.numel() for parameter in model.parameters()) < SMALL
    with one_thread() if small else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread for small products."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
