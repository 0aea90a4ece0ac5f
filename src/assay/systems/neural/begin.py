"""Models and tokenizers to begin training from: small ones from chance, or pretrained ones with a task's tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.errors import AssayError
from assay.inputs.spans import SCHEMA
from assay.systems.neural.load import quiet
from assay.systems.neural.recipe import Recipe

SIZES = {"tiny": (64, 1, 4), "small": (128, 2, 4)}
"""Width, layers (encoder and decoder each) and heads of the models from chance."""
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<sep>")


def special_tokens(recipe: Recipe) -> list[str]:
    """The tokens of the task that a tokenizer must not cut to pieces."""
    if not recipe.markers:
        return []
    names = [name.upper() for name in SCHEMA]
    return [*(f"[{name}_START]" for name in names), *(f"[{name}_END]" for name in names), "<sent>"]


def make_tokenizer(texts: Iterable[str], size: int, special: list[str]) -> Any:
    """A byte-level BPE vocabulary of the training texts; `text </s>` and `text </s> second </s>`."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[*SPECIAL, *special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    end = [("</s>", made.token_to_id("</s>"))]
    made.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=end)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        sep_token="<sep>", additional_special_tokens=special, clean_up_tokenization_spaces=False,
    )  # fmt: skip


def make_model(recipe: Recipe, tokenizer: Any, classifier: bool = False) -> Any:
    """A T5-shaped model from chance: its normalisation comes first, which lets small models learn quickly."""
    from transformers import T5Config, T5ForConditionalGeneration, T5ForSequenceClassification

    width, layers, heads = SIZES[recipe.model]
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=width,
        d_kv=width // heads,
        d_ff=2 * width,
        num_layers=layers,
        num_heads=heads,
        dropout_rate=recipe.dropout,
        classifier_dropout=recipe.dropout,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
        n_positions=max(recipe.source_limit, recipe.target_limit),
        num_labels=2,
        id2label={0: "no", 1: "yes"},
        label2id={"no": 0, "yes": 1},
    )
    return (T5ForSequenceClassification if classifier else T5ForConditionalGeneration)(config)


def begin(recipe: Recipe, texts: Iterable[str], *, classifier: bool = False) -> tuple[Any, Any]:
    """Model and tokenizer before the first step; chance is seeded by the recipe."""
    import torch

    torch.manual_seed(recipe.seed)
    special = special_tokens(recipe)
    if recipe.model in SIZES:
        tokenizer = make_tokenizer(texts, recipe.vocabulary, special)
        return make_model(recipe, tokenizer, classifier), tokenizer
    with quiet():
        try:
            tokenizer, model = _pretrained(recipe, classifier)
        except (OSError, ValueError) as error:
            first = str(error).strip().split("\n")[0][:160]
            raise AssayError(
                f"skipped: weights for {recipe.model} not found (give :model=PATH, or tiny or small): {first}"
            ) from None
    if special:
        tokenizer.add_special_tokens({"additional_special_tokens": special})
        _resize(model, len(tokenizer))
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = recipe.dropout
    return model, tokenizer


def _pretrained(recipe: Recipe, classifier: bool) -> tuple[Any, Any]:
    from transformers import (
        AutoConfig,
        AutoModelForSeq2SeqLM,
        AutoModelForSequenceClassification,
        AutoTokenizer,
        EncoderDecoderConfig,
        EncoderDecoderModel,
    )

    tokenizer = AutoTokenizer.from_pretrained(recipe.model)
    if classifier:
        return tokenizer, AutoModelForSequenceClassification.from_pretrained(recipe.model, num_labels=2)
    if recipe.architecture == "auto":
        return tokenizer, AutoModelForSeq2SeqLM.from_pretrained(recipe.model)
    shape = AutoConfig.from_pretrained(recipe.model)
    both = EncoderDecoderConfig.from_encoder_decoder_configs(shape, AutoConfig.from_pretrained(recipe.model))
    model = EncoderDecoderModel(config=both)
    if recipe.architecture == "bert-decoder":
        from transformers import AutoModel

        model.encoder = AutoModel.from_pretrained(recipe.model)
    tokenizer.bos_token = tokenizer.bos_token or tokenizer.cls_token
    tokenizer.eos_token = tokenizer.eos_token or tokenizer.sep_token
    for config in (model.config, model.generation_config):
        config.decoder_start_token_id = tokenizer.bos_token_id
        config.pad_token_id = tokenizer.pad_token_id
        config.eos_token_id = tokenizer.eos_token_id
    return tokenizer, model


def _resize(model: Any, size: int) -> None:
    if hasattr(model, "encoder") and hasattr(model, "decoder") and model.config.model_type == "encoder-decoder":
        model.encoder.resize_token_embeddings(size)
        model.decoder.resize_token_embeddings(size)
    else:
        model.resize_token_embeddings(size)


def parameter_groups(model: Any, recipe: Recipe) -> list[dict[str, Any]]:
    """Parameters with their highest learning rate: embeddings and parts from chance may have their own."""
    embeddings = {id(p) for p in model.get_input_embeddings().parameters()}
    fresh = recipe.architecture == "bert-decoder"
    groups: dict[float, list[Any]] = {}
    for name, parameter in model.named_parameters():
        rate = recipe.lr
        if fresh and name.startswith("decoder."):
            rate = recipe.random_lr or rate
        if id(parameter) in embeddings:
            rate = recipe.embedding_lr or rate
        groups.setdefault(rate, []).append(parameter)
    return [{"params": parameters, "lr": rate, "highest": rate} for rate, parameters in groups.items()]
