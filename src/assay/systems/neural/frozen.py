"""Cached outputs of frozen layers: computed once per text instead of once per epoch."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from assay.models.encoder import states_before


class Frozen:
    """The frozen lower layers of an encoder with cached outputs, and the upper layers trained on them."""

    def __init__(self, model: Any, layers: int) -> None:
        self.model, self.layers = model, layers
        self.upper = _above(model, layers)
        self.kept: dict[tuple[int, ...], Any] = {}

    def states(self, rows: Sequence[Sequence[int]], padding: int) -> Any:
        """Return the input of the first trained layer, one row per text, padded with zeros."""
        import torch

        new = sorted({tuple(row) for row in rows if tuple(row) not in self.kept}, key=len)
        training = self.model.training
        if new:
            self.model.eval()
            made = states_before(self.model, new, padding, self.layers)
            self.kept.update(zip(new, (torch.from_numpy(one).half() for one in made), strict=True))
            self.model.train(training)
        cached = [self.kept[tuple(row)].float() for row in rows]
        return torch.nn.utils.rnn.pad_sequence(cached, batch_first=True)


def _above(model: Any, layers: int) -> Any:
    """Return the model without embeddings and lower layers, with shared parameters."""
    import torch

    class PassThrough(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def forward(self, *_: Any, inputs_embeds: Any = None, **__: Any) -> Any:
            return inputs_embeds

    name = model.base_model_prefix
    upper, base = _shared(model), _shared(getattr(model, name))
    encoder = _shared(base.encoder)
    encoder.layer = torch.nn.ModuleList(base.encoder.layer[layers:])
    base.embeddings, base.encoder = PassThrough(), encoder
    setattr(upper, name, base)
    return upper


def _shared(module: Any) -> Any:
    """Return a shallow copy of a module with the same parts."""
    made = copy.copy(module)
    made._modules = dict(module._modules)
    return made


def can_split(model: Any) -> bool:
    """Return whether the model has the structure of BERT: embeddings, then an encoder with a list of layers."""
    base = getattr(model, model.base_model_prefix, None)
    return hasattr(base, "embeddings") and hasattr(getattr(base, "encoder", None), "layer")
