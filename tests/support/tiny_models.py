"""Models of every kind that a metric may ask, from chance and saved to disk: what an adapter is tested with."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LABELS = {2: ["no", "yes"], 3: ["entailment", "contradiction", "neutral"]}
"""What classes are called, by their number."""


def save_tiny(folder: Path, asks: str, seed: int = 1, length: int = 64) -> Path:
    """A small model of a kind (`encoder`, `causal`, `seq2seq`, `classifier:2`) in a folder of its own."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    kind, _, outputs = asks.partition(":")
    if kind == "perception":
        _perception(folder, seed)
        return folder
    makers = {
        "encoder": _bert,
        "classifier": _bert,
        "causal": _gpt2,
        "seq2seq": _bart,
        "masked": _masked,
        "tagger": _tagger,
    }
    makers[kind](folder, outputs, length)
    return folder


def _bert(folder: Path, outputs: str, length: int) -> None:
    """Pieces of single characters, so that every word of ours is known."""
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

    letters = string.ascii_lowercase + string.digits
    words = [*MARKS, *letters, *(f"##{letter}" for letter in letters), *string.punctuation]
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=length, initializer_range=0.5,
    )  # fmt: skip
    if outputs:
        config.num_labels = int(outputs)
        if names := LABELS.get(int(outputs)):
            config.id2label = dict(enumerate(names))
            config.label2id = {name: i for i, name in enumerate(names)}
    (BertForSequenceClassification if outputs else BertModel)(config).save_pretrained(folder)
    numbered = {word: i for i, word in enumerate(words)}
    BertTokenizerFast(vocab=numbered, model_max_length=length).save_pretrained(folder)


def _tagger(folder: Path, outputs: str, length: int) -> None:
    """A token classifier of the same size and vocabulary."""
    from transformers import BertConfig, BertForTokenClassification

    _bert(folder, "", length)
    config = BertConfig.from_pretrained(folder)
    config.num_labels = int(outputs)
    names = LABELS[int(outputs)]
    config.id2label, config.label2id = dict(enumerate(names)), {name: i for i, name in enumerate(names)}
    BertForTokenClassification(config).save_pretrained(folder)


def _masked(folder: Path, outputs: str, length: int) -> None:
    """One that knows some whole words, and pieces for the rest."""
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    letters = [*string.ascii_lowercase, *(f"##{letter}" for letter in string.ascii_lowercase)]
    words = [*MARKS, *letters, ".", "the", "cat", "stone", "boat", "near", "big"]
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=length, initializer_range=0.5,
    )  # fmt: skip
    BertForMaskedLM(config).save_pretrained(folder)
    numbered = {word: i for i, word in enumerate(words)}
    BertTokenizerFast(vocab=numbered, model_max_length=length).save_pretrained(folder)


def _tokenizer() -> Any:
    from assay.systems.neural.build_model import make_tokenizer

    return make_tokenizer(["the cat sat on the mat", "two dogs ran home", "a b c d"], 300, [])


def _gpt2(folder: Path, outputs: str, length: int) -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = _tokenizer()
    config = GPT2Config(
        vocab_size=len(tokenizer), n_embd=32, n_layer=2, n_head=2, n_positions=length, initializer_range=0.3,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _bart(folder: Path, outputs: str, length: int) -> None:
    from transformers import BartConfig, BartForConditionalGeneration

    tokenizer = _tokenizer()
    config = BartConfig(
        vocab_size=len(tokenizer), d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=length, init_std=0.3,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
        decoder_start_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    BartForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def save_tiny_t5(folder: Path, seed: int = 1, **sizes: int) -> Path:
    """A small Flan-T5: relative positions, gated layers, an own output layer."""
    import torch
    from tokenizers import processors
    from transformers import T5Config, T5ForConditionalGeneration

    from assay.systems.neural.build_model import make_tokenizer

    torch.manual_seed(seed)
    tokenizer = make_tokenizer(["the cat sat on the mat", "two dogs ran home", "predict: 0", "1"], 300, [])
    end = tokenizer.convert_tokens_to_ids("</s>")
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", end)]
    )
    config = T5Config(
        vocab_size=len(tokenizer), **{"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 1, "num_heads": 2} | sizes,
        feed_forward_proj="gated-gelu", tie_word_embeddings=False, decoder_start_token_id=0,
        pad_token_id=tokenizer.pad_token_id, eos_token_id=end,
    )  # fmt: skip
    model = T5ForConditionalGeneration(config)
    torch.nn.init.normal_(model.lm_head.weight, 0, 0.1)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _perception(folder: Path, seed: int) -> None:
    """A regression from chance over a small encoder beside it."""
    import numpy as np

    from assay.metrics.human.perception import Regression
    from assay.models.encoder import Encoder
    from assay.models.text_features import SURFACE

    encoder = Encoder(str(save_tiny(folder / "encoder", "encoder")))
    size = len(SURFACE) + encoder.size
    weights = np.random.default_rng(seed).normal(0, 0.3, size).tolist()
    Regression(
        criterion="fluency", low=1.0, high=5.0, encoder=str(folder / "encoder"), better="higher", intercept=3.0,
        encoder_weights=encoder.label.rpartition("-")[2], means=[0.0] * size, spreads=[1.0] * size, weights=weights,
    ).write(folder)  # fmt: skip


def pair_checkpoint() -> tuple[Any, Any, Any, Any]:
    """Return tokenizer, config, body and head of three classes of a random RoBERTa, as published checkpoints have."""
    import torch
    from tokenizers import processors
    from transformers import RobertaConfig, RobertaModel

    from assay.systems.neural.build_model import make_tokenizer

    torch.manual_seed(4)
    tokenizer = make_tokenizer(["the cat sat here", "two dogs ran home"], 300, [])
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=70, type_vocab_size=1, initializer_range=0.5,
    )  # fmt: skip
    return tokenizer, config, RobertaModel(config).eval(), torch.nn.Linear(32, 3)
