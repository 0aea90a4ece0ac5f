"""Linear layers in 16-bit integers: close to float32 in value, about twice as fast on CPUs with AVX-512 VNNI."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import torch
from torch import nn

RUN, COLUMNS, LENGTH, HIGHEST, LEAST = 32, 32, 46250.0, 32767.0, 1e-30
"""Constants of `_short_products.c`: numbers that share a scale, columns computed together, the largest norm of a run,
the largest integer, and the magnitude below which a run counts as 0."""
FEWEST = 192
"""Minimum number of rows per thread."""


class Int16Linear(nn.Module):  # type: ignore[misc]
    """A linear layer with weights and inputs rounded to 16-bit integers.

    Each run of 32 numbers has its own scale; the products of two runs are exact. Without the compiled kernel, or on a
    CPU that lacks the instructions, torch multiplies the rounded numbers instead.
    """

    def __init__(self, plain: nn.Linear) -> None:
        super().__init__()
        whole, scales = round_runs(plain.weight.detach())
        width, runs = scales.shape
        self.bias = torch.zeros(width) if plain.bias is None else plain.bias.detach()
        self.native = native()
        if self.native:  # the layout that the instruction reads: pairs of numbers, 32 columns together
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
        rows, products = x.view(-1, depth).numpy(), out.view(-1, len(self.bias)).numpy()
        weights = (self.weight.numpy(), self.scales.numpy(), self.bias.numpy())
        threads = max(1, min(torch.get_num_threads(), len(rows) // FEWEST))
        size = -(-len(rows) // threads)

        def part(start: int) -> None:
            self.native.product(rows[start : start + size], *weights, products[start : start + size], depth)

        first, *others = range(0, len(rows), size) if len(rows) else [0]
        waiting = [_helpers(os.getpid()).submit(part, start) for start in others]
        part(first)
        for each in waiting:
            each.result()
        return out


def fits(plain: nn.Linear) -> bool:
    """Return whether the sizes of a layer are multiples of those of the kernel."""
    return bool(plain.in_features % RUN == 0 and plain.out_features % COLUMNS == 0)


def round_runs(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return integers and the scale of each run; the scale is NaN where a number of the run is NaN or infinite."""
    runs = x.reshape(*x.shape[:-1], -1, RUN)
    top = runs.abs().amax(-1)
    unit = torch.where(top < LEAST, 0.0, 1 / top)  # avoids overflow and underflow of the squares
    length = (runs * unit.unsqueeze(-1)).norm(dim=-1)
    scales = torch.where(top < LEAST, length, top * (length / LENGTH).clamp(min=1 / HIGHEST))
    by = torch.where(scales == 0, scales, 1 / scales)
    return torch.round(runs * by.unsqueeze(-1)).view(x.shape), scales


def rescale_runs(whole: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """Return the numbers that integers and scales represent."""
    return (whole.reshape(*scales.shape, RUN) * scales.unsqueeze(-1)).view(whole.shape)


@lru_cache(maxsize=1)
def native() -> Any:
    """Return the compiled kernel, or None where it was not built or the CPU lacks the instructions."""
    try:
        from assay.models import _short_products
    except ImportError:
        return None
    return _short_products if _short_products.available() else None


@lru_cache(maxsize=1)
def _helpers(process: int) -> ThreadPoolExecutor:
    """Return threads in addition to the caller's; a forked process needs its own, hence the argument."""
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1))
