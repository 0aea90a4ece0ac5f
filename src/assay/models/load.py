"""Models and tokenizers, loaded whole or not at all; what is missing is named."""

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
from assay.models.trust import check_refusal, code_options, weight_options

Number = TypeVar("Number", bound=np.floating[Any])

UNLIMITED = 1 << 30
"""Tokens that no text has."""

KINDS = {
    "encoder": "an encoder", "classifier": "a classifier", "tagger": "an extractor", "masked": "one that fills masks",
    "seq2seq": "a sequence-to-sequence model", "causal": "a causal language model",
}  # fmt: skip
"""What a person calls them."""


class Loaded(NamedTuple):
    model: Any
    tokenizer: Any
    kind: str
    """`seq2seq`, `causal`, `classifier`, `tagger`, `masked` or `encoder`."""


def load(
    path: str, classifier: bool = False, encoder: bool = False, tagger: bool = False, masked: bool = False
) -> Loaded:
    """The model, ready to answer (evaluation mode, on the GPU if there is one); the last two are kept, as long as
    their files are what they were."""
    if reason := missing_extra("neural"):
        raise AssayError(f"model {path}: {reason}")
    found = locate(path)
    kinds = {"encoder": encoder, "classifier": classifier, "tagger": tagger, "masked": masked}
    return loaded(found, fingerprint(found), next((kind for kind, asked in kinds.items() if asked), ""))


@lru_cache(maxsize=2)
def loaded(path: str, content: str, kind: str) -> Loaded:
    """By content too: a folder may be trained anew while we run. Without a kind it is one that writes."""
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

    with quiet_transformers():
        try:
            config = AutoConfig.from_pretrained(path, **code_options())
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
            raise AssayError(
                f"weights for {path} not found (give a hub name or a folder): {first_line(error)}"
            ) from None
        except Exception as error:  # damage shows itself in every way there is
            raise AssayError(
                f"{path}: the checkpoint is damaged ({first_line(error)}); copy the whole folder again"
            ) from None
    # the pooler stands behind all that an encoder is asked for, and many checkpoints have none
    if missing := sorted(name for name in about["missing_keys"] if not (kind == "encoder" and "pooler" in name)):
        names = ", ".join(missing[:3])
        raise AssayError(
            f"{path}: the checkpoint is incomplete, it has no weights for {names} and would answer by chance; "
            f"give a model that was trained as {KINDS[kind]}, or copy the whole folder if this one was"
        )
    _check_tokenizer(path, tokenizer)
    model.eval().to(torch_device())
    return Loaded(model, tokenizer, kind)


def _check_kind(path: str, config: Any, kind: str) -> None:
    """A classifier made to write would do so with a part of its weights missing, and by chance."""
    names = getattr(config, "architectures", None) or ()
    made = [name for name in names if name.endswith("SequenceClassification")]
    if made and kind in ("seq2seq", "causal"):
        raise AssayError(
            f"{path}: a classifier ({made[0]}), which cannot write or give likelihoods; use classifier:{path}"
        )
    if kind != "encoder" and (kind == "tagger") != any(name.endswith("TokenClassification") for name in names):
        what = f"no extractor ({', '.join(names) or 'nothing said'})" if kind == "tagger" else "an extractor"
        raise AssayError(f"{path}: {what}; extractors are made by `assay system train extractor` and asked by metrics")


def _check_tokenizer(path: str, tokenizer: Any) -> None:
    """Training notes the special tokens of the task; a tokenizer without them would cut them to pieces."""
    if tokenizer.eos_token_id is None:
        if tokenizer.sep_token_id is None:
            raise AssayError(f"{path}: the tokenizer has no end token; add eos_token to its special tokens")
        tokenizer.eos_token = tokenizer.sep_token
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    wanted = read_recipe(Path(path)).get("special_tokens") or []
    vocabulary = tokenizer.get_vocab() if wanted else {}
    if missing := [str(token) for token in wanted if token not in vocabulary]:
        raise AssayError(
            f"{path}: the tokenizer lacks the special tokens {', '.join(missing[:4])} the model was trained with; "
            "copy the whole folder"
        )


def check_finite(numbers: NDArray[Number]) -> NDArray[Number]:
    """What a model put out; damaged weights give what is no number, and that must not be kept or averaged."""
    if not np.isfinite(numbers).all():
        raise AssayError(
            "the model puts out what is no finite number, so its weights are damaged; copy its folder again"
        )
    return numbers


def special_tokens_around(tokenizer: Any) -> tuple[list[int], list[int]]:
    """What a tokenizer puts before and after a text."""
    marked, plain = (list(tokenizer("a", add_special_tokens=marks)["input_ids"]) for marks in (True, False))
    at = next(i for i in range(len(marked)) if marked[i : i + len(plain)] == plain)
    return marked[:at], marked[at + len(plain) :]


def max_positions(model: Any) -> int:
    """The longest text that a model can read; those with relative positions read any."""
    return UNLIMITED if hasattr(model.config, "relative_attention_num_buckets") else _made_for(model)


def _made_for(model: Any) -> int:
    config = model.config.encoder if model.config.model_type == "encoder-decoder" else model.config
    names = ("max_position_embeddings", "max_encoder_position_embeddings", "n_positions")
    return int(next((found for name in names if (found := getattr(config, name, None))), 512))


def window(model: Any, path: str, limit: int, taken: int = 0) -> int:
    """Most tokens of an input: as asked, else as trained, else what the model was made for, `taken` for others."""
    most = max_positions(model) - taken
    if most < 1:
        raise AssayError(
            f"{path}: max_new={taken} leaves no room for an input in {max_positions(model)} tokens; lower it"
        )
    return min(limit or trained_length(path) or _made_for(model), most)
