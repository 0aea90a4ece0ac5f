"""Shared by the tests of metrics: small corpora, scores by name, the interpreted twins of the kernels."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from hypothesis import strategies as st

import assay
from assay.metrics import Context, Metric, Rows, resolve
from assay.models.cache import Cache
from assay.records import Example, Items
from assay.stats.resample import all_items
from assay.text._kernels import compiled

TEXT = st.text(max_size=60)
"""Any Unicode, without lone surrogates, which cannot be written to a file."""
WORDY = st.text(alphabet="aabbcdnst'’.,-_:/0159 \n&éß中ไก่", max_size=60)
"""Few letters, so that texts share words, with everything tokenizers treat specially."""


def items(
    outputs: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
    sources: Sequence[str] | None = None,
    language: str | None = None,
) -> Items:
    """Return items with the ids 0, 1, …"""
    examples = []
    for i in range(len(outputs)):
        own = references[i] if references is not None else ()
        examples.append(
            Example(
                id=str(i),
                references=(own,) if isinstance(own, str) else tuple(own),
                source=sources[i] if sources is not None else None,
                language=language,
            )
        )
    return Items(tuple(outputs), tuple(examples))


def statistics(metric: Metric, of: Items) -> Rows:
    """Return the rows of any metric, also of one that runs a model; the cache is empty."""
    with tempfile.TemporaryDirectory() as folder:
        return metric.compute(of, Context(Cache(Path(folder))))


def score(spec: str, *corpus: Any, language: str | None = None) -> dict[str, float]:
    """Return every score of a metric for outputs, references and sources, or for items."""
    ready = corpus[0] if isinstance(corpus[0], Items) else items(*corpus[:3], language=language)  # type: ignore[misc]
    (request,) = resolve(spec)
    rows = statistics(request.metric, ready)
    return {name: float(values[0]) for name, values in request.metric.fold(rows, all_items(len(ready))).items()}


def each(spec: str, *corpus: Any) -> dict[str, list[float]]:
    """Return the values of each item."""
    (request,) = resolve(spec)
    rows = statistics(request.metric, items(*corpus))
    return {name: values.tolist() for name, values in request.metric.per_example(rows).items()}


@lru_cache
def interpreted(name: str) -> ModuleType:
    """Return the same kernel, run from its source as plain Python."""
    home = {module.rpartition(".")[2]: module for module in compiled()}
    path = (Path(assay.__file__).parents[1] / home[name].replace(".", "/")).with_suffix(".py")
    spec = importlib.util.spec_from_file_location(f"interpreted_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"interpreted_{name}"] = module
    # a kernel that builds on another must get that one's interpreted twin, too
    text = path.read_text(encoding="utf-8")
    twins = {module: interpreted(needed) for needed, module in home.items() if f"{module} import" in text}
    with patch.dict(sys.modules, {**twins, "cython": None}):  # as where Cython is not installed
        spec.loader.exec_module(module)
    assert not module.COMPILED
    return module


def sacrebleus(signature: str) -> str:
    """Return what a signature shares with sacrebleu's: all but the name of the metric and the versions."""
    return "|".join(part for part in signature.split("|")[1:] if not part.startswith(("version:", "sacrebleu:")))


def without_version(metric: Any) -> str:
    """Return the signature of a metric of sacrebleu."""
    return str(metric.get_signature()).rpartition("|version:")[0]


def has_latex() -> bool:
    """Return whether tables in LaTeX can be compiled here: the smallest installation has no booktabs."""
    if not shutil.which("pdflatex") or not shutil.which("kpsewhich"):
        return False
    return subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode == 0


def saved_bert(folder: Path, classes: int) -> Path:
    """Save a small BERT with random weights that reads pairs."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    words = "[PAD] [UNK] [CLS] [SEP] [MASK] a cat sat the down dog dogs two ran home over wet grass x .".split()
    torch.manual_seed(1)
    config = BertConfig(vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=64, max_position_embeddings=24, num_labels=classes,
                        initializer_range=0.5)  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    vocabulary = {word: i for i, word in enumerate(words)}
    BertTokenizerFast(vocab=vocabulary, model_max_length=24).save_pretrained(folder)
    return folder
