"""What a model may bring along: tensors, never code, unless a person says so for this call.

Weights are read from safetensors alone. A pickle (`.bin`, `.pt`) runs whatever its maker wrote when it is opened, so it
is refused before anything opens it. Modules beside the weights (`auto_map` in config.json) run only inside `trusting`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.errors import AssayError

OPTION = "--trust-remote-code"
SAFE = ("model.safetensors", "model.safetensors.index.json")
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")

_trusted = False


@contextmanager
def trusting() -> Iterator[None]:
    """Code that models bring along may run meanwhile, with all the rights of whoever runs this."""
    global _trusted
    before, _trusted = _trusted, True
    try:
        yield
    finally:
        _trusted = before


def is_trusting() -> bool:
    return _trusted


def set_trusting(parent: bool) -> None:
    """In a worker: as much as whoever has started it was told."""
    global _trusted
    _trusted = parent


def code_options() -> dict[str, Any]:
    """For everything that is loaded from a folder or the hub. It is never left out: then transformers would ask."""
    return {"trust_remote_code": _trusted}


def weight_options() -> dict[str, Any]:
    """For models, which have weights besides."""
    return code_options() | {"use_safetensors": True}


def check_weights(folder: Path) -> None:
    """Refuse a folder whose weights are a pickle, or whose list of files leads to one or out of the folder."""
    if not any((folder / name).is_file() for name in SAFE):
        pickled = sorted(file.name for file in folder.iterdir() if file.suffix in PICKLES)
        if pickled:
            raise AssayError(
                f"{folder}: its weights are a pickle ({pickled[0]}), which may run any code when opened; where you "
                "trust it, write it as safetensors (save_pretrained of transformers does) and give that folder"
            )
    index = folder / SAFE[1]
    if index.is_file():
        try:
            files = set(json.loads(index.read_text("utf-8"))["weight_map"].values())
            odd = sorted(name for name in files if Path(name).name != name or not name.endswith(".safetensors"))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise AssayError(f"{index}: damaged; copy the whole folder again") from None
        if odd:
            raise AssayError(f"{index}: names {odd[0]!r} among the weights, which is no safetensors file in the folder")


def check_refusal(path: str, error: Exception) -> None:
    """Say it in our words where transformers refused to run a model's own code."""
    if "trust_remote_code" in str(error):
        raise AssayError(
            f"{path}: it brings code of its own, which was not run; read its .py files, and if you trust whoever made "
            f"them give {OPTION}"
        ) from None
