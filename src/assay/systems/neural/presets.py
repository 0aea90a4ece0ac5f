"""Settings of published papers as presets of recipes. What a paper does not print keeps its default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FOMC: dict[str, Any] = {
    "markers": True, "batch": 4, "epochs": 10, "max_steps": 8000, "patience": 5, "target_limit": 512,
    "beams": 5, "min_new": 50, "max_new": 500, "weight_decay": 0.0,
}  # fmt: skip
EKS: dict[str, Any] = {
    "epochs": 30, "batch": 8, "lr": 5e-5, "warmup": 0.0, "end": 0.0, "weight_decay": 0.0, "source_limit": 1024,
    "select": "rouge1", "beams": 5, "min_new": 15, "max_new": 256, "seed": 1337,
}  # fmt: skip
GEM: dict[str, Any] = {
    "epochs": 3, "lr": 1e-4, "batch": 32, "warmup": 0.1, "select": "rouge2", "beams": 4, "seed": 42,
}  # fmt: skip
SIMILARITY: dict[str, Any] = {
    "model": "minilm", "epochs": 4, "lr": 2e-4, "batch": 32, "end": 0.0, "source_limit": 128, "select": "spearman",
}  # fmt: skip

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "tiny": {"model": "tiny"},
    "small": {"model": "small", "lr": 5e-4},
    "lstm": {"model": "tiny", "architecture": "lstm", "lr": 3e-3},
    "drs": {
        "model": "small", "architecture": "lstm", "characters": True, "lr": 2e-3, "epochs": 30, "batch": 24,
        "dropout": 0.3, "label_smoothing": 0.1, "end": 0.05,
    },
    "minilm": {
        "model": "minilm", "frozen": 3, "epochs": 5, "lr": 2e-4, "batch": 8, "source_limit": 256, "precision": "bf16",
        "select": "f1",
    },
    "fomc-transformer": FOMC | {"model": "bert-base-uncased", "architecture": "random-bert", "lr": 1e-4},
    "fomc-bert": FOMC
    | {"model": "bert-base-uncased", "architecture": "bert-decoder", "lr": 1e-5, "random_lr": 1e-4},
    "fomc-bart": FOMC
    | {
        "model": "facebook/bart-large", "batch": 2, "accumulate": 2, "epochs": 20, "max_steps": 16000,
        "lr": 1e-5, "embedding_lr": 1e-6,
    },
    "eks-bart": EKS | {"model": "facebook/bart-large"},
    "eks-t5": EKS | {"model": "t5-large"},
    "eks-pegasus": EKS | {"model": "google/pegasus-large"},
    "tesa-generative": {
        "model": "facebook/bart-large-cnn", "epochs": 6, "lr": 5e-6, "warmup": 0.03, "start": 0.0, "end": 0.0,
        "label_smoothing": 0.1, "weight_decay": 0.01, "clip": 0.1, "source_limit": 1024, "target_limit": 32,
        "batch": 4, "precision": "fp16",
    },
    "tesa-discriminative": {
        "model": "facebook/bart-large-cnn", "epochs": 6, "lr": 2e-5, "batch": 8, "warmup": 0.06, "start": 0.0,
        "end": 0.0, "beta2": 0.98, "clip": 0.0, "source_limit": 1024, "select": "map",
    },
    "fomc-filter": {
        "model": "bert-base-uncased", "epochs": 10, "lr": 1e-3, "batch": 5, "source_limit": 512, "select": "f1",
        "patience": 5,
    },
    "nli": {
        "model": "minilm", "labels": "entailment", "rank": 32, "epochs": 3, "lr": 1e-3, "batch": 32, "warmup": 0.06,
        "end": 0.0, "label_smoothing": 0.05, "source_limit": 128, "precision": "bf16", "select": "loss",
        "save_every": 100, "seed": 1,
    },
    "acceptability": {
        "model": "minilm", "damaged": 1, "epochs": 3, "lr": 1e-4, "batch": 32, "warmup": 0.06, "end": 0.0,
        "source_limit": 96, "select": "f1", "save_every": 100,
    },
    "bi": SIMILARITY,
    "cross": SIMILARITY | {"reads": "together", "lr": 1e-4},
    "narrative-gpt2": {
        "model": "gpt2-medium", "epochs": 1, "lr": 5e-5, "batch": 4, "warmup": 0.0, "end": 0.0, "weight_decay": 0.0,
        "source_limit": 512, "target_limit": 256, "max_new": 256, "prompt": "narrative", "seed": 42,
    },
    "gem-bart": GEM | {"model": "facebook/bart-base", "source_limit": 32},
    "gem-t5": GEM | {"model": "t5-small"},
    "gem-mt5": GEM | {"model": "google/mt5-small"},
    "gem-mbart": GEM | {"model": "facebook/mbart-large-cc25", "lr": 3e-5},
    "gem-pegasus": GEM | {"model": "google/pegasus-xsum", "lr": 3e-5, "batch": 8},
    "st2t-bart": {
        "model": "facebook/bart-large", "lr": 5e-6, "weight_decay": 1e-5, "dropout": 0.3, "source_limit": 256,
        "target_limit": 256,
    },
    "dsi-t5": {
        "model": "t5-base", "masked": 10, "epochs": 10, "batch": 16, "lr": 1e-3, "warmup": 0.0, "end": 1.0,
        "weight_decay": 0.0, "select": "bleu", "beams": 5, "max_new": 64,
    },
    "simplener": {
        "model": "simplener", "epochs": 20, "lr": 1.1e-4, "dropout": 0.2, "vocabulary": 30000, "beams": 8,
        "weight_decay": 0.0,
    },
    "pointer-bert": {
        "model": "bert-base-multilingual-cased", "epochs": 40, "batch": 64, "accumulate": 2, "lr": 1e-5, "warmup": 0.0,
        "end": 1.0, "seed": 1,
    },
    "perchat-lstm": {
        "model": "medium", "architecture": "lstm", "copies": False, "vocabulary": 30000, "lr": 1e-3, "tucker_rank": 50,
        "mix": 0.2,
    },
    "geppetto": {
        "model": "LorenzoDeMattei/GePpeTto", "lr": 2e-5, "batch": 8, "patience": 5, "warmup": 0.0, "end": 1.0,
        "weight_decay": 0.0, "prompt": "plain",
    },
    "gem-tgen": {
        "model": "tiny", "architecture": "lstm", "copies": False, "epochs": 20, "lr": 5e-4, "batch": 20, "warmup": 0.0,
        "end": 1.0, "beams": 10, "select": "bleu", "weight_decay": 0.0,
    },
}  # fmt: skip
