"""What metrics over an encoder have in common: which weights, which languages, and how both are signed."""

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
    """A metric that asks a model that reads text. Weights and libraries are in the signature, items in a language that
    the model does not read are not judged, and what is missing is a reason to skip."""

    model: str = "minilm"
    """The encoder: `minilm`, a folder, or a hub name."""
    languages: str = setting("")
    """What the encoder reads, `en+de` or `any`, where its card does not say so or says too little."""
    batch: int = setting(16)
    """Texts that are encoded together."""

    extra: ClassVar = "neural"
    model_kind: ClassVar[str] = "encoder"
    """The kind of model: encoder, causal, seq2seq, or classifier:N with N outputs (0 for any number of classes)."""
    signed_properties: ClassVar[dict[str, str]] = {"model": "label"}
    """Options that the signature says by a property of the weights."""
    truncates: ClassVar[str] = ""
    """What is cut of a text longer than the model reads, where no option says so."""
    pooled: ClassVar[bool] = False
    """Whether it takes one vector a text, which a folder may make in more than one way."""

    def __post_init__(self) -> None:
        self.require("batch", 1)

    @property
    def encoder(self) -> Encoder:
        return Encoder(self.model, batch=self.batch)

    @property
    def weights(self) -> Weights:
        """What the signature, the languages and the reasons to skip are taken from."""
        return self.encoder

    def options(self) -> dict[str, Any]:
        return super().options() | {
            option: self._weights_property(what) for option, what in self.signed_properties.items()
        }

    def signature(self, nrefs: str) -> str:
        head, _, tail = super().signature(nrefs).rpartition("|version:")
        if self.truncates:
            head += f"|limit:{self._weights_property('limit')}|shortens:{self.truncates}"
        if self.pooled and self._weights_property("pooling") == "cls":  # the mean is what is usual
            head += "|pooling:cls"
        return f"{head}|libraries:{self.weights.libraries}|version:{tail}"

    def _weights_property(self, what: str) -> str:
        """A property of the weights; a word for it where there are none."""
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
    """A metric over the vectors of `self.encoder`."""

    layer: int | None = None
    """The layer whose vectors are taken; none takes the last."""
    window: int | None = None
    """Most tokens that are read at once; none takes what the encoder was made for."""
    long: Literal["windows", "cut"] = "windows"
    """What becomes of longer texts: windows of equal length that are read one by one, or the beginning alone."""
    precision: Precision = "float32"
    """In what numbers the encoder computes; int16 is quicker where the processor has AVX-512 VNNI, and differs in the
    fifth digit; bfloat16 where it has that, and differs in the third; int8 is quicker still, and differs more."""

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
    """A mean over items of what the encoder says of an output beside its references, or its source."""

    def __post_init__(self) -> None:
        VectorMetric.__post_init__(self)
        SimilarityMetric.__post_init__(self)
