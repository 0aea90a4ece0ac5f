"""A small NLI model: an encoder with low-rank updates (LoRA) and a classification head over both texts.

Only the updates and the head are trained and saved; merged into the weights of the encoder they add no computation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from assay.errors import AssayError
from assay.models.checkpoints import UPDATE_TYPE, fingerprint, local_folder
from assay.models.devices import quiet_transformers
from assay.models.nli_labels import LABELS
from assay.models.tensors import read_tensors, write_tensors
from assay.models.trust import weight_options
from assay.records.files import to_json, write_text

WEIGHTS = "model.safetensors"

LAYERS, UNITS = (4, 6), 256
"""Layers that the head reads, and the number of its hidden units."""
TUNED = ("query", "key", "value", "dense")
"""Linear layers of the encoder that are updated."""


class LowRank(nn.Module):  # type: ignore[misc]
    """A frozen linear layer plus a trained low-rank update."""

    def __init__(self, frozen: nn.Linear, rank: int) -> None:
        super().__init__()
        self.frozen = frozen
        self.down = nn.Parameter(torch.randn(rank, frozen.in_features) / frozen.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(frozen.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.frozen(x) + (x @ self.down.T) @ self.up.T

    def merged(self) -> nn.Linear:
        with torch.no_grad():
            self.frozen.weight += (self.up @ self.down).to(self.frozen.weight.dtype)
        return self.frozen


class Head(nn.Module):  # type: ignore[misc]
    """Three classes from the mean vectors of premise and hypothesis at some layers, their difference and product."""

    def __init__(self, size: int, layers: Sequence[int], units: int, dropout: float) -> None:
        super().__init__()
        self.layers = tuple(layers)
        self.dropout = nn.Dropout(dropout)
        self.first = nn.Linear(4 * size * len(self.layers), units)
        self.last = nn.Linear(units, len(LABELS))

    def forward(self, hidden: Sequence[torch.Tensor], types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        parts = []
        for layer in self.layers:
            premise, hypothesis = (_mean(hidden[layer], mask * (types == side)) for side in (0, 1))
            for part in (premise, hypothesis, (premise - hypothesis).abs(), premise * hypothesis):
                parts.append(nn.functional.layer_norm(part, part.shape[-1:]))
        units = nn.functional.gelu(self.first(self.dropout(torch.cat(parts, dim=-1))))
        return self.last(self.dropout(units))


def _mean(vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    kept = mask.to(vectors.dtype).unsqueeze(-1)
    return (vectors * kept).sum(dim=1) / kept.sum(dim=1).clamp(min=1)


class NliOutput(NamedTuple):
    """Output in the form of transformers."""

    logits: torch.Tensor


class NliNetwork(nn.Module):  # type: ignore[misc]
    """Encoder and head: three logits per pair, in the order of LABELS."""

    def __init__(
        self, base: str, rank: int, layers: Sequence[int] = LAYERS, units: int = UNITS, dropout: float = 0.1
    ) -> None:
        super().__init__()
        from transformers import AutoModel

        self.about: dict[str, Any] = {"base": base, "rank": rank, "layers": list(layers), "units": units}
        with quiet_transformers():
            self.encoder = AutoModel.from_pretrained(
                local_folder(base), add_pooling_layer=False, attn_implementation="eager", **weight_options()
            )  # eager: its backward pass is faster for short texts
        if not hasattr(self.encoder, "encoder") or not hasattr(self.encoder.encoder, "layer"):
            raise AssayError(f"{base}: low-rank updates need a model with the layout of BERT. Give rank=0.")
        self.encoder.requires_grad_(False)
        for part in self.encoder.modules():
            if isinstance(part, nn.Dropout):
                part.p = dropout
            if isinstance(part, nn.LayerNorm):
                part.requires_grad_(True)
        for block in self.encoder.encoder.layer:
            block.attention.self.dropout.p = 0.0
            for name, part in list(block.named_modules()):
                if isinstance(part, nn.Linear) and name.rpartition(".")[2] in TUNED:
                    part.bias.requires_grad_(True)
                    owner = block.get_submodule(name.rpartition(".")[0])
                    setattr(owner, name.rpartition(".")[2], LowRank(part, rank))
        self.encoder.embeddings.token_type_embeddings.requires_grad_(True)
        self.head = Head(self.encoder.config.hidden_size, layers, units, 2 * dropout)

    @property
    def device(self) -> torch.device:
        return self.head.first.weight.device

    @property
    def dtype(self) -> torch.dtype:
        return self.head.first.weight.dtype

    def get_input_embeddings(self) -> Any:
        return self.encoder.get_input_embeddings()

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor) -> Any:
        encoded = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids, output_hidden_states=True
        )
        return NliOutput(self.head(encoded.hidden_states, token_type_ids, attention_mask))

    def trained_parameters(self) -> dict[str, torch.Tensor]:
        """Return the trained parameters, which are not those of the encoder."""
        trained = {name for name, value in self.named_parameters() if value.requires_grad}
        return {name: value for name, value in self.state_dict().items() if name in trained}

    def merge(self) -> NliNetwork:
        """Merge the updates into the weights of the encoder, for inference."""
        for block in self.encoder.encoder.layer:
            for name, part in list(block.named_modules()):
                if isinstance(part, LowRank):
                    owner, _, place = name.rpartition(".")
                    setattr(block.get_submodule(owner), place, part.merged())
        return self

    @staticmethod
    def from_folder(folder: str | Path) -> NliNetwork:
        """Load what `save_pretrained` wrote, and its encoder."""
        about = json.loads((Path(folder) / "config.json").read_text("utf-8"))
        network = NliNetwork(about["base"], about["rank"], about["layers"], about["units"])
        tensors = read_tensors(Path(folder) / WEIGHTS)[0]
        if tensors.keys() != network.trained_parameters().keys():
            raise ValueError(f"{len(tensors)} tensors, expected {len(network.trained_parameters())}")
        network.load_state_dict({name: value.float() for name, value in tensors.items()}, strict=False)
        return network

    def save_pretrained(self, folder: Path) -> None:
        """Save the trained weights in half precision, and the name and digest of the encoder."""
        where = Path(folder)
        about = self.about | {
            "model_type": UPDATE_TYPE,
            "base_weights": fingerprint(str(local_folder(self.about["base"]))),
            "id2label": {str(i): label for i, label in enumerate(LABELS)},
        }
        write_tensors(where / WEIGHTS, {name: value.half() for name, value in self.trained_parameters().items()})
        write_text(where / "config.json", to_json(about) + "\n")
