"""Base classes of metrics that use a model: weights, languages, and their part of the signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from assay.errors import AssayError
from assay.metrics.engine.base import Metric
from assay.metrics.engine.languages import unsupported_languages
from assay.metrics.engine.signatures import MISSING_FILE
from assay.metrics.semantic.similarity import SimilarityMetric
from assay.models.encoder import Encoder, Precision
from assay.models.weights import Weights
from assay.specs import setting

if TYPE_CHECKING:
    from assay.records.items import Items


@dataclass(frozen=True)
class ModelMetric(Metric):
    """A metric that uses a model. Weights and library versions are part of the signature.

    The metric is skipped, with the reason, if weights are missing or the model does not support the language.
    """

    model: str = "minilm"
    """Encoder: `minilm`, a model folder, or a Hugging Face name."""
    languages: str = setting("")
    """Languages of the model, such as `en+de` or `any`; empty takes those of the model card."""
    batch: int = setting(16)
    """Number of texts per batch; does not change the score."""

    extra: ClassVar = "neural"
    model_kind: ClassVar[str] = "encoder"
    """Kind of model: encoder, causal, seq2seq, or classifier:N with N outputs (0 for any number)."""
    signed_properties: ClassVar[dict[str, str]] = {"model": "label"}
    """Options whose value in the signature is a property of the weights."""
    truncates: ClassVar[str] = ""
    """Side that is truncated if a text is too long, where no option decides it."""
    pooled: ClassVar[bool] = False
    """Whether the metric uses sentence vectors, so that the pooling is part of the signature."""

    def __post_init__(self) -> None:
        self.require("batch", 1)

    @property
    def encoder(self) -> Encoder:
        return Encoder(self.model, batch=self.batch)

    @property
    def weights(self) -> Weights:
        """The weights that signature, languages and reasons to skip refer to."""
        return self.encoder

    def options(self) -> dict[str, Any]:
        return super().options() | {
            option: self._weights_property(what) for option, what in self.signed_properties.items()
        }

    def signature(self, nrefs: str) -> str:
        head, _, tail = super().signature(nrefs).rpartition("|version:")
        if self.truncates:
            head += f"|limit:{self._weights_property('limit')}|shortens:{self.truncates}"
        if self.pooled and self._weights_property("pooling") == "cls":  # mean pooling is the default
            head += "|pooling:cls"
        return f"{head}|libraries:{self.weights.libraries}|version:{tail}"

    def _weights_property(self, what: str) -> str:
        """Return a property of the weights, or a placeholder if they are missing."""
        try:
            return str(getattr(self.weights, what))
        except AssayError:
            return MISSING_FILE

    def why_not(self) -> str | None:
        return self.weights.why_not()

    def unfit(self, items: Items) -> str | None:
        read = frozenset(self.languages.split("+")) if self.languages else self.weights.languages
        return unsupported_languages(self.name, self.model, read, items)


@dataclass(frozen=True)
class VectorMetric(ModelMetric):
    """A metric that uses the vectors of `self.encoder`."""

    layer: int | None = None
    """Layer of the vectors; none takes the last layer."""
    window: int | None = None
    """Maximum number of tokens per window; none takes the maximum of the encoder."""
    long: Literal["windows", "cut"] = "windows"
    """Longer texts: `windows` encodes windows of equal length one by one, `cut` keeps the first window."""
    precision: Precision = "float32"
    """Numeric precision. bfloat16 is faster where supported and differs in the third digit; int8 is faster on any CPU
    and differs more."""

    signed_properties: ClassVar[dict[str, str]] = {"model": "label", "layer": "depth", "window": "limit"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("window", 1)
        self.require("layer", 0)

    @property
    def encoder(self) -> Encoder:
        return Encoder(self.model, self.layer, self.window, self.long, self.precision, self.batch)


@dataclass(frozen=True)
class EncoderMetric(VectorMetric, SimilarityMetric):
    """A similarity of output and references, or output and source, from the vectors of an encoder."""

    def __post_init__(self) -> None:
        VectorMetric.__post_init__(self)
        SimilarityMetric.__post_init__(self)
