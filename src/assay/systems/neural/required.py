"""Constrained decoding: a text must contain given phrases. Works with greedy search and sampling of any model.

Until all phrases are written the end of the text is forbidden, and their next tokens are made more likely. When the
tokens that are left are only just enough, the missing phrases are written one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Concepts
from assay.records.types import Example

CONCEPTS = "concepts"


class State(NamedTuple):
    """Phrases that are missing in a text, and how many tokens of each its end has already."""

    missing: list[Sequence[int]]
    started: list[int]


def state(made: Sequence[int], phrases: Sequence[Sequence[int]]) -> State:
    """Return which phrases a text lacks, and which of them it has started."""
    missing = [phrase for phrase in phrases if not _contains(made, phrase)]
    return State(missing, [_begun(made, phrase) for phrase in missing])


def _contains(made: Sequence[int], phrase: Sequence[int]) -> bool:
    size = len(phrase)
    return any(list(made[i : i + size]) == list(phrase) for i in range(len(made) - size + 1))


def _begun(made: Sequence[int], phrase: Sequence[int]) -> int:
    """Return the number of tokens of the phrase at the end of the text."""
    for size in range(min(len(phrase) - 1, len(made)), 0, -1):
        if list(made[-size:]) == list(phrase[:size]):
            return size
    return 0


@dataclass
class Required:
    """A logits processor that makes each row contain its phrases within `limit` tokens."""

    phrases: Sequence[Sequence[Sequence[int]]]
    start: int
    """Index of the first generated token in the ids."""
    end: int
    limit: int
    weight: float

    def __post_init__(self) -> None:
        for row in self.phrases:
            if sum(map(len, row)) >= self.limit:
                raise AssayError(
                    f"max_new={self.limit} does not leave room for the required words, {sum(map(len, row))} tokens and "
                    "the end; raise it"
                )

    def __call__(self, ids: Any, scores: Any) -> Any:
        for row, phrases in enumerate(self.phrases):
            made = ids[row, self.start :].tolist()
            missing, started = state(made, phrases)
            if not missing or self.end in made:
                continue
            scores[row, self.end] = float("-inf")
            first = max(range(len(missing)), key=lambda i: started[i])
            needed = sum(map(len, missing))  # a started phrase may be broken off, so that all its tokens count
            if self.limit - 1 - len(made) <= needed:
                forced = missing[first][started[first]]
                value = scores[row, forced].clone()
                scores[row] = float("-inf")
                scores[row, forced] = value if value > float("-inf") else 0.0
                continue
            for token in {phrase[size] for phrase, size in zip(missing, started, strict=True)}:
                scores[row, token] += self.weight
        return scores


def required_words(example: Example, must: str) -> list[str]:
    """Return the words that the output has to contain: the concepts of the input, or those of a tag."""
    if must == CONCEPTS:
        if kind_of(example) != "concepts":
            raise AssayError(f"id {example.id}: must=concepts needs concepts as input; name a tag with words instead")
        return [str(word) for word in read_input(example, Concepts).concepts]
    if must not in example.tags:
        raise AssayError(f"id {example.id}: no tag '{must}' with the required words, separated by commas")
    return [word.strip() for word in example.tags[must].split(",") if word.strip()]


def required_tokens(tokenizer: Any, words: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each word after a space; a word that is part of another is left out."""
    made = [list(tokenizer(f"x {word}", add_special_tokens=False, verbose=False).input_ids) for word in words]
    lead = len(tokenizer("x", add_special_tokens=False, verbose=False).input_ids)
    tokens = [ids[lead:] for ids in made if ids[lead:]]
    different = [one for i, one in enumerate(tokens) if one not in tokens[:i]]
    return [one for one in different if not any(one != other and _contains(other, one) for other in different)]


def penalise_repeated(ids: Any, scores: Any, start: int, penalty: float) -> Any:
    """Make tokens that the text already has less likely: positive scores are divided by the penalty, negative ones are
    multiplied (Keskar et al. 2019). The input does not count."""
    import torch

    for row in range(len(scores)):
        used = torch.unique(ids[row, start:])
        values = scores[row, used]
        scores[row, used] = torch.where(values > 0, values / penalty, values * penalty)
    return scores
