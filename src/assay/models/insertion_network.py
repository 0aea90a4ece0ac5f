"""Encoder that predicts, for the gap after every word, the word to insert or none (POINTER)."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModel, PreTrainedModel
from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_outputs import MaskedLMOutput


class InsertionConfig(PreTrainedConfig):  # type: ignore[misc]
    """Sizes of the model."""

    model_type = "assay-insertion"

    def __init__(
        self, vocab_size: int = 4000, hidden_size: int = 64, num_layers: int = 2, num_heads: int = 4,
        dropout: float = 0.1, max_position_embeddings: int = 256, **options: Any,
    ) -> None:  # fmt: skip
        self.vocab_size, self.hidden_size, self.num_layers, self.num_heads = (
            vocab_size,
            hidden_size,
            num_layers,
            num_heads,
        )
        self.dropout, self.max_position_embeddings = dropout, max_position_embeddings
        super().__init__(**options)


class InsertionModel(PreTrainedModel):  # type: ignore[misc]
    """Transformer encoder with pre-normalisation; the state of a word is mixed with that of the next one, so that the
    prediction knows both sides of the gap."""

    config_class = InsertionConfig
    base_model_prefix = "model"
    main_input_name = "input_ids"

    def __init__(self, config: InsertionConfig) -> None:
        super().__init__(config)
        width = config.hidden_size
        self.embeddings = nn.Embedding(config.vocab_size, width, padding_idx=config.pad_token_id)
        self.positions = nn.Embedding(config.max_position_embeddings, width)
        layer = nn.TransformerEncoderLayer(
            width, config.num_heads, 4 * width, config.dropout, batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, config.num_layers, enable_nested_tensor=False)
        self.drop = nn.Dropout(config.dropout)
        self.mix = nn.Linear(2 * width, width)
        self.head = nn.Linear(width, config.vocab_size)
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)

    def get_input_embeddings(self) -> nn.Embedding:
        return self.embeddings

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None, **unused: Any
    ) -> MaskedLMOutput:
        """Return logits over the vocabulary for the gap after every position."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        states = self.layers(
            self.drop(self.embeddings(input_ids) + self.positions(places)), src_key_padding_mask=mask == 0
        )
        states = states * mask[..., None]
        following = torch.cat([states[:, 1:], torch.zeros_like(states[:, :1])], dim=1)
        return MaskedLMOutput(logits=self.head(torch.tanh(self.mix(torch.cat([states, following], dim=-1)))))


def register() -> None:
    """Let `from_pretrained` find the model by the type in its config."""
    AutoConfig.register(InsertionConfig.model_type, InsertionConfig, exist_ok=True)
    AutoModel.register(InsertionConfig, InsertionModel, exist_ok=True)
