"""Training objective for personalised responses: question and user are the first tokens of the input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from assay.errors import AssayError
from assay.records.types import Example
from assay.systems.neural.build_model import SIZES, SPECIAL, make_tokenizer
from assay.systems.neural.generation_objective import Item, Seq2Seq
from assay.systems.neural.memory import MEMORY, Memory
from assay.systems.neural.personal_recipe import PersonalRecipe

FEW = 2
"""Training responses of a user below which a warning is given."""


def person_of(example: Example) -> tuple[str, str]:
    """Return question and user of an example: its tags; without a question, its input."""
    user = example.tags.get("user")
    if not user:
        raise AssayError(f'id {example.id}: tag "user" is missing: the user who answers')
    return example.tags.get("question", ""), user


def token(kind: str, name: str) -> str:
    return f"<{kind}:{name}>"


def person_ids(tokenizer: Any, example: Example) -> list[int]:
    """Return the tokens of question and user; the general ones where one was not in the training data."""
    vocabulary = tokenizer.get_vocab()
    question, user = person_of(example)
    pairs = (("question", question), ("user", user))
    return [int(vocabulary.get(token(kind, name), vocabulary[token(kind, "")])) for kind, name in pairs]


def personal_model(recipe: PersonalRecipe, examples: Sequence[Example], texts: Iterable[str]) -> tuple[Any, Any]:
    """Return a randomly initialised model and its tokenizer, with a token for each question and user."""
    import torch

    if recipe.model not in SIZES:
        raise AssayError(f"recipe: personal starts from random weights; set model to one of {', '.join(SIZES)}")
    torch.manual_seed(recipe.seed)
    people = [person_of(example) for example in examples]
    questions = ["", *sorted({question for question, _ in people if question})]
    users = ["", *sorted({user for _, user in people})]
    special = [*(token("question", one) for one in questions), *(token("user", one) for one in users)]
    tokenizer = make_tokenizer(texts, recipe.vocabulary + len(special), special)
    own: dict[str, Any] = {
        "person": recipe.person, "ranks": (recipe.tucker_rank,) * 3, "first_question": len(SPECIAL),
        "questions": len(questions), "first_user": len(SPECIAL) + len(questions), "users": len(users),
        "vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id,
        "decoder_start_token_id": tokenizer.pad_token_id, "n_positions": max(recipe.source_limit, recipe.target_limit),
    }  # fmt: skip
    return (_lstm if recipe.architecture == "lstm" else _transformer)(recipe, own, tokenizer), tokenizer


def _lstm(recipe: PersonalRecipe, own: dict[str, Any], tokenizer: Any) -> Any:
    from assay.models.personal_lstm import PersonalConfig, PersonalLstm

    width, layers, *_ = SIZES[recipe.model]
    return PersonalLstm(
        PersonalConfig(
            hidden_size=2 * width, num_layers=layers, dropout=recipe.dropout, copies=recipe.copies, mix=recipe.mix,
            bos_token_id=tokenizer.bos_token_id, **own,
        )
    )  # fmt: skip


def _transformer(recipe: PersonalRecipe, own: dict[str, Any], tokenizer: Any) -> Any:
    from assay.models.personal_transformer import PersonalTransformer, PersonalTransformerConfig

    width, layers, heads, inner = SIZES[recipe.model]
    return PersonalTransformer(
        PersonalTransformerConfig(
            d_model=width, d_kv=width // heads, d_ff=inner, num_layers=layers, num_heads=heads,
            dropout_rate=recipe.dropout, **own,
        )
    )  # fmt: skip


class Personal(Seq2Seq):
    """Responses of users. Row 0 of the factors is trained by hiding question and user of every tenth item."""

    memory: Memory | None = None

    @property
    def extra_files(self) -> dict[str, str]:
        return super().extra_files | ({MEMORY: self.memory.to_json()} if self.memory else {})

    def _items_of(self, example: Example) -> list[Item]:
        head, room = person_ids(self.tokenizer, example), self.recipe.source_limit
        past: list[int] = []
        if self.memory:
            texts = self.memory.responses(person_of(example)[1], example, self.form)
            past = self.memory.tokens(self.tokenizer, texts, room)
        made = super()._items_of(example)
        self.own += [len(head) + len(item.source) for item in made]
        return [Item(head + item.source + past, item.target) for item in made]

    def _items(self, examples: Sequence[Example]) -> list[Item]:
        self.own: list[int] = []  # tokens of each item before the past responses
        learned = hasattr(self, "users")
        if not learned and isinstance(self.recipe, PersonalRecipe) and self.recipe.memory:
            self.memory = Memory.of_training(examples, self.recipe.memory, self.form)
        made = super()._items(examples)
        if learned:
            return made  # validation: no item is changed
        self.users = Counter(person_of(example)[1] for example in examples)
        general = [int(self.tokenizer.convert_tokens_to_ids(token(kind, ""))) for kind in ("question", "user")]
        hidden = list(zip(made, self.own, strict=True))[::10]
        return made + [Item(general + item.source[len(general) : own], item.target) for item, own in hidden]

    def notes(self) -> list[str]:
        few = [user for user, count in self.users.items() if count < FEW]
        have = "user has" if len(few) == 1 else "users have"
        shown = f"{len(few)} {have} one response only ({', '.join(few[:3])}): too little to learn from"
        return [*super().notes(), *([shown] if few else [])]
