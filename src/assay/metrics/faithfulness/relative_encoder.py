"""Encoders with relative positions (T5): no fixed maximum length, so that one is chosen."""

from __future__ import annotations

from dataclasses import dataclass

from assay.models.encoder import Encoder

LONGEST = 2048
"""Maximum number of tokens of a model with relative positions, as in MiniCheck."""


@dataclass(frozen=True)
class RelativeEncoder(Encoder):
    """An encoder whose limit is `LONGEST` if its positions are relative, else that of the model."""

    @property
    def relative(self) -> bool:
        return "relative_attention_num_buckets" in self._settings("config.json")

    @property
    def limit(self) -> int:
        return self.window or LONGEST if self.relative else super().limit
