"""Training objective for personalised responses: question and user are the first tokens of the input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from assay.errors import AssayError
from assay.records.types import Example
from assay.systems.neural.build_model import SIZES, SPECIAL, make_tokenizer
from assay.systems.neural.generation_objective import Item, Seq2Seq
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

    from assay.models.personal_lstm import PersonalConfig, PersonalLstm

    if recipe.model not in SIZES:
        raise AssayError(f"recipe: personal starts from random weights; set model to one of {', '.join(SIZES)}")
    torch.manual_seed(recipe.seed)
    people = [person_of(example) for example in examples]
    questions = ["", *sorted({question for question, _ in people if question})]
    users = ["", *sorted({user for _, user in people})]
    special = [*(token("question", one) for one in questions), *(token("user", one) for one in users)]
    tokenizer = make_tokenizer(texts, recipe.vocabulary + len(special), special)
    width, layers, _ = SIZES[recipe.model]
    config = PersonalConfig(
        vocab_size=len(tokenizer), hidden_size=2 * width, num_layers=layers, dropout=recipe.dropout,
        copies=recipe.copies, person=recipe.person, mix=recipe.mix, ranks=(recipe.tucker_rank,) * 3,
        first_question=len(SPECIAL), questions=len(questions), first_user=len(SPECIAL) + len(questions),
        users=len(users), pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        bos_token_id=tokenizer.bos_token_id, decoder_start_token_id=tokenizer.pad_token_id,
        n_positions=max(recipe.source_limit, recipe.target_limit),
    )  # fmt: skip
    return PersonalLstm(config), tokenizer


class Personal(Seq2Seq):
    """Responses of users. Row 0 of the factors is trained by hiding question and user of every tenth item."""

    def _items_of(self, example: Example) -> list[Item]:
        head = person_ids(self.tokenizer, example)
        return [Item(head + item.source, item.target) for item in super()._items_of(example)]

    def _items(self, examples: Sequence[Example]) -> list[Item]:
        made = super()._items(examples)
        if hasattr(self, "users"):
            return made  # validation: no item is changed
        self.users = Counter(person_of(example)[1] for example in examples)
        general = [int(self.tokenizer.convert_tokens_to_ids(token(kind, ""))) for kind in ("question", "user")]
        return made + [Item(general + item.source[len(general) :], item.target) for item in made[::10]]

    def notes(self) -> list[str]:
        few = [user for user, count in self.users.items() if count < FEW]
        shown = f"{len(few)} users have one response only ({', '.join(few[:3])}): their rows are hardly trained"
        return [*super().notes(), *([shown] if few else [])]
