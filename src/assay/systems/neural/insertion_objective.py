"""Training objective for insertion: predict the removed word of every gap, or none."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from assay.errors import AssayError
from assay.inputs import Form
from assay.inputs.insertion import NOI, START, document_frequencies, progressive, split_words
from assay.models.devices import quiet_transformers
from assay.models.load import load
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Concepts
from assay.records.types import Example
from assay.systems.neural.build_model import adapt
from assay.systems.neural.encode import padded
from assay.systems.neural.generation_objective import IGNORED, Item, Judge
from assay.systems.neural.insertion_units import Units
from assay.systems.neural.recipe import Recipe

SIZES = {"tiny": (64, 2, 4), "small": (128, 4, 4)}
"""Width, layers and heads of the encoder."""


def required(example: Example) -> list[str]:
    """Return the words that a text must contain, in their order: concepts, or the words of the source."""
    if example.input and kind_of(example) == "concepts":
        return [word for word in read_input(example, Concepts).concepts if word.strip()]
    if example.source and not example.input:
        return split_words(example.source)
    raise AssayError(f"id {example.id}: insertion starts from words; give an input of kind concepts, or a source")


def word_tokenizer(texts: Iterable[str], size: int) -> Any:
    """Return a tokenizer with the most frequent words of the texts as unsplittable tokens."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.WordLevel(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = [START, "<pad>", "</s>", "<unk>", NOI]
    made.train_from_iterator(
        (" ".join(split_words(text)) for text in texts),
        trainers.WordLevelTrainer(vocab_size=size, special_tokens=special, show_progress=False),
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=START, eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        additional_special_tokens=[NOI], clean_up_tokenization_spaces=False,
    )  # fmt: skip


def insertion_model(recipe: Recipe, texts: Iterable[str]) -> tuple[Any, Any]:
    """Return a randomly initialised model, or a pretrained one (BERT), and its tokenizer."""
    import torch

    from assay.models.insertion_network import InsertionConfig, InsertionModel

    torch.manual_seed(recipe.seed)
    if recipe.model not in SIZES:
        return _pretrained(recipe)
    tokenizer = word_tokenizer(texts, recipe.vocabulary)
    width, layers, heads = SIZES[recipe.model]
    config = InsertionConfig(
        vocab_size=len(tokenizer), hidden_size=width, num_layers=layers, num_heads=heads, dropout=recipe.dropout,
        max_position_embeddings=recipe.target_limit, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return InsertionModel(config), tokenizer


def _pretrained(recipe: Recipe) -> tuple[Any, Any]:
    """Return a masked language model with a token for no insertion; its prediction at a word is that of the gap after
    it."""
    model, tokenizer, _ = load(recipe.model, masked=True)
    model, tokenizer = copy.deepcopy(model), copy.deepcopy(tokenizer)  # a loaded model is shared
    if NOI not in tokenizer.get_vocab():
        tokenizer.add_special_tokens({"additional_special_tokens": [NOI]})
        with quiet_transformers():
            model.resize_token_embeddings(len(tokenizer))
    if not Units(tokenizer).in_pieces:
        raise AssayError(
            f"recipe: model={recipe.model}: insertion continues models with WordPieces, such as BERT; or set model to "
            f"one of {', '.join(SIZES)}"
        )
    adapt(model, recipe)
    return model, tokenizer


class Insertion:
    """One item per step of every reference."""

    def __init__(
        self, model: Any, tokenizer: Any, recipe: Recipe, train: Sequence[Example], valid: Sequence[Example],
        form: Form | None, judge: Judge | None,
    ) -> None:  # fmt: skip
        if form is not None:
            raise AssayError("train insertion: no form applies; the words of the input are the first sequence")
        if recipe.select != "loss":
            raise AssayError(f"recipe: select={recipe.select} does not apply to insertion; use loss")
        self.tokenizer, self.recipe, self.units = tokenizer, recipe, Units(tokenizer)
        self.frequencies = document_frequencies(split_words(text) for example in train for text in example.references)
        self.skipped = 0
        self.items, self.valid_items = self._items(train), self._items(valid)
        if not self.items or not self.valid_items:
            raise AssayError("train insertion: no reference has six words or more; there is nothing to learn from")

    @property
    def extra_files(self) -> dict[str, str]:
        return {}

    def notes(self) -> list[str]:
        short = f"{self.skipped} references have fewer than six words, or too many, and were left out"
        return [short] if self.skipped else []

    def _items(self, examples: Sequence[Example]) -> list[Item]:
        items = []
        for example in examples:
            kept = required(example) if example.input or example.source else ()
            for text in example.references:
                words = split_words(text)
                fits = len(self.units.row([START, *words])[0]) <= self.recipe.target_limit
                stay = [*kept, *self.units.split(words)]
                steps = progressive(words, self.frequencies, stay) if fits else []
                self.skipped += not steps
                items += [
                    Item(self.units.row(step.words)[0], self.units.labels(step.words, step.labels)) for step in steps
                ]
        return items

    def lengths(self) -> list[int]:
        return [len(item.source) for item in self.items]

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self._batch([self.items[i] for i in indices])

    def _batch(self, items: Sequence[Item]) -> dict[str, Any]:
        return {
            "input_ids": padded([item.source for item in items], self.tokenizer.pad_token_id),
            "attention_mask": padded([[1] * len(item.source) for item in items], 0),
            "labels": padded([item.target for item in items], IGNORED),
            "count": sum(len(item.target) for item in items),
        }

    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]:
        import torch

        inputs = {name: batch[name].to(model.device) for name in ("input_ids", "attention_mask")}
        logits = model(**inputs).logits
        summed = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), batch["labels"].to(model.device).flatten(), ignore_index=IGNORED,
            reduction="sum", label_smoothing=smoothing,
        )  # fmt: skip
        return summed, batch["count"]

    def validate(self, model: Any) -> dict[str, float]:
        total, count = 0.0, 0
        for start in range(0, len(self.valid_items), self.recipe.batch):
            loss, n = self.loss(model, self._batch(self.valid_items[start : start + self.recipe.batch]), 0.0)
            total, count = total + float(loss), count + n
        return {"loss": total / count}
