"""Training options of a model."""

from __future__ import annotations

from collections.abc import Sequence
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
