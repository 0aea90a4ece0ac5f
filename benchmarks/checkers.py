"""Checkers of factuality against their original packages, on randomly initialised weights of the true architectures.

python -m benchmarks checkers

Needs, in an environment of its own and without their dependencies: alignscore-SpeedOfMagic, pytorch-lightning, summac,
lettucedetect. A package that is missing is skipped. The forward passes of HHEM and MiniCheck, which are on no package
index, are written again here as their model cards have them.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import assay
from assay.metrics import resolve
from assay.metrics.faithfulness.conversion import convert
from assay.metrics.faithfulness.hhem import PROMPT
from assay.models.context import Context
from assay.records.types import Passage
from assay.text.sentences import split_sentences

SOURCE = (
    "The cat sat here and the mayor signed the contract. Two dogs ran home in the rain yesterday. "
    "A storm damaged the crane."
)
OUTPUTS = (
    "The cat sat here in the rain. Two dogs ran home yesterday.", "A storm damaged the long contract.",
    "The mayor ran home. The crane sat here in the port.",
)  # fmt: skip
SIZES = {
    "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 128,
    "initializer_range": 0.4,
}  # fmt: skip
NLI = {0: "entailment", 1: "contradiction", 2: "neutral"}
Compared = tuple[list[float], list[float]]


def tokenizer(folder: Path, pair: str, single: str, length: int) -> Any:
    from tokenizers import processors

    from assay.systems.neural.build_model import make_tokenizer

    made = make_tokenizer([SOURCE, *OUTPUTS, "predict: 0", "1"], 600, [])
    special = [(token, made.convert_tokens_to_ids(token)) for token in ("<s>", "</s>")]
    made.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=special
    )
    made.model_max_length = length
    made.save_pretrained(folder)
    return made


def roberta_tokenizer(folder: Path, length: int = 128) -> Any:
    return tokenizer(folder, "<s> $A </s> </s> $B </s>", "<s> $A </s>", length)


def ours(spec: str, part: str) -> list[float]:
    examples = [assay.Example(id=str(i), source=SOURCE) for i in range(len(OUTPUTS))]
    result = assay.score({str(i): text for i, text in enumerate(OUTPUTS)}, examples=examples, metrics=spec)
    if result.failed or result.skipped:
        raise RuntimeError(f"{result.failed} {result.skipped}")
    return [float(row[part]) for row in result.per_example.to_dicts()]


def sentences(text: str) -> list[str]:
    return split_sentences(text, "multilingual", "en")


def alignscore(folder: Path) -> Compared:
    import torch
    from transformers import RobertaConfig, RobertaForMaskedLM

    sys.modules.setdefault("spacy", SimpleNamespace(load=lambda _: None))  # type: ignore[arg-type]
    lightning: Any = importlib.import_module("pytorch_lightning")
    inference: Any = importlib.import_module("alignscore.inference")
    inference.sent_tokenize, inference.spacy = sentences, SimpleNamespace(load=lambda _: None)
    base = folder / "my-roberta"
    made = roberta_tokenizer(base)
    config = RobertaConfig(vocab_size=len(made), max_position_embeddings=140, type_vocab_size=1, **SIZES)
    RobertaForMaskedLM(config).save_pretrained(base)
    network = importlib.import_module("alignscore.model").BERTAlignModel(model=str(base)).eval()
    for parameter in network.tri_layer.parameters():
        torch.nn.init.normal_(parameter, 0, 1.0)
    trainer = lightning.Trainer(accelerator="cpu", max_epochs=0, logger=False, enable_checkpointing=False)
    trainer.strategy.connect(network)
    trainer.save_checkpoint(folder / "a.ckpt")
    reader = inference.Inferencer(None, model=str(base), device="cpu", verbose=False)
    reader.model = network
    theirs = [float(reader.inference_per_example(SOURCE, text)) for text in OUTPUTS]
    convert("alignscore", folder / "a.ckpt", str(base), folder / "made")
    return theirs, ours(f"alignscore:model={folder / 'made'}", "alignscore")


def _summac(folder: Path) -> Any:
    from transformers import AlbertConfig, AlbertForSequenceClassification, AutoTokenizer

    package: Any = importlib.import_module("summac.model_summac")
    made = roberta_tokenizer(folder)
    config = AlbertConfig(
        vocab_size=len(made), embedding_size=32, max_position_embeddings=140, num_labels=3, id2label=NLI,
        label2id={name: i for i, name in NLI.items()}, **SIZES,
    )  # fmt: skip
    AlbertForSequenceClassification(config).save_pretrained(folder)
    package.nltk.tokenize.sent_tokenize = sentences
    plain: Any = AutoTokenizer.from_pretrained(folder)

    class Imager(package.SummaCImager):  # type: ignore[misc]
        """The original, but for the name of its weights and a call that newer versions of transformers lack."""

        def load_nli(self) -> None:
            def encode(pairs: Any, **_: Any) -> Any:
                both = [list(pair) for pair in pairs]
                return plain(both, padding=True, truncation=True, max_length=128, return_tensors="pt")

            self.tokenizer = SimpleNamespace(batch_encode_plus=encode)
            self.model = AlbertForSequenceClassification.from_pretrained(folder).eval()

    package.SummaCImager = Imager
    return package


def summac(folder: Path) -> Compared:
    made = _summac(folder).SummaCZS(granularity="sentence", model_name="vitc", device="cpu", imager_load_cache=False)
    theirs = made.score([SOURCE] * len(OUTPUTS), OUTPUTS)["scores"]
    return list(map(float, theirs)), ours(f"summac:model={folder}", "summac")


def summac_conv(folder: Path) -> Compared:
    import torch

    made = _summac(folder).SummaCConv(
        models=["vitc"], bins="percentile", granularity="sentence", device="cpu", imager_load_cache=False
    )
    torch.save(made.state_dict(), folder / "conv.bin")
    convert("summac", folder / "conv.bin", "", folder / "conv.safetensors")
    theirs = made.score([SOURCE] * len(OUTPUTS), OUTPUTS)["scores"]
    spec = f"summac:model={folder}:conv={folder / 'conv.safetensors'}"
    return list(map(float, theirs)), ours(spec, "summac.conv")


def lettucedetect(folder: Path) -> Compared:
    """Tokens of both prompts; the contexts are read together (400 tokens) and in groups (150)."""
    from transformers import ModernBertConfig, ModernBertForTokenClassification

    detector: Any = importlib.import_module("lettucedetect.detectors.transformer").TransformerDetector
    theirs: list[float] = []
    mine: list[float] = []
    for limit in (400, 150):
        own = folder / str(limit)
        made = roberta_tokenizer(own, limit)
        config = ModernBertConfig(
            vocab_size=len(made), max_position_embeddings=limit, num_labels=2, pad_token_id=made.pad_token_id,
            bos_token_id=0, eos_token_id=2, cls_token_id=0, sep_token_id=2, **SIZES,
        )  # fmt: skip
        ModernBertForTokenClassification(config).save_pretrained(own)
        reader = detector(str(own), max_length=limit, device="cpu")
        metric: Any = resolve([f"lettucedetect:model={own}"])[0].metric
        contexts = tuple(Passage(id=text[:3], text=text) for text in (SOURCE, "The mayor signed. " * 3, "Rain fell."))
        asked = assay.Example(id="x", source="Who ran home in the rain?", contexts=contexts)
        for text in OUTPUTS:
            for example, passages in (
                (asked, [one.text for one in contexts]),
                (assay.Example(id="y", source=SOURCE), [SOURCE]),
            ):
                question = asked.source if example is asked else None
                given = {"context": passages, "question": question, "answer": text}
                theirs += [one["prob"] for one in reader.predict(**given, output_format="tokens")[:-1]]  # the end token
                mine += metric.tokens(text, example, Context())[0].tolist()
                spans = [(one["start"], one["end"]) for one in reader.predict(**given, output_format="spans")]
                if spans != [span[:2] for span in metric.spans(text, example, Context())]:
                    raise RuntimeError(f"spans differ: {spans}")
    return theirs, mine


def _t5(folder: Path) -> Any:
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    made = tokenizer(folder, "$A </s> $B </s>", "$A </s>", 2048)
    config = T5Config(
        vocab_size=len(made), d_model=64, d_kv=16, d_ff=128, num_layers=3, num_heads=4, feed_forward_proj="gated-gelu",
        tie_word_embeddings=False, decoder_start_token_id=0, pad_token_id=made.pad_token_id, eos_token_id=2,
    )  # fmt: skip
    model = T5ForConditionalGeneration(config).eval()
    torch.nn.init.normal_(model.lm_head.weight, 0, 0.05)
    model.save_pretrained(folder)
    return model


def hhem(folder: Path) -> Compared:
    import torch
    from safetensors.torch import save_file
    from transformers import AutoTokenizer, T5Config, T5ForTokenClassification

    _t5(folder)
    model: Any = T5ForTokenClassification(T5Config.from_pretrained(folder, num_labels=2)).eval()
    torch.nn.init.normal_(model.classifier.weight, 0, 0.05)
    state = {f"t5.{name}": each.clone() for name, each in model.state_dict().items() if "embed_tokens" not in name}
    save_file(state, str(folder / "published.safetensors"))
    prompts = [PROMPT.format(source=SOURCE, claim=text) for text in OUTPUTS]
    read = AutoTokenizer.from_pretrained(folder)(prompts, return_tensors="pt", padding=True)
    with torch.no_grad():
        logits = model(input_ids=read["input_ids"], attention_mask=read["attention_mask"]).logits[:, 0, :]
    convert("hhem", folder / "published.safetensors", str(folder), folder / "made")
    return torch.softmax(logits, -1)[:, 1].tolist(), ours(f"hhem:model={folder / 'made'}", "hhem")


def minicheck(folder: Path) -> Compared:
    import torch
    from transformers import AutoTokenizer

    model = _t5(folder)
    plain: Any = AutoTokenizer.from_pretrained(folder)
    read = plain([f"predict: {SOURCE}</s>{text}" for text in OUTPUTS], padding=True, return_tensors="pt")
    start = torch.zeros((len(OUTPUTS), 1), dtype=torch.long)
    with torch.no_grad():
        logits = model(
            input_ids=read["input_ids"], attention_mask=read["attention_mask"], decoder_input_ids=start
        ).logits.squeeze(1)
    classes = [plain(answer, add_special_tokens=False)["input_ids"][0] for answer in "01"]
    return torch.softmax(logits[:, classes], -1)[:, 1].tolist(), ours(f"minicheck:model={folder}", "minicheck")


CHECKERS: tuple[Callable[[Path], Compared], ...] = (alignscore, summac, summac_conv, lettucedetect, hhem, minicheck)


def differences() -> Iterator[tuple[str, str]]:
    """Yield what was compared, and the largest difference."""
    import torch

    for checker in CHECKERS:
        torch.manual_seed(5)
        with tempfile.TemporaryDirectory() as folder:
            try:
                theirs, mine = checker(Path(folder))
            except ModuleNotFoundError as missing:
                yield checker.__name__, f"skipped: {missing}"
                continue
        spread = f"values from {min(theirs):.3f} to {max(theirs):.3f}"
        yield checker.__name__, f"{np.abs(np.subtract(theirs, mine)).max():.1e}   {len(theirs)} {spread}"


def write() -> None:
    for name, difference in differences():
        print(f"  {name:<16} {difference}", flush=True)
