"""The context of a run: cache and device, created once and passed to every worker process."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.models.devices import torch_device

if TYPE_CHECKING:
    from assay.models.cache import Cache


def _default_cache() -> Cache:
    from assay.models.cache import Cache

    return Cache()


@dataclass(frozen=True)
class Context:
    """Cache and device of a computation. Neither changes a value; both change the time it takes."""

    cache: Cache = field(default_factory=_default_cache)
    device: str = field(default_factory=lambda: os.environ.get("ASSAY_DEVICE") or "auto")
    """Device as torch names it; `auto` is the GPU if there is one (default: ASSAY_DEVICE, else `auto`)."""

    def torch_device(self) -> str:
        """Return the device for `model.to`."""
        return torch_device(self.device)
