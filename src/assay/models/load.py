"""Loading of models and tokenizers, with checks that the checkpoint is complete and of the right kind."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, first_line
from assay.extras import missing_extra
from assay.models.checkpoints import fingerprint, locate, read_recipe, trained_length
from assay.models.devices import quiet_transformers, torch_device
from assay.models.hub import UNREACHABLE, refuse_unreachable, stop_retries
from assay.models.trust import check_refusal, code_options, weight_options

Number = TypeVar("Number", bound=np.floating[Any])

UNLIMITED = 1 << 30
"""Number of tokens that means no limit."""

KINDS = {
    "encoder": "an encoder", "classifier": "a classifier", "tagger": "an extractor",
    "masked": "a masked language model",
    "seq2seq": "a sequence-to-sequence model", "causal": "a causal language model",
}  # fmt: skip
"""Kinds of models, in words."""


class Loaded(NamedTuple):
    """A model with its tokenizer."""

    model: Any
    tokenizer: Any
    kind: str
    """`seq2seq`, `causal`, `classifier`, `tagger`, `masked` or `encoder`."""


def load(
    path: str, classifier: bool = False, encoder: bool = False, tagger: bool = False, masked: bool = False
) -> Loaded:
    """Return a model in evaluation mode, on the GPU if there is one.

    The last two models stay in memory as long as their files do not change.

    Args:
        path: Model name, folder or Hugging Face name.
        classifier: Load a sequence classifier.
        encoder: Load an encoder without a head.
        tagger: Load a token classifier (extractor).
        masked: Load a masked language model. Without any of these flags, a model that generates text is loaded.

    Raises:
        AssayError: If packages or weights are missing, damaged or of another kind.
    """
    if reason := missing_extra("neural"):
        raise AssayError(f"model {path}: {reason}")
    place = locate(path)
    refuse_unreachable(place)
    kinds = {"encoder": encoder, "classifier": classifier, "tagger": tagger, "masked": masked}
    return loaded(place, fingerprint(place), next((kind for kind, wanted in kinds.items() if wanted), ""))


@lru_cache(maxsize=2)
def loaded(path: str, content: str, kind: str) -> Loaded:
    """Load a model; the digest is an argument, so that a changed folder is loaded again."""
    from transformers import (
        AutoConfig,
        AutoModel,
        AutoModelForCausalLM,
        AutoModelForMaskedLM,
        AutoModelForSeq2SeqLM,
        AutoModelForSequenceClassification,
        AutoModelForTokenClassification,
        AutoTokenizer,
    )

    from assay.models.insertion_network import InsertionConfig
    from assay.models.insertion_network import register as register_insertion
    from assay.models.lstm import register
    from assay.models.personal_lstm import register_personal
    from assay.models.personal_transformer import register_personal_transformer

    register()
    register_insertion()
    register_personal()
    register_personal_transformer()
    reachable = Path(path).is_dir() or stop_retries()
    with quiet_transformers():
        try:
            config = AutoConfig.from_pretrained(path, **code_options())
            if config.model_type == InsertionConfig.model_type:
                raise AssayError(f"{path}: a model that inserts words. Use it as insertion:{path}.")
            tokenizer = AutoTokenizer.from_pretrained(path, **code_options())
            kind = kind or ("seq2seq" if config.is_encoder_decoder else "causal")
            cls = {
                "encoder": AutoModel,
                "classifier": AutoModelForSequenceClassification,
                "tagger": AutoModelForTokenClassification,
                "masked": AutoModelForMaskedLM,
                "seq2seq": AutoModelForSeq2SeqLM,
                "causal": AutoModelForCausalLM,
            }[kind]
            _check_kind(path, config, kind)
            model, about = cls.from_pretrained(path, output_loading_info=True, **weight_options())
        except AssayError:
            raise
        except (OSError, ValueError, KeyError) as error:
            check_refusal(path, error)
            why = f"not found: {first_line(error)}" if reachable else f"are not downloaded, and {UNREACHABLE}"
            raise AssayError(f"weights for {path} {why}. Give a model folder or a Hugging Face name.") from None
        except Exception as error:  # a damaged file can raise anything
            raise AssayError(
                f"{path}: the checkpoint is damaged ({first_line(error)}). Copy the whole folder again."
            ) from None
    # the pooler is not used, and many checkpoints lack it
    if missing := sorted(name for name in about["missing_keys"] if not (kind == "encoder" and "pooler" in name)):
        names = ", ".join(missing[:3])
        raise AssayError(
            f"{path}: the checkpoint is incomplete: no weights for {names}. Give a model that was trained as "
            f"{KINDS[kind]}, or copy the whole folder."
        )
    _check_tokenizer(path, tokenizer)
    model.eval().to(torch_device())
    return Loaded(model, tokenizer, kind)


def _check_kind(path: str, config: Any, kind: str) -> None:
    """Raise an error if the checkpoint is of another kind: its missing weights would be random."""
    names = getattr(config, "architectures", None) or ()
    classifiers = [name for name in names if name.endswith("SequenceClassification")]
    if classifiers and kind in ("seq2seq", "causal"):
        raise AssayError(f"{path}: a classifier ({classifiers[0]}), which cannot generate text. Use classifier:{path}.")
    if kind != "encoder" and (kind == "tagger") != any(name.endswith("TokenClassification") for name in names):
        what = (
            f"not an extractor ({', '.join(names) or 'no architecture stated'})" if kind == "tagger" else "an extractor"
        )
        raise AssayError(f"{path}: {what}. Train extractors with `assay system train extractor`, for metrics only.")


def _check_tokenizer(path: str, tokenizer: Any) -> None:
    """Raise an error if the tokenizer lacks the special tokens that the training recorded."""
    if tokenizer.eos_token_id is None:
        if tokenizer.sep_token_id is None:
            raise AssayError(f"{path}: the tokenizer has no end token. Add eos_token to its special tokens.")
        tokenizer.eos_token = tokenizer.sep_token
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    wanted = read_recipe(Path(path)).get("special_tokens") or []
    vocabulary = tokenizer.get_vocab() if wanted else {}
    if missing := [str(token) for token in wanted if token not in vocabulary]:
        raise AssayError(
            f"{path}: the tokenizer lacks the special tokens {', '.join(missing[:4])} of the training. "
            "Copy the whole folder."
        )


def check_finite(numbers: NDArray[Number]) -> NDArray[Number]:
    """Return the output of a model, or raise an error if a number is not finite, as with damaged weights."""
    if not np.isfinite(numbers).all():
        raise AssayError("the output of the model is not finite, so its weights are damaged. Copy its folder again.")
    return numbers


def special_tokens_around(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Return the special tokens that a tokenizer adds before and after a text."""
    marked, plain = (list(tokenizer("a", add_special_tokens=marks)["input_ids"]) for marks in (True, False))
    at = next(i for i in range(len(marked)) if marked[i : i + len(plain)] == plain)
    return marked[:at], marked[at + len(plain) :]


def max_positions(model: Any) -> int:
    """Return the maximum number of tokens of a model; models with relative positions have no limit."""
    return UNLIMITED if hasattr(model.config, "relative_attention_num_buckets") else _position_embeddings(model)


def _position_embeddings(model: Any) -> int:
    config = model.config.encoder if model.config.model_type == "encoder-decoder" else model.config
    names = ("max_position_embeddings", "max_encoder_position_embeddings", "n_positions")
    return int(next((length for name in names if (length := getattr(config, name, None))), 512))


def window(model: Any, path: str, limit: int, taken: int = 0) -> int:
    """Return the maximum number of input tokens: `limit`, else that of the training, else that of the model.

    Args:
        model: The loaded model.
        path: Its name.
        limit: Requested maximum; 0 for the default.
        taken: Tokens that are reserved for the output.
    """
    most = max_positions(model) - taken
    if most < 1:
        raise AssayError(
            f"{path}: max_new={taken} leaves no room for the input in {max_positions(model)} tokens. Lower max_new."
        )
    return min(limit or trained_length(path) or _position_embeddings(model), most)
