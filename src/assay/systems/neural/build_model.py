"""Initial models and tokenizers for training: small random ones, or pretrained ones with added task tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from assay.errors import AssayError, first_line
from assay.inputs.schema import foreign_markers, schema
from assay.models.checkpoints import locate
from assay.models.devices import quiet_transformers
from assay.models.hub import may_download
from assay.models.load import load
from assay.models.nli_labels import LABELS
from assay.models.trust import check_refusal, code_options, weight_options
from assay.systems.neural.decode import Decoding
from assay.systems.neural.recipe import Recipe
from assay.systems.prompts import prompt


class Size(NamedTuple):
    """Size of a randomly initialised model. An LSTM has twice the width, and no heads."""

    width: int
    layers: int
    """Of encoder and decoder each."""
    heads: int
    inner: int
    """Width of the feed-forward layers."""


SIZES = {
    "tiny": Size(64, 1, 4, 128),
    "small": Size(128, 2, 4, 256),
    "medium": Size(256, 2, 8, 512),
    "simplener": Size(300, 6, 6, 2048),
}
CLASSES = {"yes-no": ("no", "yes"), "entailment": LABELS}
"""Classes of a pair classifier, in the order of its outputs."""
PAIRED = ("classifier", "similarity")
"""Kinds of models that read pairs."""
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<sep>")


def classes(recipe: Recipe, kind: str, labels: Sequence[str] = ()) -> dict[str, Any]:
    """Return the config of named output classes. Two unnamed classes are not saved in a config, so that loading would
    use the default number of the architecture."""
    names = labels or (("similarity",) if kind == "similarity" else CLASSES[recipe.labels])
    return {
        "num_labels": len(names),
        "id2label": dict(enumerate(names)),
        "label2id": {name: i for i, name in enumerate(names)},
    }


def special_tokens(recipe: Recipe) -> list[str]:
    """Return the task tokens that a tokenizer must not split."""
    markers = schema(recipe.schema).tokens if recipe.markers else []
    return [*markers, *(["<sent>"] if markers else []), *prompt(recipe.prompt).tokens]


def make_tokenizer(texts: Iterable[str], size: int, special: list[str], units: Sequence[str] = ()) -> Any:
    """Train a byte-level BPE tokenizer that writes `text </s>` and `text </s> second </s>`; size 0 leaves characters.

    Each unit is one token, with the space before it.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=not units)  # it would also be added after units
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[*SPECIAL, *special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    known = {unit.strip() for unit in units}
    plain = (" ".join(word for word in text.split(" ") if word not in known) for text in texts)
    made.train_from_iterator(plain if known else texts, trainer)
    made.add_tokens([AddedToken(unit, normalized=False) for unit in units])
    end = [("</s>", made.token_to_id("</s>"))]
    made.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=end)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        sep_token="<sep>", additional_special_tokens=special, clean_up_tokenization_spaces=False,
    )  # fmt: skip


def make_model(recipe: Recipe, tokenizer: Any, kind: str = "seq2seq", labels: Sequence[str] = ()) -> Any:
    """Return a randomly initialised model, T5 or (causal) Llama: both use pre-normalisation, with which small models
    learn quickly."""
    from transformers import (
        T5Config,
        T5ForConditionalGeneration,
        T5ForSequenceClassification,
        T5ForTokenClassification,
    )

    width, layers, heads, inner = SIZES[recipe.model]
    if recipe.architecture == "lstm":
        return _lstm(recipe, tokenizer, kind)
    if kind == "causal":
        from transformers import LlamaConfig, LlamaForCausalLM

        return LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(tokenizer), hidden_size=width, intermediate_size=inner,
                num_hidden_layers=2 * layers, num_attention_heads=heads, attention_dropout=recipe.dropout,
                max_position_embeddings=recipe.source_limit + max(recipe.target_limit, Decoding.max_new),
                tie_word_embeddings=True,
                bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
                pad_token_id=tokenizer.pad_token_id,
            )
        )  # fmt: skip
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=width,
        d_kv=width // heads,
        d_ff=inner,
        num_layers=layers,
        num_heads=heads,
        dropout_rate=recipe.dropout,
        classifier_dropout=recipe.dropout,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
        n_positions=max(recipe.source_limit, recipe.target_limit),
        **classes(recipe, kind, labels),
    )
    if kind == "extractor":
        return T5ForTokenClassification(config)
    return (T5ForSequenceClassification if kind in PAIRED else T5ForConditionalGeneration)(config)


def _lstm(recipe: Recipe, tokenizer: Any, kind: str) -> Any:
    if kind != "seq2seq":
        raise AssayError(f"recipe: architecture=lstm is for seq2seq, not for {kind}")
    from assay.models.lstm import LstmConfig, LstmForConditionalGeneration

    width, layers, *_ = SIZES[recipe.model]
    return LstmForConditionalGeneration(
        LstmConfig(
            vocab_size=len(tokenizer), hidden_size=2 * width, num_layers=layers, dropout=recipe.dropout,
            copies=recipe.copies, pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
            bos_token_id=tokenizer.bos_token_id, decoder_start_token_id=tokenizer.pad_token_id,
            n_positions=max(recipe.source_limit, recipe.target_limit),
        )
    )  # fmt: skip


def build_model(
    recipe: Recipe, texts: Iterable[str], *, kind: str = "seq2seq", labels: Sequence[str] = (),
    units: Sequence[str] = (), marks: Sequence[str] = (),
) -> tuple[Any, Any]:  # fmt: skip
    """Return model and tokenizer before the first step, initialised with the seed of the recipe; `units` are strings
    that a new tokenizer does not split, `marks` special tokens that no tokenizer splits."""
    import torch

    torch.manual_seed(recipe.seed)
    special = list(dict.fromkeys([*special_tokens(recipe), *marks]))
    if recipe.markers:
        texts = list(texts)
        known = schema(recipe.schema)
        foreign = dict.fromkeys(name for text in texts for name in foreign_markers(text, known))
        if foreign:
            raise AssayError(
                f"recipe: texts mark {', '.join(foreign)}, which the schema {known.name} lacks; set schema=FILE"
            )
    if recipe.rank:
        return _updated(recipe, kind)
    if recipe.architecture == "lstm" and recipe.model not in SIZES:
        raise AssayError(
            f"recipe: architecture=lstm starts from random weights; set model to one of {', '.join(SIZES)}"
        )
    if recipe.model in SIZES:
        tokenizer = make_tokenizer(texts, 0 if recipe.characters else recipe.vocabulary, special, units)
        return make_model(recipe, tokenizer, kind, labels), tokenizer
    if recipe.characters:
        raise AssayError(f"recipe: characters=true needs a new tokenizer; set model to one of {', '.join(SIZES)}")
    path = recipe.model if recipe.architecture == "random-bert" else locate(recipe.model)  # no weights to load
    with quiet_transformers():
        try:
            tokenizer, model = _pretrained(recipe, path, kind, labels)
        except (OSError, ValueError) as error:
            check_refusal(recipe.model, error)
            raise AssayError(
                f"weights for {recipe.model} not found (give :model=PATH, or tiny or small): {first_line(error)}"
            ) from None
    if special:
        tokenizer.add_special_tokens({"additional_special_tokens": special})
        _resize(model, len(tokenizer))
    adapt(model, recipe)
    return model, tokenizer


def adapt(model: Any, recipe: Recipe) -> None:
    """Set the dropout of a pretrained model, and freeze its lowest layers."""
    import torch

    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = recipe.dropout
    _freeze(model, recipe.frozen)


def _updated(recipe: Recipe, kind: str) -> tuple[Any, Any]:
    """Return a frozen encoder with low-rank updates."""
    if kind != "classifier" or recipe.labels != "entailment" or recipe.model in SIZES:
        raise AssayError("recipe: rank is for entailment over an encoder: classifier:nli, or rank=0")
    from assay.models.nli_network import NliNetwork

    network = NliNetwork(recipe.model, recipe.rank, dropout=recipe.dropout)
    return network, load(recipe.model, encoder=True).tokenizer


def _pretrained(recipe: Recipe, path: str, kind: str, labels: Sequence[str]) -> tuple[Any, Any]:
    from transformers import (
        AutoConfig,
        AutoModel,
        AutoModelForCausalLM,
        AutoModelForSeq2SeqLM,
        AutoModelForSequenceClassification,
        AutoModelForTokenClassification,
        AutoTokenizer,
        EncoderDecoderConfig,
        EncoderDecoderModel,
    )

    from assay.models.lstm import register

    register()
    may_download(path)
    tokenizer = AutoTokenizer.from_pretrained(path, **code_options())
    if kind == "causal":
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        return tokenizer, AutoModelForCausalLM.from_pretrained(path, **weight_options())
    if kind == "similarity" and recipe.reads == "apart":
        return tokenizer, AutoModel.from_pretrained(path, **weight_options())
    outputs = classes(recipe, kind, labels)
    if kind in PAIRED:
        # the head of another task is replaced: entailment first, then similarity
        model = AutoModelForSequenceClassification.from_pretrained(
            path, **outputs, ignore_mismatched_sizes=True, **weight_options()
        )
        return tokenizer, model
    if kind == "extractor":
        return tokenizer, AutoModelForTokenClassification.from_pretrained(path, **outputs, **weight_options())
    if recipe.architecture == "auto":
        return tokenizer, AutoModelForSeq2SeqLM.from_pretrained(path, **weight_options())
    encoder, decoder = (AutoConfig.from_pretrained(path, **code_options()) for _ in range(2))
    both = EncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    model = EncoderDecoderModel(config=both)
    if recipe.architecture == "bert-decoder":
        model.encoder = AutoModel.from_pretrained(path, **weight_options())
    tokenizer.bos_token = tokenizer.bos_token or tokenizer.cls_token
    tokenizer.eos_token = tokenizer.eos_token or tokenizer.sep_token
    for config in (model.config, model.generation_config):
        config.decoder_start_token_id = tokenizer.bos_token_id
        config.pad_token_id = tokenizer.pad_token_id
        config.eos_token_id = tokenizer.eos_token_id
    return tokenizer, model


def _freeze(model: Any, layers: int) -> None:
    """Freeze the embeddings and the lowest layers."""
    if not layers:
        return
    import torch

    count = model.config.num_hidden_layers
    if layers > count:
        raise AssayError(f"recipe: frozen={layers} must be at most {count}, the number of layers of the model")
    stacks = (part for part in model.modules() if isinstance(part, torch.nn.ModuleList) and len(part) == count)
    below = getattr(getattr(model, model.base_model_prefix, None), "embeddings", model.get_input_embeddings())
    for part in (below, *next(stacks)[:layers]):
        part.requires_grad_(False)


def _resize(model: Any, size: int) -> None:
    if model.config.model_type == "encoder-decoder":
        for name in ("encoder", "decoder"):
            part = getattr(model, name)
            part.resize_token_embeddings(size)
            setattr(model.config, name, part.config)  # the saved config must have the size of the weights
    else:
        model.resize_token_embeddings(size)


def parameter_groups(model: Any, recipe: Recipe) -> list[dict[str, Any]]:
    """Return parameters grouped by peak learning rate; embeddings and new parts may have their own."""
    embeddings = {id(p) for p in model.get_input_embeddings().parameters()}
    fresh = recipe.architecture == "bert-decoder"
    groups: dict[float, list[Any]] = {}
    for name, parameter in model.named_parameters():
        rate = recipe.lr
        if fresh and name.startswith("decoder."):
            rate = recipe.random_lr or rate
        if id(parameter) in embeddings:
            rate = recipe.embedding_lr or rate
        if parameter.requires_grad:
            groups.setdefault(rate, []).append(parameter)
    return [{"params": parameters, "lr": rate, "highest": rate} for rate, parameters in groups.items()]
