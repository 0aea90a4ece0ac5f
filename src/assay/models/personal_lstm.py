"""Encoder-decoder of LSTMs that knows who answers: Tucker factors of question and user, or a speaker vector.

The first two tokens of an input are its question and its user. The encoder does not read them; they select rows of the
factor matrices. Row 0 is for a question or user that was not in the training data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForSeq2SeqLM

from assay.models.lstm import Encoded, LstmConfig, LstmEncoder, LstmForConditionalGeneration

HEAD = 2
"""Tokens in front of an input."""
SPEAKER = 30
"""Width of a speaker vector."""


class PersonalConfig(LstmConfig):
    """Sizes of the factors. `person` is tucker, speaker, both or none."""

    model_type = "assay-personal"

    def __init__(
        self, person: str = "tucker", mix: float = 0.2, ranks: Sequence[int] = (16, 16, 16),
        first_question: int = 0, questions: int = 1, first_user: int = 0, users: int = 1, **options: Any,
    ) -> None:  # fmt: skip
        self.person, self.mix, self.ranks = person, mix, list(ranks)
        self.first_question, self.questions = first_question, questions
        self.first_user, self.users = first_user, users
        super().__init__(**options)


class Tucker(nn.Module):  # type: ignore[misc]
    """The response vector of a question and a user: `G x1 q x2 u x3 R`, learned with the generator."""

    def __init__(self, questions: int, users: int, width: int, *ranks: int) -> None:
        super().__init__()
        self.question = nn.Embedding(questions, ranks[0])
        self.user = nn.Embedding(users, ranks[1])
        self.core = nn.Parameter(torch.randn(*ranks) / (ranks[0] * ranks[1]) ** 0.5)
        self.response = nn.Parameter(torch.randn(width, ranks[2]) / ranks[2] ** 0.5)

    def forward(self, question: torch.Tensor, user: torch.Tensor) -> torch.Tensor:
        return tucker(self.core, self.question(question), self.user(user), self.response)


def tucker(core: torch.Tensor, question: torch.Tensor, user: torch.Tensor, response: torch.Tensor) -> torch.Tensor:
    """Return the vectors of a batch of questions and users.

    >>> core = torch.tensor([[[1., 2], [3, 4]], [[5, 6], [7, 8]]])
    >>> question, user = torch.tensor([[1., 2]]), torch.tensor([[3., -1]])
    >>> tucker(core, question, user, torch.tensor([[1., 0], [0, 1], [1, 1]])).tolist()
    [[16.0, 22.0, 38.0]]
    """
    return torch.einsum("abc,na,nb,kc->nk", core, question, user, response)


def mixed(encoded: torch.Tensor, personal: torch.Tensor, share: float) -> torch.Tensor:
    """Return the state of the encoder with this share of the personal one."""
    return (1 - share) * encoded + share * personal


def people_of(config: Any, input_ids: torch.Tensor) -> torch.Tensor:
    """Return the rows of question and user of each input; 0 for a token of neither."""
    first = torch.tensor((config.first_question, config.first_user), device=input_ids.device)
    number = torch.tensor((config.questions, config.users), device=input_ids.device)
    rows = input_ids[:, :HEAD] - first
    return torch.where((rows >= 0) & (rows < number), rows, torch.zeros_like(rows))


def start_tucker(module: Tucker) -> None:
    """Start with rows of size 1, because a product of small factors hardly gets a gradient; with questions alike, so
    that what is learned about a user holds for all of them."""
    nn.init.normal_(module.question.weight, mean=1.0, std=0.1)
    nn.init.normal_(module.user.weight)


class PersonalEncoder(LstmEncoder):
    """Reads the input after question and user."""

    def __init__(self, config: PersonalConfig, embeddings: nn.Embedding) -> None:
        super().__init__(config, embeddings)
        self.people = config

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None, **unused: Any) -> Encoded:
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        made = super().forward(input_ids[:, HEAD:], mask[:, HEAD:])
        made["people"] = people_of(self.people, input_ids)
        return made


class PersonalLstm(LstmForConditionalGeneration):
    """LSTM encoder-decoder with attention and copying, whose decoder starts from, or reads, the person."""

    config_class = PersonalConfig  # type: ignore[assignment]

    def __init__(self, config: PersonalConfig) -> None:
        super().__init__(config)
        self.encoder = PersonalEncoder(config, self.embeddings)
        if config.person in ("tucker", "both"):
            self.tucker = Tucker(config.questions, config.users, config.hidden_size, *config.ranks)
        if config.person in ("speaker", "both"):
            self.speaker = nn.Embedding(config.users, SPEAKER)
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, Tucker):
            start_tucker(module)
        elif not isinstance(module, nn.Embedding) or module.embedding_dim == self.config.hidden_size:
            super()._init_weights(module)

    @staticmethod
    def read_width(config: Any) -> int:
        return int(config.hidden_size) + (SPEAKER if config.person in ("speaker", "both") else 0)

    def first_state(self, encoded: Any) -> torch.Tensor:
        states = super().first_state(encoded)
        if self.config.person not in ("tucker", "both"):
            return states
        people = encoded["people"]
        return mixed(states, self.tucker(people[:, 0], people[:, 1])[None], self.config.mix)

    def read(self, decoder_input_ids: torch.Tensor, encoded: Any) -> torch.Tensor:
        words = super().read(decoder_input_ids, encoded)
        if self.config.person not in ("speaker", "both"):
            return words
        speaker = self.speaker(encoded["people"][:, 1])
        return torch.cat([words, speaker[:, None].expand(-1, words.shape[1], -1)], dim=-1)


def register_personal() -> None:
    """Let `from_pretrained` find the model by the type in its config."""
    AutoConfig.register(PersonalConfig.model_type, PersonalConfig, exist_ok=True)
    AutoModelForSeq2SeqLM.register(PersonalConfig, PersonalLstm, exist_ok=True)
