"""A ranker of candidates that is learned in seconds: a frozen encoder, and a small network between its vectors.

Input sentences and candidates are encoded once. A candidate is scored by the sentences that support it, after a learned
low-rank change of the space in which they are compared, and by how often it was right in training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log1p
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.context import Context
from assay.models.devices import one_thread
from assay.models.encoder import Encoder
from assay.records.inputs import Candidates, read_input
from assay.records.types import Example
from assay.stats.retrieval import average_precision, gold_ranks
from assay.systems.base import System
from assay.systems.neural.encode import form_of
from assay.text.sentences import split_sentences

Floats = NDArray[np.float32]
TOGETHER = 16
"""Number of examples per update."""
SHARPNESS = 10.0
"""Initial factor of the cosines, whose differences are small."""


class Ranking(NamedTuple):
    """One example: vectors of sentences and candidates, log counts of the candidates, and labels."""

    sentences: Floats
    candidates: Floats
    counts: Floats
    labels: list[int]


@dataclass(eq=False)
class Ranker(System):
    """Ranker of candidates over the vectors of a frozen encoder."""

    name: ClassVar = "ranker"
    about: ClassVar = "a discriminative ranker over the vectors of a frozen encoder (minilm), learned in seconds"
    abilities: ClassVar = ("classify",)
    argument: ClassVar = "model"
    extra: ClassVar = "neural"
    trained: ClassVar = True

    model: str = "minilm"
    """Encoder: `minilm`, a model folder, or a Hugging Face name."""
    rank: int = 32
    """Rank of the learned change of the space."""
    epochs: int = 30
    """Number of epochs; the best by MAP on the validation examples is kept (`--valid`; default: the last quarter of
    the training examples)."""
    lr: float = 2e-3
    """Learning rate."""
    counts: bool = True
    """Use how often a candidate was right in training, without the example itself."""

    valid: list[Example] = field(default_factory=list, init=False)
    known: Counter[str] = field(default_factory=Counter, init=False)
    weights: list[Floats] = field(default_factory=list, init=False)
    curve: list[float] = field(default_factory=list, init=False)
    """Validation MAP after each epoch."""
    _vectors: dict[str, Floats] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.require("rank", 1)
        self.require("epochs", 1)
        self.require("lr", 1e-9)

    def why_not(self) -> str | None:
        return Encoder(self.model).why_not()

    def fingerprint(self) -> list[Any]:
        return [*super().fingerprint(), Encoder(self.model).label]

    def usage(self) -> dict[str, Any]:
        if not self.curve:
            return {}
        return {"best_epoch": int(np.argmax(self.curve)) + 1, "valid_map": round(max(self.curve), 4)}

    def choose_by(self, valid: Sequence[Example]) -> None:
        self.valid = list(valid)

    def learn(self, train: Sequence[Example]) -> None:
        """Train; the epoch is selected on the validation examples, or on a held-out quarter."""
        if len(train) < 4:
            raise AssayError(f"system ranker: {len(train)} training examples are too few; give at least 4")
        self.known = (
            Counter(text for example in train for text in set(example.references)) if self.counts else Counter()
        )
        cut = len(train) if self.valid else len(train) - len(train) // 4
        self._read([*train, *self.valid])
        learn = [self._ranking(example, own=True) for example in train[:cut]]
        check = [self._ranking(example, own=True) for example in train[cut:]]
        check += [self._ranking(example, own=False) for example in self.valid]
        with one_thread():  # products are small: more threads only wait for each other
            self._train(learn, check)

    def _train(self, learn: Sequence[Ranking], check: Sequence[Ranking]) -> None:
        import torch

        size = learn[0].candidates.shape[1]
        random = torch.Generator().manual_seed(self.seed)
        values = [torch.randn(size, self.rank, generator=random) * 0.02 for _ in range(2)]
        values += [torch.tensor([SHARPNESS]), torch.tensor([1.0])]
        parameters = [value.requires_grad_() for value in values]
        optimiser = torch.optim.AdamW(parameters, lr=self.lr, weight_decay=0.01)
        best, self.curve = -1.0, []
        for _ in range(self.epochs):
            order = torch.randperm(len(learn), generator=random).tolist()
            for start in range(0, len(order), TOGETHER):
                loss = _loss([learn[place] for place in order[start : start + TOGETHER]], parameters)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
            with torch.no_grad():
                precisions = [_precision(_scores(one, parameters), one.labels) for one in check]
            self.curve.append(float(np.mean(precisions)))
            if self.curve[-1] > best:
                best, self.weights = self.curve[-1], [value.detach().numpy().copy() for value in parameters]

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        import torch

        self._read(examples)
        parameters = [torch.from_numpy(value) for value in self.weights]
        for example in examples:
            with torch.no_grad():
                yield [float(score) for score in _scores(self._ranking(example, own=False), parameters)]

    def _sentences(self, example: Example) -> list[str]:
        text = form_of(example, self.form).render(example)
        return split_sentences(text, "multilingual", example.language) or [text]

    def _read(self, examples: Sequence[Example]) -> None:
        """Encode all new texts of the examples at once."""
        texts = dict.fromkeys(
            text for example in examples
            for text in (*self._sentences(example), *read_input(example, Candidates).candidates)
        )  # fmt: skip
        new = [text for text in texts if text not in self._vectors]
        if new:
            vectors = Encoder(self.model).vectors(new, Context())
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            self._vectors |= zip(new, (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32), strict=True)

    def _ranking(self, example: Example, own: bool) -> Ranking:
        ranking = read_input(example, Candidates)
        counts = [self.known[text] - (own and text in example.references) for text in ranking.candidates]
        return Ranking(
            np.stack([self._vectors[text] for text in self._sentences(example)]),
            np.stack([self._vectors[text] for text in ranking.candidates]),
            np.array([log1p(max(0, count)) for count in counts], dtype=np.float32), list(ranking.labels),
        )  # fmt: skip


def _scores(one: Ranking, parameters: Sequence[Any]) -> Any:
    """Return a score for each candidate: the support of all sentences, the strongest counting most."""
    import torch

    left, right, sharp, often = parameters
    sentences, candidates = torch.from_numpy(one.sentences), torch.from_numpy(one.candidates)
    cosines = sentences @ candidates.T + (sentences @ left) @ (candidates @ right).T
    return torch.logsumexp(sharp * cosines, dim=0) + often * torch.from_numpy(one.counts)


def _loss(batch: Sequence[Ranking], parameters: Sequence[Any]) -> Any:
    """Return the mean cross-entropy of the right candidates, all candidates of an example sharing the probability."""
    import torch

    left, right, sharp, often = parameters
    owners = np.repeat(np.arange(len(batch)), [len(one.sentences) for one in batch])
    widest = max(len(one.candidates) for one in batch)
    candidates = torch.from_numpy(np.stack([_padded(one.candidates, widest) for one in batch]))
    counts = torch.from_numpy(np.stack([_padded(one.counts, widest) for one in batch]))
    wanted = torch.from_numpy(np.stack([_padded(np.array(one.labels, dtype=np.float32), widest) for one in batch]))
    present = torch.tensor([[place < len(one.candidates) for place in range(widest)] for one in batch])
    sentences = torch.from_numpy(np.concatenate([one.sentences for one in batch]))
    of = torch.from_numpy(owners)
    cosines = torch.einsum("sd,scd->sc", sentences, candidates[of])
    cosines = cosines + torch.einsum("sr,scr->sc", sentences @ left, (candidates @ right)[of])
    powers = torch.exp(sharp * (cosines - 1))
    summed = torch.zeros(len(batch), widest).index_add(0, of, powers)
    scores = torch.log(summed + 1e-30) + sharp + often * counts
    logs = torch.log_softmax(scores.masked_fill(~present, -torch.inf), dim=1).masked_fill(~present, 0.0)
    totals = wanted.sum(dim=1)
    return -((logs * wanted).sum(dim=1) / totals.clamp(min=1)).sum() / (totals > 0).sum().clamp(min=1)


def _padded(rows: Floats, size: int) -> Floats:
    return np.pad(rows, [(0, size - len(rows)), *[(0, 0)] * (rows.ndim - 1)])


def _precision(scores: Any, labels: list[int]) -> float:
    ranks = gold_ranks(scores.tolist(), labels)
    return average_precision(ranks, len(ranks))
