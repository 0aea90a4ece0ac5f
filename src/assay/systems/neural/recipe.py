"""Training options of a model, with the settings of published papers as presets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

from assay.errors import AssayError
from assay.inputs.masking import Masking
from assay.seeds import rng_for

T = TypeVar("T")


@dataclass(frozen=True)
class Recipe:
    """Training options. The defaults suit a small model trained from scratch on a CPU."""

    model: str = "tiny"
    """`tiny`, `small` or `medium` (random weights, vocabulary from the training texts), a hub name or a folder."""
    architecture: Literal["auto", "random-bert", "bert-decoder", "lstm"] = "auto"
    """`random-bert` uses only the architecture, `bert-decoder` adds a randomly initialised decoder. `lstm` with `tiny`
    or `small`: LSTM encoder and decoder with attention."""
    copies: bool = True
    """For `lstm`: also copy tokens of the input (pointer-generator)."""
    frozen: int = 0
    """Number of lowest encoder layers to freeze, with the embeddings (default: 0)."""
    empty: float = 1.0
    """For extractors: share of windows without a span that are used in training."""
    vocabulary: int = 4000
    """Vocabulary size of `tiny` and `small`."""
    characters: bool = False
    """For `tiny` and `small`: read and write texts by character; concepts and roles of an input stay whole."""
    markers: bool = False
    """Add span markers to the vocabulary: FOMC's 16, or those of `schema`."""
    schema: str = ""
    """With markers: file of categories and their markers."""
    prompt: str = "output"
    """For causal models: built-in prompt or TOML file."""
    copying: int = 0
    """Epochs of copy pretraining on passages of the sources (default: 0); small random models need it."""
    masked: int = 0
    """Epochs of masked pre-training on the references (default: 0)."""
    masking: Masking = "random"
    """What masked pre-training hides: random spans, entities or predicates of triples, values of slots, concepts."""
    mask_rate: float = 0.15
    """Share of words that `masking=random` hides."""
    draws: int = 1
    """Different masks per text, for `masking=random`."""
    corpus: str = ""
    """Other examples (JSONL, their references or sources) for masked pre-training."""
    reward: str = ""
    """Metric of single texts (perception, token_f1, …) that rewards texts drawn in training: policy gradient next to
    the likelihood of the references."""
    reward_model: str = ""
    """Folder of the model of `reward`, e.g. of `assay system train perception`."""
    reward_weight: float = 1.0
    """Weight of the policy gradient."""
    epochs: int = 10
    """Maximum number of epochs."""
    max_steps: int = 0
    """Maximum number of updates (default: 0, no limit)."""
    batch: int = 16
    """Batch size in items."""
    accumulate: int = 1
    """Number of batches per update (gradient accumulation)."""
    lr: float = 1e-3
    """Peak learning rate, with linear warm-up and decay."""
    random_lr: float = 0.0
    """Learning rate of randomly initialised parts of a pretrained model (default: 0, `lr`)."""
    embedding_lr: float = 0.0
    """Learning rate of the tied embeddings (default: 0, `lr`)."""
    warmup: float = 0.1
    """Share of steps for warm-up."""
    start: float = 0.01
    """First learning rate, as a share of the peak."""
    end: float = 0.01
    """Last learning rate, as a share of the peak."""
    weight_decay: float = 0.01
    """Weight decay of AdamW."""
    beta2: float = 0.999
    """Second-moment decay rate of AdamW."""
    clip: float = 1.0
    """Maximum gradient norm; 0: no clipping."""
    label_smoothing: float = 0.0
    """Label smoothing: share of the target probability spread over all tokens."""
    dropout: float = 0.1
    """Dropout rate."""
    source_limit: int = 512
    """Maximum number of input tokens; only the document is truncated."""
    target_limit: int = 256
    """Maximum number of target tokens."""
    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    """Floating-point precision; fp16 needs a GPU."""
    checkpointing: bool = False
    """Gradient checkpointing: recompute activations to save memory."""
    select: str = "loss"
    """Validation metric that selects the best epoch: loss; any metric of texts (bleu, sari, rouge1, slot_error, …) or
    reward for generators; map, f1, accuracy, pearson or spearman for the others."""
    patience: int = 0
    """Epochs without improvement before early stopping (default: 0, never)."""
    beams: int = 1
    """Number of beams for validation texts."""
    min_new: int = 0
    """Minimum number of tokens of validation texts."""
    max_new: int = 64
    """Maximum number of tokens of validation texts."""
    valid_items: int = 0
    """Maximum number of items for validation texts (default: 0, all)."""
    save_every: int = 0
    """Steps between checkpoints, in addition to one per epoch."""
    damaged: int = 0
    """For classifiers: number of corrupted copies per reference sentence as negatives (default: 0, the candidates of
    the examples)."""
    filler: str = ""
    """For acceptability: masked language model (folder or hub name) that writes the copies by infilling."""
    entailed: str = "assay-nli"
    """With a filler: entailment model that decides whether a copy keeps the meaning."""
    labels: Literal["yes-no", "entailment"] = "yes-no"
    """Classes of a classifier: yes and no, or entailment, neutral and contradiction."""
    reads: Literal["apart", "together"] = "apart"
    """For similarity: `apart` is a bi-encoder (cosine of two vectors), `together` a cross-encoder."""
    rank: int = 0
    """For entailment: rank of low-rank updates of a frozen encoder (default: 0, train all weights)."""
    rows: int = 0
    """Number of training examples, drawn with the seed (default: 0, all)."""
    share: float = 1.0
    """Share of the training examples, drawn with the seed."""
    seed: int = 0
    """Random seed of initial weights, item order and dropout."""

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "accumulate", "source_limit", "target_limit", "vocabulary", "beams", "max_new",
                     "draws"):  # fmt: skip
            if getattr(self, name) < 1:
                raise AssayError(f"recipe: {name}={getattr(self, name)} must be at least 1")
        for name in ("copying", "masked", "frozen", "max_steps", "patience", "min_new",
                     "valid_items", "save_every", "rank", "rows", "weight_decay", "clip"):  # fmt: skip
            if getattr(self, name) < 0:
                raise AssayError(f"recipe: {name}={getattr(self, name)} must be at least 0")
        if self.lr <= 0 or not 0 <= self.dropout < 1 or not 0 <= self.warmup < 1:
            raise AssayError("recipe: lr must be above 0, dropout and warmup in [0, 1)")
        if not 0 < self.mask_rate < 1:
            raise AssayError(f"recipe: mask_rate={self.mask_rate} must be between 0 and 1")
        if self.corpus and not self.masked:
            raise AssayError("recipe: corpus is read by masked pre-training; set masked=10")
        if self.reward_weight <= 0:
            raise AssayError(f"recipe: reward_weight={self.reward_weight} must be above 0")
        if (self.reward_model or self.select == "reward") and not self.reward:
            raise AssayError("recipe: reward is missing; name a metric, e.g. reward=perception")
        if not 0 <= self.empty <= 1:
            raise AssayError(f"recipe: empty={self.empty} must be from 0 to 1")
        if not 0 < self.share <= 1 or (self.rows and self.share < 1):
            raise AssayError("recipe: share must be above 0 and at most 1; set rows or share, not both")

    def factor(self, step: int, total: int) -> float:
        """Return the learning rate of a step (from 0) as a share of the peak: linear warm-up, then linear decay."""
        up = round(self.warmup * total)
        if step < up:
            return self.start + (1 - self.start) * step / up
        return 1 - (1 - self.end) * (step - up) / max(1, total - 1 - up)

    def drawn(self, train: Sequence[T]) -> list[T]:
        """Return the training examples of the regime: `rows` or `share` of them, in their order."""
        count = self.rows or max(1, round(self.share * len(train)))
        if count > len(train):
            raise AssayError(f"recipe: rows={count}, but there are {len(train)} training examples")
        if count == len(train):
            return list(train)
        return [train[i] for i in sorted(rng_for(self.seed, "rows").sample(range(len(train)), count))]

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
