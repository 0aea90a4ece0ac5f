"""Trust in model files: tensors are loaded, code of a model runs only if the user allows it for the call.

Weights are read from safetensors only. A pickle (`.bin`, `.pt`) can run any code when it is opened, so it is refused.
Python modules in a model folder (`auto_map` in config.json) run only inside `trusting`.
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
    """Allow code of models to run inside the block, with the rights of this process."""
    global _trusted
    before, _trusted = _trusted, True
    try:
        yield
    finally:
        _trusted = before


def is_trusting() -> bool:
    return _trusted


def set_trusting(parent: bool) -> None:
    """Set in a worker process what its parent process allows."""
    global _trusted
    _trusted = parent


def code_options() -> dict[str, Any]:
    """Return the arguments of `from_pretrained` for configurations and tokenizers.

    They are always passed: without them transformers asks at the terminal.
    """
    return {"trust_remote_code": _trusted}


def weight_options() -> dict[str, Any]:
    """Return the arguments of `from_pretrained` for models."""
    return code_options() | {"use_safetensors": True}


def check_weights(folder: Path) -> None:
    """Raise an error if the weights of a folder are a pickle, or its index names other files than safetensors in it."""
    if not any((folder / name).is_file() for name in SAFE):
        pickled = sorted(file.name for file in folder.iterdir() if file.suffix in PICKLES)
        if pickled:
            raise AssayError(
                f"{folder}: its weights are a pickle ({pickled[0]}), which can run any code when opened. "
                "If you trust it, convert it to safetensors (save_pretrained of transformers) and give that folder."
            )
    index = folder / SAFE[1]
    if index.is_file():
        try:
            files = set(json.loads(index.read_text("utf-8"))["weight_map"].values())
            odd = sorted(name for name in files if Path(name).name != name or not name.endswith(".safetensors"))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise AssayError(f"{index}: damaged. Copy the whole folder again.") from None
        if odd:
            raise AssayError(f"{index}: {odd[0]!r} is no safetensors file in the folder. Copy the whole folder again.")


def check_refusal(path: str, error: Exception) -> None:
    """Raise an error that names the option if transformers refused to run the code of a model."""
    if "trust_remote_code" in str(error):
        raise AssayError(
            f"{path}: contains Python code, which was not run. Read its .py files; if you trust them, give {OPTION}."
        ) from None
