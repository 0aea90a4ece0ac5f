"""How a model is trained: every choice in one record, and the papers' own choices as presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from assay.errors import AssayError


@dataclass(frozen=True)
class Recipe:
    """The defaults suit a small model from scratch on a CPU."""

    model: str = "tiny"
    """`tiny` and `small` begin from chance with a vocabulary of the training texts; else a hub name or folder."""
    architecture: Literal["auto", "random-bert", "bert-decoder"] = "auto"
    """`random-bert` takes only the shape of the model, `bert-decoder` adds a decoder from chance to its encoder."""
    frozen: int = 0
    """Layers of an encoder that stay as they are, from below, with the embeddings under them."""
    empty: float = 1.0
    """For extractors: the share of windows without any span that are learned from."""
    vocabulary: int = 4000
    """Tokens to learn, for models from chance."""
    markers: bool = False
    """Add span markers to the vocabulary: FOMC's 16, or those of `schema`."""
    schema: str = ""
    """With markers: a file of categories and their markers."""
    prompt: str = "output"
    """For causal models: what stands around the input, a prompt of assay's or a TOML file."""
    copying: int = 0
    """Epochs of copying passages of the sources before the task itself; small models from chance need it."""
    epochs: int = 10
    """Times that every training example is seen."""
    max_steps: int = 0
    """Updates after which it ends in any case; no such end if 0."""
    batch: int = 16
    """Items of a step that are computed together."""
    accumulate: int = 1
    """Batches whose gradients make one update."""
    lr: float = 1e-3
    """The highest learning rate; up to it and down again in a line."""
    random_lr: float = 0.0
    """For parts that begin from chance beside pretrained ones; `lr` if 0."""
    embedding_lr: float = 0.0
    """For the tied embeddings; `lr` if 0."""
    warmup: float = 0.1
    """Share of the steps in which the rate goes up."""
    start: float = 0.01
    """The first rate, as a share of the highest."""
    end: float = 0.01
    """The last rate, likewise."""
    weight_decay: float = 0.01
    """How strongly AdamW draws weights to zero."""
    beta2: float = 0.999
    """How long AdamW remembers the size of gradients."""
    clip: float = 1.0
    """Greatest norm of a gradient; no limit if 0."""
    label_smoothing: float = 0.0
    """Share of the target's probability that is spread over all tokens."""
    dropout: float = 0.1
    """Share of the activations left out in training."""
    source_limit: int = 512
    """Most tokens of an input; only its document is cut."""
    target_limit: int = 256
    """Most tokens of a target."""
    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    """Numbers that are computed with; fp16 needs a GPU."""
    checkpointing: bool = False
    """Trade time for memory: activations are computed again on the way back."""
    select: Literal["loss", "rouge1", "rouge2", "map", "f1", "accuracy", "pearson", "spearman"] = "loss"
    """What decides which epoch is kept."""
    patience: int = 0
    """Epochs without a better one before it stops; 0 for never."""
    beams: int = 1
    """Beams of the texts that select judges."""
    min_new: int = 0
    """Fewest tokens of these texts."""
    max_new: int = 64
    """Most tokens of these texts."""
    valid_items: int = 0
    """Most items that these texts are made for; all if 0."""
    save_every: int = 0
    """Steps between checkpoints, besides those after each epoch."""
    damaged: int = 0
    """For classifiers: so many damaged copies of each sentence of the references, to tell from it; 0 takes the
    examples' own candidates."""
    filler: str = ""
    """For acceptability: a masked language model (folder or hub name) that makes those copies by filling gaps."""
    entailed: str = "assay-nli"
    """With a filler: the model of entailment that says whether a copy means the same."""
    labels: Literal["yes-no", "entailment"] = "yes-no"
    """What a classifier tells apart: candidates that fit or do not, or entailment, neutral and contradiction."""
    reads: Literal["apart", "together"] = "apart"
    """For similarity: two texts each alone, by the cosine of their vectors (a bi-encoder), or both at once (a
    cross-encoder)."""
    rank: int = 0
    """For entailment: of the low-rank updates of an encoder that stays as it is otherwise; trains all weights if 0."""
    seed: int = 0
    """Of the weights from chance, the order of items and dropout."""

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "accumulate", "source_limit", "target_limit", "vocabulary", "beams", "max_new"):
            if getattr(self, name) < 1:
                raise AssayError(f"recipe: {name}={getattr(self, name)} must be at least 1")
        for name in (
            "copying",
            "frozen",
            "max_steps",
            "patience",
            "min_new",
            "valid_items",
            "save_every",
            "rank",
            "weight_decay",
            "clip",
        ):
            if getattr(self, name) < 0:
                raise AssayError(f"recipe: {name}={getattr(self, name)} must be at least 0")
        if self.lr <= 0 or not 0 <= self.dropout < 1 or not 0 <= self.warmup < 1:
            raise AssayError("recipe: lr must be above 0, dropout and warmup in [0, 1)")
        if not 0 <= self.empty <= 1:
            raise AssayError(f"recipe: empty={self.empty} must be from 0 to 1")

    def factor(self, step: int, total: int) -> float:
        """The learning rate of a step (from 0) as a share of the highest: up, then down, both in a line."""
        up = round(self.warmup * total)
        if step < up:
            return self.start + (1 - self.start) * step / up
        return 1 - (1 - self.end) * (step - up) / max(1, total - 1 - up)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


FOMC: dict[str, Any] = {
    "markers": True, "batch": 4, "epochs": 10, "max_steps": 8000, "patience": 5, "target_limit": 512,
    "beams": 5, "min_new": 50, "max_new": 500, "weight_decay": 0.0,
}  # fmt: skip
EKS: dict[str, Any] = {
    "epochs": 30, "batch": 8, "lr": 5e-5, "warmup": 0.0, "end": 0.0, "weight_decay": 0.0, "source_limit": 1024,
    "select": "rouge1", "beams": 5, "min_new": 15, "max_new": 256, "seed": 1337,
}  # fmt: skip
SIMILARITY: dict[str, Any] = {
    "model": "minilm", "epochs": 4, "lr": 2e-4, "batch": 32, "end": 0.0, "source_limit": 128, "select": "spearman",
}  # fmt: skip

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "tiny": {"model": "tiny"},
    "small": {"model": "small", "lr": 5e-4},
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
    "gem-bart": {
        "model": "facebook/bart-base", "epochs": 3, "lr": 1e-4, "batch": 32, "warmup": 0.1, "source_limit": 32,
        "select": "rouge2", "beams": 4, "seed": 42,
    },
    "gem-t5": {
        "model": "t5-small", "epochs": 3, "lr": 1e-4, "batch": 32, "warmup": 0.1, "select": "rouge2", "beams": 4,
        "seed": 42,
    },
}  # fmt: skip
