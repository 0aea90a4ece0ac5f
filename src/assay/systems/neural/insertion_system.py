"""Generation by insertion: the required words stay, and rounds of insertion between them write the text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError, first_line
from assay.extras import missing_extra
from assay.inputs.insertion import NOI, START, concept_words, inserted, join_words
from assay.models.checkpoints import fingerprint
from assay.models.devices import limited_threads
from assay.records.types import Example
from assay.seeds import rng_for
from assay.systems.base import Answer, System
from assay.systems.neural.insertion_objective import required
from assay.systems.neural.insertion_units import PIECE, Units
from assay.text.english import STOP

PREVENTED = frozenset("\"'`()[]{}<>&-")
"""Characters whose insertion `prevent` makes less likely."""
UNUSED = "[unused"
"""Start of tokens of BERT that have no meaning."""
LESS_PREVENTED, LESS_REPEATED = 0.3, 0.8


@dataclass(eq=False)
class Insertion(System):
    """A model of `assay system train insertion`. Required words are never removed, so that every text has them all."""

    name: ClassVar = "insertion"
    about: ClassVar = "a text around required words, by rounds of insertion (POINTER); contains all of them"
    abilities: ClassVar = ("generate",)
    takes_form: ClassVar = False
    argument: ClassVar = "path"
    extra: ClassVar = "neural"
    citation: ClassVar = "Zhang et al. (2020), POINTER; Shvets (2021), System Description for CommonGen with POINTER"
    presets: ClassVar = {
        "greedy": {"temperature": 0.3, "noi_decay": 1, "reduce_decay": 1, "prevent": True, "less_repeat": True},
        "sampling": {"sample": True, "top_k": 10, "top_p": 0.95, "temperature": 0.9, "noi_decay": 1,
                     "reduce_decay": 1, "prevent": True, "less_repeat": True},
    }  # fmt: skip

    path: str = ""
    """Folder of the model."""
    rounds: int = 6
    """Maximum number of rounds."""
    longest: int = 256
    """Maximum number of words."""
    sample: bool = False
    """Draw the word of each gap; else take the most likely one."""
    temperature: float = 1.0
    """Divides the log-probabilities."""
    top_k: int = 0
    """Draw from the k most likely words (default: 0, all)."""
    top_p: float = 1.0
    """Draw from the most likely words with this total probability, after top_k."""
    noi_decay: int = 0
    """Rounds in which the probability of no insertion is reduced: times (round + 1) / (noi_decay + 1)."""
    reduce_decay: int = 0
    """Rounds in which the probability of function words and punctuation is reduced, in the same way."""
    prevent: bool = False
    """Multiply the probability of quotes, brackets and hyphens by 0.3."""
    less_repeat: bool = False
    """Multiply the probability of words that are in the text already by 0.8."""

    def __post_init__(self) -> None:
        for name in ("rounds", "longest"):
            self.require(name, 1)
        for name in ("top_k", "noi_decay", "reduce_decay"):
            self.require(name, 0)
        if not 0 < self.top_p <= 1 or self.temperature <= 0:
            raise AssayError("insertion: top_p lies in (0, 1], and temperature is above 0")

    def why_not(self) -> str | None:
        named = None if self.path else "name the model: insertion:FOLDER (of `assay system train insertion`)"
        return missing_extra("neural") or named

    def fingerprint(self) -> list[Any]:
        return [*super().fingerprint(), fingerprint(self.path)]

    @cached_property
    def files(self) -> tuple[str, str]:
        """The folder and the digest of its files, so that a model trained again is loaded again."""
        return self.path, fingerprint(self.path)

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        started = [self._start(example) for example in examples]
        words = [one[0] for one in started]
        gaps = [one[1] for one in started]
        rounds: list[list[str]] = [[] for _ in examples]
        draws = [rng_for(self.seed, "insertion", example.id) for example in examples]
        open_ones = list(range(len(examples)))
        for turn in range(self.rounds):
            if not open_ones:
                break
            scores = self._scores([words[i] for i in open_ones])
            left = []
            for i, values in zip(open_ones, scores, strict=True):
                labels = self._labels(words[i], gaps[i], values, turn, draws[i])
                if all(label == NOI for label in labels):
                    continue
                gaps[i] = [each for gap, label in zip(gaps[i], labels, strict=True)
                           for each in ([gap] if label == NOI else [None, None])]  # fmt: skip
                words[i] = inserted(words[i], labels)
                rounds[i].append(join_words(words[i][1:], gaps[i][1:]))
                left.append(i)
            open_ones = left
        for example, made, own, steps in zip(examples, words, gaps, rounds, strict=True):
            yield Answer(example.id, join_words(made[1:], own[1:]), {"rounds": steps})

    def _start(self, example: Example) -> tuple[list[str], list[str | None]]:
        """Return the first sequence, and the text after each word inside a concept of several words, where no word
        is inserted; None for other gaps."""
        words: list[str] = [START]
        gaps: list[str | None] = [None]
        for concept in required(example):
            for word, after in concept_words(concept):
                words.append(word)
                gaps.append(after)
        if len(words) == 1:
            raise AssayError(f"id {example.id}: no word to start from; leave the item out")
        if len(words) > self.longest:
            raise AssayError(f"id {example.id}: {len(words) - 1} words; the limit is {self.longest} (longest=)")
        return words, gaps

    def _scores(self, sequences: Sequence[Sequence[str]]) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
        """Return log-probabilities for the gap after every word of each sequence."""
        import torch

        from assay.systems.neural.encode import padded

        model, tokenizer = loaded(*self.files)
        rows, gaps = zip(*(units(*self.files).row(words) for words in sequences), strict=True)
        ids, mask = padded(rows, tokenizer.pad_token_id), padded([[1] * len(row) for row in rows], 0)
        with torch.no_grad(), limited_threads(model):
            logits = torch.log_softmax(model(input_ids=ids, attention_mask=mask).logits.double(), dim=-1).numpy()
        return [logits[i, places] for i, places in enumerate(gaps)]

    def _labels(
        self, words: Sequence[str], gaps: Sequence[str | None], scores: np.ndarray[Any, Any], turn: int, draw: Random
    ) -> list[str]:
        """Return the word of each gap, or NOI; no more than fit into the longest text."""
        _, tokenizer = loaded(*self.files)
        factors = self._factors(words, turn)
        tokens = len(units(*self.files).row(words)[0])
        room = min(self.longest - len(words), position_limit(*self.files) - tokens)
        labels = []
        for gap, row in zip(gaps, scores, strict=True):
            if gap is not None or room <= 0:
                labels.append(NOI)
                continue
            label = str(tokenizer.convert_ids_to_tokens(self._drawn((row + factors) / self.temperature, draw)))
            room -= label != NOI
            labels.append(label)
        return labels

    def _drawn(self, row: np.ndarray[Any, Any], draw: Random) -> int:
        if not self.sample:
            return int(row.argmax())
        order = np.argsort(-row, kind="stable")[: self.top_k or None]
        chances = np.exp(row[order] - row[order[0]])
        chances /= chances.sum()
        kept = int(np.searchsorted(np.cumsum(chances), min(self.top_p, 1 - 1e-12))) + 1
        total = np.cumsum(chances[:kept])
        place = int(np.searchsorted(total, draw.random() * total[-1], side="right"))
        return int(order[min(place, kept - 1)])

    def _factors(self, words: Sequence[str], turn: int) -> np.ndarray[Any, Any]:
        """Return the logarithms of the factors on the probabilities of all words in this round."""
        _, tokenizer = loaded(*self.files)
        kinds = word_kinds(*self.files)
        factors = kinds.never.copy()
        factors[tokenizer.convert_tokens_to_ids(NOI)] += _decay(turn, self.noi_decay)
        factors[kinds.function] += _decay(turn, self.reduce_decay)
        if self.prevent:
            factors[kinds.prevented] += math.log(LESS_PREVENTED)
        if self.less_repeat:
            present = [i for i in tokenizer.convert_tokens_to_ids(list(words)) if i != tokenizer.unk_token_id]
            factors[sorted(set(present))] += math.log(LESS_REPEATED)
        return factors


def _decay(turn: int, decay: int) -> float:
    return math.log(min((turn + 1) / (decay + 1), 1.0))


@lru_cache(maxsize=2)
def loaded(path: str, content: str) -> tuple[Any, Any]:
    """Return model and tokenizer of a folder; the digest of its files is an argument, so that a changed folder is
    loaded again."""
    from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer

    from assay.models.checkpoints import check_folder
    from assay.models.devices import quiet_transformers
    from assay.models.hub import UNREACHABLE, stop_retries
    from assay.models.insertion_network import InsertionConfig, InsertionModel, register
    from assay.models.trust import code_options, weight_options

    check_folder(path)
    register()
    reachable = Path(path).is_dir() or stop_retries()
    try:
        own = AutoConfig.from_pretrained(path, **code_options()).model_type == InsertionConfig.model_type
        kind = InsertionModel if own else AutoModelForMaskedLM
        tokenizer = AutoTokenizer.from_pretrained(path, **code_options())
    except (OSError, ValueError, KeyError) as error:
        why = f"not found: {first_line(error)}" if reachable else f"are not downloaded, and {UNREACHABLE}"
        raise AssayError(f"weights for {path} {why}. Give a folder of `assay system train insertion`.") from None
    if NOI not in tokenizer.get_vocab():
        raise AssayError(f"{path}: no insertion model; train one with `assay system train insertion`")
    with quiet_transformers():
        return kind.from_pretrained(path, **weight_options()).eval(), tokenizer


@lru_cache(maxsize=2)
def units(path: str, content: str) -> Units:
    """Return how words become tokens of a model."""
    return Units(loaded(path, content)[1])


def position_limit(path: str, content: str) -> int:
    return int(loaded(path, content)[0].config.max_position_embeddings)


@dataclass(frozen=True)
class WordKinds:
    never: np.ndarray[Any, Any]
    function: np.ndarray[Any, Any]
    prevented: np.ndarray[Any, Any]


@lru_cache(maxsize=2)
def word_kinds(path: str, content: str) -> WordKinds:
    """Return which words are special tokens or pieces (never inserted), function words or punctuation, prevented."""
    _, tokenizer = loaded(path, content)
    words: Sequence[str] = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    special = set(tokenizer.all_special_tokens) - {NOI}
    special |= {word for word in words if word.startswith((PIECE, UNUSED))} if units(path, content).in_pieces else set()
    plain = [word not in special and word != NOI for word in words]
    return WordKinds(
        np.array([-math.inf if word in special else 0.0 for word in words]),
        np.array(
            [own and (word.lower() in STOP or not word[0].isalnum()) for own, word in zip(plain, words, strict=True)]
        ),
        np.array([own and bool(set(word) & PREVENTED) for own, word in zip(plain, words, strict=True)]),
    )
