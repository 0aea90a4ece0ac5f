"""Tensors and text metadata in the safetensors format, which cannot contain executable code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.records.files import replacing

KINDS = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
"""Data types of torch and their names in the format."""


def write_tensors(path: Path, tensors: Mapping[str, Any], texts: Mapping[str, str] | None = None) -> None:
    """Write tensors and text metadata to a safetensors file.

    Tensors are written one after the other, so that only one copy is held in memory. Tensors that share memory are
    written once per name. The file is replaced atomically.
    """
    import torch

    header: dict[str, Any] = {"__metadata__": dict(texts or {})}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.numel() * tensor.element_size()
        kind = KINDS[str(tensor.dtype).removeprefix("torch.")]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [begin, end]}
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with replacing(path, "wb") as stream:
        stream.write(len(head).to_bytes(8, "little") + head)
        for tensor in tensors.values():
            plain = tensor.detach().cpu().contiguous().reshape(-1)
            stream.write(plain.view(torch.uint8).numpy().data)


def read_tensors(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the tensors of a safetensors file, on the CPU, and its text metadata."""
    from safetensors import safe_open

    with safe_open(path, framework="pt", device="cpu") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
