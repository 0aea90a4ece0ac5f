"""Tensors in a file as safetensors, with a few texts beside them: nothing in it can run."""

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
"""torch's names, and those of the format."""


def write_tensors(path: Path, tensors: Mapping[str, Any], texts: Mapping[str, str] | None = None) -> None:
    """Put them in their place at once, one tensor after the other: all of them together may not fit into memory twice.
    Tensors that share memory are written as often as they are named."""
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
    """What `write_tensors` wrote, on the processor."""
    from safetensors import safe_open

    with safe_open(path, framework="pt", device="cpu") as held:
        return {name: held.get_tensor(name) for name in held.keys()}, held.metadata() or {}  # noqa: SIM118
