"""Linear maps in whole numbers of sixteen bits: near float32 in value, twice as quick where the processor has them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import torch
from torch import nn

RUN, COLUMNS, LENGTH, HIGHEST, LEAST = 32, 32, 46250.0, 32767.0, 1e-30
"""As in `_short_products.c`: numbers with one scale, columns side by side, the greatest length of a run, and number;
below the last, a run's greatest number counts as 0."""
FEWEST = 192
"""Rows that a thread is worth."""


class Int16Linear(nn.Module):  # type: ignore[misc]
    """A linear map. Its weights, and each row that goes in, are rounded in runs of 32, each with its scale; products
    of two runs are exact. Without such a processor, or uncompiled, torch multiplies the rounded numbers."""

    def __init__(self, plain: nn.Linear) -> None:
        super().__init__()
        whole, scales = round_runs(plain.weight.detach())
        width, runs = scales.shape
        self.bias = torch.zeros(width) if plain.bias is None else plain.bias.detach()
        self.native = native()
        if self.native:  # pairs of numbers of 32 columns side by side, as the processor takes them
            pairs = whole.to(torch.int16).view(width // COLUMNS, COLUMNS, runs * RUN // 2, 2)
            self.weight = pairs.permute(0, 2, 1, 3).contiguous()
            self.scales = scales.view(width // COLUMNS, COLUMNS, runs).permute(0, 2, 1).contiguous()
        else:
            self.weight = rescale_runs(whole, scales)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.native:
            return nn.functional.linear(rescale_runs(*round_runs(x)), self.weight, self.bias)
        x = x.contiguous()
        out = torch.empty(*x.shape[:-1], len(self.bias))
        depth = x.shape[-1]
        rows, made = x.view(-1, depth).numpy(), out.view(-1, len(self.bias)).numpy()
        weights = (self.weight.numpy(), self.scales.numpy(), self.bias.numpy())
        threads = max(1, min(torch.get_num_threads(), len(rows) // FEWEST))
        size = -(-len(rows) // threads)

        def part(start: int) -> None:
            self.native.product(rows[start : start + size], *weights, made[start : start + size], depth)

        first, *others = range(0, len(rows), size) if len(rows) else [0]
        waiting = [_helpers(os.getpid()).submit(part, start) for start in others]
        part(first)
        for each in waiting:
            each.result()
        return out


def fits(plain: nn.Linear) -> bool:
    """Whether a map can be computed so."""
    return bool(plain.in_features % RUN == 0 and plain.out_features % COLUMNS == 0)


def round_runs(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Whole numbers, and the scale of each run of them: not a number where one of them is none or infinite."""
    runs = x.reshape(*x.shape[:-1], -1, RUN)
    top = runs.abs().amax(-1)
    unit = torch.where(top < LEAST, 0.0, 1 / top)  # squares of what is very great or small are no floats
    length = (runs * unit.unsqueeze(-1)).norm(dim=-1)
    scales = torch.where(top < LEAST, length, top * (length / LENGTH).clamp(min=1 / HIGHEST))
    by = torch.where(scales == 0, scales, 1 / scales)
    return torch.round(runs * by.unsqueeze(-1)).view(x.shape), scales


def rescale_runs(whole: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """The numbers that whole ones stand for."""
    return (whole.reshape(*scales.shape, RUN) * scales.unsqueeze(-1)).view(whole.shape)


@lru_cache(maxsize=1)
def native() -> Any:
    """The compiled product, None where there is none or the processor lacks it."""
    try:
        from assay.models import _short_products
    except ImportError:
        return None
    return _short_products if _short_products.available() else None


@lru_cache(maxsize=1)
def _helpers(process: int) -> ThreadPoolExecutor:
    """Threads besides the caller's; a process that was forked from this one needs its own."""
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1))
