"""Every recipe that `assay system list train` names, run to its end with a small stand-in for its weights: what is
saved can be loaded from disk again, and answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.datasets.synthetic_entities import synthetic_entities
from assay.execution.training.kinds import read_recipe, train_model
from assay.models.cache import Cache
from assay.models.context import Context
from assay.models.extractor import Extractor
from assay.models.load import load, loaded
from assay.records import Example
from assay.systems import system
from assay.systems.neural.build_model import SIZES, make_tokenizer
from assay.systems.neural.presets import PRESETS

KINDS = {
    "tesa-discriminative": "classifier", "fomc-filter": "filter", "narrative-gpt2": "causal", "minilm": "extractor",
    "geppetto": "causal",
}  # fmt: skip
"""What a recipe trains where it is no sequence-to-sequence model."""
ELSEWHERE = ("nli", "bi", "cross", "acceptability", "pointer-bert", "perchat-lstm")
"""Recipes for pairs and for damaged texts, read back from disk in test_learned_pairs.py and test_acceptability.py, and
of insertion and persons, below and in test_insertion.py and test_personal.py."""
MARKED = "[STD_SENTENCE_START] The [ACTOR_START] board [ACTOR_END] met . [STD_SENTENCE_END]"
SMALL = "epochs=1:max_steps=2:batch=2:accumulate=1:source_limit=60:target_limit=24:max_new=4:min_new=0:valid_items=2"


def shape(name: str, words: int) -> Any:
    """A model from chance with the architecture of published weights."""
    import transformers as t

    sizes = {"vocab_size": words, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    layers = {
        "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
        "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16, "max_position_embeddings": 128,
    }  # fmt: skip
    if "bert" in name or name == "minilm":
        depth = 4 if name == "minilm" else 1
        sides = {"hidden_size": 16, "num_hidden_layers": depth, "num_attention_heads": 2, "intermediate_size": 16}
        return t.BertModel(t.BertConfig(**sizes, **sides))
    if "bart" in name:
        return t.BartForConditionalGeneration(t.BartConfig(**sizes, **layers, decoder_start_token_id=2))
    if "pegasus" in name:
        config = t.PegasusConfig(**sizes, **layers, decoder_start_token_id=1)
        return t.PegasusForConditionalGeneration(config)
    if "gpt2" in name or "GePpeTto" in name:
        return t.GPT2LMHeadModel(t.GPT2Config(**sizes, n_embd=16, n_layer=1, n_head=2, n_positions=128))
    config = t.T5Config(**sizes, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=1)
    return t.T5ForConditionalGeneration(config)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory, one_thread: None) -> Callable[[str], Path]:
    """The folder that stands for published weights, made when it is first asked for."""
    home = tmp_path_factory.mktemp("weights")

    def find(name: str) -> Path:
        folder = home / name.replace("/", "-")
        if not folder.exists():
            import torch

            torch.manual_seed(0)
            tokenizer = make_tokenizer(["The board met and spoke of ports, rates and towns."] * 4, 300, [])
            shape(name, len(tokenizer)).save_pretrained(folder)
            tokenizer.save_pretrained(folder)
        return folder

    return find


def examples_for(kind: str) -> list[Example]:
    if kind == "classifier":
        return synthetic_entities(200, seed=1)[:4]
    if kind == "extractor":
        marked = {"kind": "annotated", "text": "The board met", "spans": [{"category": "who", "start": 4, "end": 9}]}
        return [Example(id=str(i), input=marked) for i in range(4)]
    if kind == "filter":
        keep, drop = "The rate rose to {} per cent .", "Lunch was served at {0} o'clock in the hall . " * 2
        return [
            Example(id=str(i), source="\n".join((keep.format(i), *(drop.format(j) for j in range(i, i + 70)))),
                    references=(keep.format(i),))
            for i in range(3)
        ]  # fmt: skip
    return [Example(id=str(i), source=f"The board met at {i}.", references=(MARKED,)) for i in range(4)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("insertion:pointer-bert", {"epochs": 40, "batch": 64, "lr": 1e-5}),
        ("personal:perchat-lstm", {"tucker_rank": 50, "mix": 0.2, "model": "medium"}),
        ("self-training:st2t-bart", {"lr": 5e-6, "rounds": 2}),
        ("simplification:simplener", {"lr": 1.1e-4, "nbchars": "0.95", "select": "sari"}),
    ],
)
def test_recipes_of_other_kinds(name: str, values: dict[str, object]) -> None:
    assert values.items() <= read_recipe(name)[1].to_dict().items()


def test_sizes_of_the_papers() -> None:
    """The decoder of personalised responses has 512 units, the simplifier six layers of 300 with 2,048 inside."""
    from assay.systems.neural.build_model import make_model

    tokenizer = make_tokenizer(["The board met."] * 4, 300, [])
    lstm = make_model(read_recipe("seq2seq:lstm:model=medium")[1], tokenizer)
    assert (lstm.config.hidden_size, lstm.config.num_layers) == (512, 2)
    config = make_model(read_recipe("seq2seq:simplener")[1], tokenizer).config
    assert (config.d_model, config.num_layers, config.num_decoder_layers, config.d_ff) == (300, 6, 6, 2048)


@pytest.mark.parametrize("preset", [preset for preset in PRESETS if preset not in ELSEWHERE])
def test_a_recipe_ends_in_a_model_that_can_be_loaded_and_answers(
    preset: str, weights: Callable[[str], Path], tmp_path: Path
) -> None:
    kind = KINDS.get(preset, "seq2seq")
    published = str(PRESETS[preset]["model"])
    model = published if published in SIZES else weights(published)
    _, recipe = read_recipe(f"{kind}:{preset}:{SMALL}:model={model}:vocabulary=300:precision=fp32")
    given = examples_for(kind)
    train_model(kind, recipe, given, given, tmp_path / "m", None, lambda line: None)
    loaded.cache_clear()  # from disk, not from what training left behind
    if kind == "extractor":
        found = Extractor(str(tmp_path / "m")).extract(["The board met"], Context(Cache(tmp_path / "cache")))
        assert {span.label for span in found[0]} <= {"who"}
        return
    if kind in ("classifier", "filter"):
        scores = next(system(f"classifier:{tmp_path / 'm'}").classify(given[:1], [["ports", "towns"]]))
        assert all(0 <= score <= 1 for score in scores)
        return
    answers = list(system(f"hf:{tmp_path / 'm'}:max_new=4:beams=2").generate(given[:2]))
    assert [answer.id for answer in answers] == ["0", "1"]
    model, tokenizer, _ = load(str(tmp_path / "m"))
    assert model.get_output_embeddings().weight.shape[0] == len(tokenizer)
    if recipe.markers:
        assert {"[ACT_START]", "[SCOPE_END]", "<sent>"} <= set(tokenizer.get_vocab())
