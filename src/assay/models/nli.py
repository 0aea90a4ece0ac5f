"""Entailment: how likely one text follows from another, by any model of three classes, or by the small one of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import AssayError, first_line
from assay.models.checkpoints import NLI, UPDATE_TYPE, fingerprint, local_folder
from assay.models.encoder import Encoder
from assay.models.load import load
from assay.models.nli_labels import label_order
from assay.models.text_pairs import Floats, Pair, cached_pair_rows, pair_logits
from assay.records.files import digest_of

if TYPE_CHECKING:
    from assay.models.context import Context


@dataclass(frozen=True)
class Nli(Encoder):
    """A model by name, loaded when it is first asked. Equal pairs are read once, pairs of like length together."""

    model: str = NLI
    """`assay-nli`, a folder, or a hub name."""
    batch: int = field(default=32, compare=False)

    whole: ClassVar = False

    def why_not(self) -> str | None:
        try:
            return super().why_not() or (None if self.order and self.base else "")
        except AssayError as error:
            return str(error)

    @property
    def base(self) -> str:
        """The encoder that a model of ours is an update of; itself for any other."""
        about = self._settings("config.json")
        if about.get("model_type") != UPDATE_TYPE:
            return self.model
        if not {"base", "base_weights"} <= about.keys():
            raise AssayError(f"{self.model}: its config.json names no encoder that it updates; copy the whole folder")
        base = str(about["base"])
        if fingerprint(str(local_folder(base))) != about["base_weights"]:
            raise AssayError(f"{self.model}: made for other weights of {base}; install those or train it again")
        return base

    @property
    def limit(self) -> int:
        """Most tokens of a pair with the marks around it: no more than the encoder beneath reads."""
        about = self._settings("config.json")
        beneath = about.get("base") if about.get("model_type") == UPDATE_TYPE else None
        return min(super().limit, Encoder(str(beneath)).limit) if beneath else super().limit

    @property
    def order(self) -> list[int]:
        """Where entailment, neutral and contradiction stand among its outputs."""
        return label_order(self.model, self._settings("config.json").get("id2label"))

    @property
    def namespace(self) -> str:
        return f"{self.label}-{self.limit}-nli-{digest_of(self.libraries)[:8]}"

    def probabilities(self, pairs: Sequence[Pair], context: Context) -> Floats:
        """Entailment, neutral and contradiction for each pair of premise and hypothesis; from the cache where a pair
        has been read before. A pair longer than `limit` loses the end of its longer text."""
        if not pairs:
            return np.zeros((0, 3))
        known = cached_pair_rows(self.namespace, pairs, lambda new: self._read(new, context), context)
        return np.stack([known[pair] for pair in pairs])

    def _read(self, pairs: list[Pair], context: Context) -> Floats:
        model, tokenizer = _loaded(str(self.folder), self.label, self.base != self.model, context.torch_device())
        logits = pair_logits(model, tokenizer, pairs, self.limit, self.batch)[:, self.order]
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without marks."""
        return list(map(len, Encoder(self.base).ids(texts)))


def load_nli(model: str = NLI, window: int | None = None, batch: int = 32) -> Nli:
    """A model of entailment that is known to be usable; then `.probabilities([(premise, hypothesis)], Context())`."""
    made = Nli(model, window=window, batch=batch)
    if reason := made.why_not():
        raise AssayError(reason)
    return made


@lru_cache(maxsize=2)
def _loaded(folder: str, content: str, own: bool, device: str) -> tuple[Any, Any]:
    if not own:
        loaded = load(folder, classifier=True)
        return loaded.model.to(device), loaded.tokenizer
    from assay.models.nli_network import NliNetwork

    try:
        network = NliNetwork.from_folder(folder)
    except AssayError:
        raise
    except Exception as error:  # damage shows itself in every way there is
        raise AssayError(f"{folder}: the weights are damaged ({first_line(error)}); copy the whole folder") from None
    return network.merge().eval().to(device), load(network.about["base"], encoder=True).tokenizer
