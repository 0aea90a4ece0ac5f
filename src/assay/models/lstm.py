"""Encoder-decoder of LSTMs with attention, and copying from the input (a pointer-generator).

It is a transformers model, so that training, beam search, checkpoints and `hf:FOLDER` work as for any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    GenerationMixin,
    PreTrainedModel,
)
from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_outputs import ModelOutput, Seq2SeqLMOutput

LEAST = 1e-9
"""Smallest probability of a token: the logarithm of zero would end training."""


class LstmConfig(PreTrainedConfig):  # type: ignore[misc]
    """Sizes of the model. `copies` adds the pointer to the input."""

    model_type = "assay-lstm"

    def __init__(
        self, vocab_size: int = 4000, hidden_size: int = 128, num_layers: int = 1, dropout: float = 0.1,
        copies: bool = True, is_encoder_decoder: bool = True, n_positions: int = 1 << 20, **options: Any,
    ) -> None:  # fmt: skip
        self.vocab_size, self.hidden_size, self.num_layers = vocab_size, hidden_size, num_layers
        self.dropout, self.copies, self.n_positions = dropout, copies, n_positions
        super().__init__(is_encoder_decoder=is_encoder_decoder, **options)


@dataclass
class Encoded(ModelOutput):  # type: ignore[misc]
    """The encoder's states; the tokens stay with them, because the decoder copies from them."""

    last_hidden_state: torch.Tensor | None = None
    source_ids: torch.Tensor | None = None
    first_state: torch.Tensor | None = None
    people: torch.Tensor | None = None
    """Rows of question and user, for a personalised model."""


class LstmEncoder(nn.Module):  # type: ignore[misc]
    """Bidirectional LSTM. The mean of its states starts the decoder."""

    main_input_name = "input_ids"

    def __init__(self, config: LstmConfig, embeddings: nn.Embedding) -> None:
        super().__init__()
        self.embeddings = embeddings
        self.drop = nn.Dropout(config.dropout)
        width = config.hidden_size
        self.lstm = nn.LSTM(
            width, width // 2, config.num_layers, batch_first=True, bidirectional=True,
            dropout=config.dropout if config.num_layers > 1 else 0.0,
        )  # fmt: skip

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None, **unused: Any) -> Encoded:
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        lengths = mask.sum(dim=1).clamp_min(1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            self.drop(self.embeddings(input_ids)), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=input_ids.shape[1]
        )
        mean = states.sum(dim=1) / lengths.to(states.device)[:, None]
        return Encoded(last_hidden_state=states, source_ids=input_ids, first_state=mean)


class LstmForConditionalGeneration(PreTrainedModel, GenerationMixin):  # type: ignore[misc]
    """LSTM decoder with Luong attention over the encoder, tied embeddings, and a gate between writing and copying."""

    config_class = LstmConfig
    base_model_prefix = "model"
    main_input_name = "input_ids"
    _tied_weights_keys = {"encoder.embeddings.weight": "embeddings.weight"}  # noqa: RUF012

    def __init__(self, config: LstmConfig) -> None:
        super().__init__(config)
        width = config.hidden_size
        self.embeddings = nn.Embedding(config.vocab_size, width, padding_idx=config.pad_token_id)
        self.encoder = LstmEncoder(config, self.embeddings)
        self.drop = nn.Dropout(config.dropout)
        self.start = nn.Linear(width, 2 * config.num_layers * width)
        self.decoder = nn.LSTM(
            self.read_width(config), width, config.num_layers, batch_first=True,
            dropout=config.dropout if config.num_layers > 1 else 0.0,
        )  # fmt: skip
        self.match = nn.Linear(width, width, bias=False)
        self.mix = nn.Linear(2 * width, width)
        self.gate = nn.Linear(2 * width, 1)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.post_init()

    @staticmethod
    def read_width(config: Any) -> int:
        """Return the width of what the decoder reads at each step."""
        return int(config.hidden_size)

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)

    def first_state(self, encoded: Any) -> torch.Tensor:
        """Return the first hidden and cell states of all layers."""
        layers, width = self.config.num_layers, self.config.hidden_size
        return torch.tanh(self.start(encoded["first_state"])).view(-1, 2 * layers, width).transpose(0, 1)

    def read(self, decoder_input_ids: torch.Tensor, encoded: Any) -> torch.Tensor:
        """Return what the decoder reads at each step."""
        return self.drop(self.embeddings(decoder_input_ids))

    def get_encoder(self, *unused: Any, **ignored: Any) -> LstmEncoder:
        return self.encoder

    def get_input_embeddings(self) -> nn.Embedding:
        return self.embeddings

    def get_output_embeddings(self) -> nn.Embedding:
        return self.embeddings

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        self.embeddings = self.encoder.embeddings = value
        kept = self.bias.detach()[: value.num_embeddings]
        self.bias = nn.Parameter(torch.cat([kept, kept.new_zeros(value.num_embeddings - len(kept))]))

    def set_output_embeddings(self, value: nn.Embedding) -> None:
        self.set_input_embeddings(value)

    def forward(
        self, input_ids: torch.Tensor | None = None, attention_mask: torch.Tensor | None = None,
        decoder_input_ids: torch.Tensor | None = None, encoder_outputs: Any = None,
        labels: torch.Tensor | None = None, **unused: Any,
    ) -> Seq2SeqLMOutput:  # fmt: skip
        """Return log-probabilities of every next token as logits."""
        encoded = encoder_outputs if encoder_outputs is not None else self.encoder(input_ids, attention_mask)
        if decoder_input_ids is None:
            if labels is None:
                raise ValueError("decoder_input_ids or labels are required")
            decoder_input_ids = self._shifted(labels)
        states, source = encoded["last_hidden_state"], encoded["source_ids"]
        mask = torch.ones_like(source) if attention_mask is None else attention_mask
        mask = mask[:, mask.shape[1] - source.shape[1] :]  # the encoder may read fewer tokens than it is given
        read, first = self.read(decoder_input_ids, encoded), self.first_state(encoded)
        layers = self.config.num_layers
        written, _ = self.decoder(read, (first[:layers].contiguous(), first[layers:].contiguous()))
        scores = (self.match(written) @ states.transpose(1, 2)).masked_fill(mask[:, None] == 0, float("-inf"))
        attention = torch.softmax(scores, dim=-1)
        seen = torch.cat([written, attention @ states], dim=-1)
        hidden = self.drop(torch.tanh(self.mix(seen)))
        logits = hidden @ self.embeddings.weight.T + self.bias
        if not self.config.copies:
            return Seq2SeqLMOutput(logits=torch.log_softmax(logits, dim=-1))
        gate = torch.sigmoid(self.gate(seen))
        chances = (1 - gate) * torch.softmax(logits, dim=-1)
        places = source[:, None].expand(-1, written.shape[1], -1)
        chances = chances.scatter_add(2, places, (gate * attention).to(chances.dtype))
        return Seq2SeqLMOutput(logits=torch.log(chances.clamp_min(LEAST)))

    def _shifted(self, labels: torch.Tensor) -> torch.Tensor:
        begin = torch.full_like(labels[:, :1], int(self.config.decoder_start_token_id))
        shifted = torch.cat([begin, labels[:, :-1]], dim=1)
        return shifted.masked_fill(shifted < 0, int(self.config.pad_token_id))

    def _prepare_cache_for_generation(self, *unused: Any, **ignored: Any) -> None:
        """Keep no states between steps."""

    def prepare_inputs_for_generation(
        self, input_ids: torch.Tensor, encoder_outputs: Any = None, attention_mask: torch.Tensor | None = None,
        **unused: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Read the whole text so far at every step: simple, and short texts cost little."""
        return {"decoder_input_ids": input_ids, "encoder_outputs": encoder_outputs, "attention_mask": attention_mask}


def register() -> None:
    """Let `from_pretrained` find the model by the type in its config."""
    AutoConfig.register(LstmConfig.model_type, LstmConfig, exist_ok=True)
    AutoModelForSeq2SeqLM.register(LstmConfig, LstmForConditionalGeneration, exist_ok=True)
