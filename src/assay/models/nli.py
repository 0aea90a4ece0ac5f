"""Natural language inference (NLI): probabilities of entailment, neutral and contradiction for pairs of texts."""

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
    """An NLI model by name, loaded on first use. Each distinct pair is computed once, in batches of similar length."""

    model: str = NLI
    """`assay-nli`, a model folder, or a Hugging Face name."""
    batch: int = field(default=32, compare=False)

    whole: ClassVar = False

    def why_not(self) -> str | None:
        try:
            return super().why_not() or (None if self.order and self.base else "")
        except AssayError as error:
            return str(error)

    @property
    def base(self) -> str:
        """The encoder that an update such as assay-nli belongs to; the model itself otherwise."""
        about = self._settings("config.json")
        if about.get("model_type") != UPDATE_TYPE:
            return self.model
        if not {"base", "base_weights"} <= about.keys():
            raise AssayError(f"{self.model}: config.json does not name the encoder it updates. Copy the whole folder.")
        base = str(about["base"])
        if fingerprint(str(local_folder(base))) != about["base_weights"]:
            raise AssayError(f"{self.model}: trained on other weights of {base}. Install those, or train it again.")
        return base

    @property
    def limit(self) -> int:
        """Maximum number of tokens of a pair, special tokens included."""
        about = self._settings("config.json")
        beneath = about.get("base") if about.get("model_type") == UPDATE_TYPE else None
        return min(super().limit, Encoder(str(beneath)).limit) if beneath else super().limit

    @property
    def order(self) -> list[int]:
        """Indices of entailment, neutral and contradiction among the outputs."""
        return label_order(self.model, self._settings("config.json").get("id2label"))

    @property
    def namespace(self) -> str:
        return f"{self.label}-{self.limit}-nli-{digest_of(self.libraries)[:8]}"

    def probabilities(self, pairs: Sequence[Pair], context: Context) -> Floats:
        """Return the probabilities of entailment, neutral and contradiction, one row per (premise, hypothesis).

        Values come from the cache where possible. A pair longer than `limit` is truncated at the end of its longer
        text.
        """
        if not pairs:
            return np.zeros((0, 3))
        known = cached_pair_rows(self.namespace, pairs, lambda new: self._read(new, context), context)
        return np.stack([known[pair] for pair in pairs])

    def equivalent(self, pairs: Sequence[Pair], context: Context) -> list[bool]:
        """Return whether each text of a pair entails the other one."""
        both = [way for first, second in pairs for way in ((first, second), (second, first))]
        classes = self.probabilities(both, context).argmax(axis=1).reshape(-1, 2)
        return [bool(same) for same in (classes == 0).all(axis=1)]

    def _read(self, pairs: list[Pair], context: Context) -> Floats:
        model, tokenizer = _loaded(str(self.folder), self.label, self.base != self.model, context.torch_device())
        logits = pair_logits(model, tokenizer, pairs, self.limit, self.batch)[:, self.order]
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        return list(map(len, Encoder(self.base).ids(texts)))


def load_nli(model: str = NLI, window: int | None = None, batch: int = 32) -> Nli:
    """Return an NLI model that is ready to use.

    Raises:
        AssayError: If packages or weights are missing.

    Example:
        >>> load_nli().probabilities([("A dog runs.", "An animal moves.")], Context())  # doctest: +SKIP
    """
    made = Nli(model, window=window, batch=batch)
    if reason := made.why_not():
        raise AssayError(reason)
    return made


@lru_cache(maxsize=2)
def _loaded(folder: str, content: str, own: bool, device: str) -> tuple[Any, Any]:
    from assay.models.cpu_linear import pack_weights

    if not own:
        loaded = load(folder, classifier=True)
        model = loaded.model.to(device)
        return (pack_weights(model) if device == "cpu" else model), loaded.tokenizer
    from assay.models.nli_network import NliNetwork

    try:
        network = NliNetwork.from_folder(folder)
    except AssayError:
        raise
    except Exception as error:  # a damaged file can raise anything
        raise AssayError(f"{folder}: the weights are damaged ({first_line(error)}). Copy the whole folder.") from None
    network = network.merge().eval().to(device)
    tokenizer = load(network.about["base"], encoder=True).tokenizer
    return (pack_weights(network) if device == "cpu" else network), tokenizer
