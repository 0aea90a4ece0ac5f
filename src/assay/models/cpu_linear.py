"""Faster linear layers on the CPU: weights in the layout of oneDNN, or in 8-bit integers."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from assay.errors import AssayError

LARGEST = 200_000_000
"""Largest number of parameters for which a second copy of the weights is held."""
ROWS = 1024
"""Tokens of a batch that the layout is optimised for; other sizes give the same values."""


class PackedLinear(nn.Module):  # type: ignore[misc]
    """A linear layer whose weights are in the layout of oneDNN, which is otherwise computed at every call."""

    def __init__(self, plain: nn.Linear) -> None:
        super().__init__()
        self.bias = plain.bias
        self.weight = torch.ops.mkldnn._reorder_linear_weight(plain.weight.detach(), ROWS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")


def convert_linear_layers(model: Any, precision: str) -> Any:
    """Return the model with its linear layers in the given precision, in the fastest form for its device.

    Raises:
        AssayError: If int8 is requested on a device other than the CPU.
    """
    if precision == "int8" and model.device.type != "cpu":
        raise AssayError(f"precision={precision} runs on the CPU only. On {model.device.type}, use precision=bfloat16.")
    if precision == "bfloat16":
        return model
    if model.dtype != torch.float32:  # a copy: other users of the model keep the stored precision
        model = copy.deepcopy(model).float()
    if model.device.type != "cpu":
        return model
    return {"float32": pack_weights, "int8": to_int8}[precision](model)


def pack_weights(model: Any) -> Any:
    """Return the model with packed weights, or the model itself where packing does not help."""
    if not torch.backends.mkldnn.is_available() or model.dtype != torch.float32 or parameter_count(model) > LARGEST:
        return model
    return _with_layers(model, PackedLinear)


def _with_layers(model: Any, other: Callable[[nn.Linear], nn.Module]) -> Any:
    """Return a model that shares the weights and has other linear layers."""
    made = _sharing_weights(model)
    for owner in list(made.modules()):
        for name, part in list(owner.named_children()):
            if type(part) is nn.Linear:
                setattr(owner, name, other(part))
    return made


def to_int8(model: Any) -> Any:
    """Return the model with 8-bit weights, one scale per row; inputs are rounded with one scale per call."""
    from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that the function moves to another package
        return quantize_dynamic(_sharing_weights(model), {nn.Linear: per_channel_dynamic_qconfig}, inplace=True)


def parameter_count(model: Any) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def _sharing_weights(model: Any) -> Any:
    """Return a model that shares the weights."""
    return copy.deepcopy(model, {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())})
