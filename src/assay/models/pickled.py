"""Tensors of a pickled checkpoint, read without running anything that the file contains."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assay.errors import AssayError, first_line

BUILDERS = {
    ("collections", "OrderedDict"),
    ("torch._utils", "_rebuild_tensor_v2"),
    ("torch._utils", "_rebuild_tensor"),
    ("torch._utils", "_rebuild_parameter"),
    ("torch", "Size"),
    ("torch", "device"),
}
"""The only functions that are called: they build tensors and containers."""
TYPES = ("float", "double", "half", "bfloat16", "long", "int", "short", "char", "byte", "bool")


class Ignored(dict[Any, Any]):
    """What takes the place of every other object of a file: it can be built and filled, and does nothing."""

    def __new__(cls, *_: Any, **__: Any) -> Ignored:
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def __setstate__(self, _: Any) -> None:
        return None

    def append(self, _: Any) -> None:
        return None

    def extend(self, _: Any) -> None:
        return None

    def add(self, _: Any) -> None:
        return None


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        import torch

        if (module, name) in BUILDERS:
            return super().find_class(module, name)
        if module == "torch" and name in (*TYPES, "float16", "float32", "float64", "int64", "int32", "uint8"):
            return getattr(torch, name)
        return Ignored


def _load(stream: Any, **options: Any) -> Any:
    return _Reader(stream, **options).load()


def read_tensors(path: Path) -> dict[str, Any]:
    """Return the tensors of a `.ckpt`, `.bin` or `.pt` file by name: of its `state_dict`, if it has one.

    Hyper-parameters, states of optimizers and callbacks are ignored; no code of the file is run.

    Raises:
        AssayError: The file is missing, or holds no named tensors.
    """
    import torch

    remedy = "Give the published file (.ckpt, .bin or .pt)."
    if not path.is_file():
        raise AssayError(f"{path}: file not found. {remedy}")
    try:
        reader = SimpleNamespace(Unpickler=_Reader, load=_load, __name__=__name__)
        content = torch.load(path, map_location="cpu", pickle_module=reader, weights_only=False)
    except Exception as error:  # a damaged file can raise anything
        raise AssayError(f"{path}: cannot be read as a checkpoint ({first_line(error)}). {remedy}") from None
    state = content.get("state_dict", content) if isinstance(content, dict) else {}
    tensors = {str(name): value for name, value in state.items() if isinstance(value, torch.Tensor)}
    if not tensors:
        raise AssayError(f"{path}: holds no named tensors. {remedy}")
    return tensors
