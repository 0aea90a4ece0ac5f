"""An encoder's linear maps as the processor likes them: weights laid out for it, or in sixteen or eight bits."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from assay.errors import AssayError
from assay.models.int16_linear import Int16Linear, fits

LARGEST = 200_000_000
"""Parameters above which the weights are not kept twice."""
ROWS = 1024
"""Tokens of a batch that the layout is made for; any other number gives the same values."""


class PackedLinear(nn.Module):  # type: ignore[misc]
    """A linear map whose weights oneDNN has laid out once instead of at every call: a seventh quicker."""

    def __init__(self, plain: nn.Linear) -> None:
        super().__init__()
        self.bias = plain.bias
        self.weight = torch.ops.mkldnn._reorder_linear_weight(plain.weight.detach(), ROWS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")


def convert_linear_layers(model: Any, precision: str) -> Any:
    """The model as its device computes quickest in these numbers."""
    whole = precision in ("int16", "int8")
    if whole and model.device.type != "cpu":
        raise AssayError(f"precision={precision} is for the processor; on {model.device.type} take bfloat16")
    if precision == "bfloat16":
        return model
    if model.dtype != torch.float32:  # weights may be kept in fewer bits; whoever else uses them keeps them so
        model = copy.deepcopy(model).float()
    if model.device.type != "cpu":
        return model
    return {"float32": pack_weights, "int16": to_int16, "int8": to_int8}[precision](model)


def pack_weights(model: Any) -> Any:
    """The same model for the processor; itself where nothing is gained."""
    if not torch.backends.mkldnn.is_available() or model.dtype != torch.float32 or parameter_count(model) > LARGEST:
        return model
    return _with(model, PackedLinear)


def to_int16(model: Any) -> Any:
    """Weights in sixteen bits, and what goes in, where their number is a multiple of 32; else in float32."""
    return _with(model, lambda part: Int16Linear(part) if fits(part) else part)


def _with(model: Any, other: Callable[[nn.Linear], nn.Module]) -> Any:
    """Another model over the same weights with other linear maps."""
    made = _alike(model)
    for owner in list(made.modules()):
        for name, part in list(owner.named_children()):
            if type(part) is nn.Linear:
                setattr(owner, name, other(part))
    return made


def to_int8(model: Any) -> Any:
    """Weights in eight bits, one scale a row; what goes in is rounded on the way, with a scale for each call."""
    from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces that this moves to another package
        return quantize_dynamic(_alike(model), {nn.Linear: per_channel_dynamic_qconfig}, inplace=True)


def parameter_count(model: Any) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def _alike(model: Any) -> Any:
    """Another model over the same weights."""
    return copy.deepcopy(model, {id(held): held for held in (*model.parameters(), *model.buffers())})
