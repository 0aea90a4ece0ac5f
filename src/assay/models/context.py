"""What a computation may use besides its items: made once for a run, and handed to every process that works on it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.models.devices import torch_device

if TYPE_CHECKING:
    from assay.models.cache import Cache


def _usual_cache() -> Cache:
    from assay.models.cache import Cache

    return Cache()


@dataclass(frozen=True)
class Context:
    """Nothing in it changes a number: with an empty cache and on another device the same comes out, only slower."""

    cache: Cache = field(default_factory=_usual_cache)
    device: str = field(default_factory=lambda: os.environ.get("ASSAY_DEVICE") or "auto")
    """Where models work, as torch names it; `auto` is the GPU if there is one."""

    def torch_device(self) -> str:
        """The device by its name, for `model.to`."""
        return torch_device(self.device)
