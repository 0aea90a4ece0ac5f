"""Transformer that knows who answers: Tucker factors or a speaker vector, added to every position of the response.

As in the LSTM, the first two tokens of an input are its question and its user, and the encoder does not read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForSeq2SeqLM, T5Config, T5ForConditionalGeneration
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqLMOutput

from assay.models.personal_lstm import HEAD, Tucker, people_of, start_tucker


class PersonalTransformerConfig(T5Config):  # type: ignore[misc]
    """Sizes of the factors. `person` is tucker, speaker, both or none."""

    model_type = "assay-personal-transformer"

    def __init__(
        self, person: str = "tucker", ranks: Any = (16, 16, 16), first_question: int = 0, questions: int = 1,
        first_user: int = 0, users: int = 1, **options: Any,
    ) -> None:  # fmt: skip
        self.person, self.ranks = person, list(ranks)
        self.first_question, self.questions = first_question, questions
        self.first_user, self.users = first_user, users
        super().__init__(**options)


@dataclass
class EncodedFor(BaseModelOutput):  # type: ignore[misc]
    """The encoder's states, with the rows of question and user."""

    people: torch.Tensor | None = None


class PersonalTransformer(T5ForConditionalGeneration):  # type: ignore[misc]
    """T5 whose decoder reads each token of the response together with a vector of the person."""

    config_class = PersonalTransformerConfig

    def __init__(self, config: PersonalTransformerConfig) -> None:
        super().__init__(config)
        if config.person in ("tucker", "both"):
            self.tucker = Tucker(config.questions, config.users, config.d_model, *config.ranks)
        if config.person in ("speaker", "both"):
            self.speaker = nn.Embedding(config.users, config.d_model)
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, Tucker):
            start_tucker(module)
        elif hasattr(self, "speaker") and module is self.speaker:
            nn.init.normal_(module.weight)
        else:
            super()._init_weights(module)

    def encoded(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None) -> EncodedFor:
        """Return the states of an input without its first two tokens, and the rows that these select."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        states = self.encoder(input_ids=input_ids[:, HEAD:], attention_mask=mask[:, HEAD:]).last_hidden_state
        return EncodedFor(last_hidden_state=states, people=people_of(self.config, input_ids))

    def person(self, people: torch.Tensor) -> torch.Tensor | float:
        """Return the vector of each question and user, or 0 for a model without one."""
        made: torch.Tensor | float = 0.0
        if hasattr(self, "tucker"):
            made = made + self.tucker(people[:, 0], people[:, 1])[:, None]
        if hasattr(self, "speaker"):
            made = made + self.speaker(people[:, 1])[:, None]
        return made

    def forward(
        self, input_ids: torch.Tensor | None = None, attention_mask: torch.Tensor | None = None,
        decoder_input_ids: torch.Tensor | None = None, encoder_outputs: Any = None,
        labels: torch.Tensor | None = None, **options: Any,
    ) -> Seq2SeqLMOutput:  # fmt: skip
        encoded = encoder_outputs if encoder_outputs is not None else self.encoded(input_ids, attention_mask)
        if decoder_input_ids is None:
            decoder_input_ids = self._shift_right(labels)
        if attention_mask is not None:  # the encoder reads fewer tokens than it is given
            attention_mask = attention_mask[:, attention_mask.shape[1] - encoded["last_hidden_state"].shape[1] :]
        return super().forward(
            attention_mask=attention_mask, encoder_outputs=encoded,
            decoder_inputs_embeds=self.shared(decoder_input_ids) + self.person(encoded["people"]), **options,
        )  # fmt: skip

    def get_encoder(self, *unused: Any, **ignored: Any) -> Reader:
        """Return what generation encodes inputs with."""
        return Reader(self)


class Reader:
    """The encoder of a model, with the person next to its states."""

    main_input_name = "input_ids"

    def __init__(self, model: PersonalTransformer) -> None:
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None, **unused: Any) -> EncodedFor:
        return self.model.encoded(input_ids, attention_mask)

    __call__ = forward


def register_personal_transformer() -> None:
    """Let `from_pretrained` find the model by the type in its config."""
    AutoConfig.register(PersonalTransformerConfig.model_type, PersonalTransformerConfig, exist_ok=True)
    AutoModelForSeq2SeqLM.register(PersonalTransformerConfig, PersonalTransformer, exist_ok=True)
