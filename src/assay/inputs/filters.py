"""Which sentences of a long source a model gets to see: lead, oracle or learned, under a budget of tokens."""

from __future__ import annotations

import itertools
import math
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Sequence

from assay.errors import AssayError, first_line
from assay.extras import not_installed
from assay.inputs.spans import remove_markers
from assay.models.trust import check_refusal, code_options
from assay.records.kinds import Sentences
from assay.records.types import Example
from assay.text.english import stemmed_words
from assay.text.sentences import split_sentences
from assay.text.tokenize import ascii_words

Words = Callable[[str], list[str]]
Length = Callable[[str], int]

BUDGET = 512
"""Words that the oracle may keep while a filter learns from it."""


def whitespace_length(special: int = 0) -> Length:
    """Words of a sentence, plus what a model's tokenizer would add to each."""
    return lambda sentence: len(sentence.split()) + special


def tokenizer_length(name: str) -> Length:
    """Tokens of a sentence with any Hugging Face tokenizer, its special tokens included."""
    try:
        from transformers import AutoTokenizer  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise AssayError(f"tokenizer {name}: {not_installed(['transformers'], 'neural')}") from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, **code_options())  # type: ignore[no-untyped-call, unused-ignore]
    except (OSError, ValueError) as error:
        check_refusal(name, error)
        raise AssayError(f"tokenizer {name}: not found ({first_line(error)}); give a folder") from None
    return lambda sentence: len(tokenizer.encode(sentence))


def lead(sentences: Sequence[str], budget: int, length: Length) -> list[int]:
    """From the top until the first sentence that does not fit; the first one always, repeats skipped."""
    return _fill([], sentences, [length(sentence) for sentence in sentences], budget, 0)


def _fill(taken: list[int], sentences: Sequence[str], lengths: Sequence[int], budget: int, used: int) -> list[int]:
    """Fill up from the top of the document; an empty choice takes the first sentence even if it is too long."""
    chosen = set(taken)
    texts = {sentences[i] for i in taken}
    for i, sentence in enumerate(sentences):
        if i in chosen or sentence in texts:
            continue
        if chosen and used + lengths[i] > budget:
            break
        chosen.add(i)
        texts.add(sentence)
        used += lengths[i]
    return sorted(chosen)


class _Recall:
    """Reference bigrams found in the selected sentences in document order, updated one sentence at a time."""

    def __init__(self, sentences: Sequence[str], targets: Sequence[str], words: Words) -> None:
        reference = words("\n".join(targets))
        self.wanted = Counter(itertools.pairwise(reference))
        split = [words(sentence) for sentence in sentences]
        self.ends = [(tokens[0], tokens[-1]) if tokens else None for tokens in split]
        self.inner = [Counter(pair for pair in itertools.pairwise(tokens) if pair in self.wanted) for tokens in split]
        self.have: Counter[tuple[str, str]] = Counter()
        self.selected: list[int] = []  # only sentences with words, in document order

    def _change(self, i: int) -> Counter[tuple[str, str]]:
        """Bigrams gained and lost when sentence i goes to its place between its neighbours."""
        ends = self.ends[i]
        if ends is None:
            return Counter()
        change = Counter(self.inner[i])
        place = bisect(self.selected, i)
        before = self.ends[self.selected[place - 1]] if place else None
        after = self.ends[self.selected[place]] if place < len(self.selected) else None
        if before:
            change[before[1], ends[0]] += 1
        if after:
            change[ends[1], after[0]] += 1
        if before and after:
            change[before[1], after[0]] -= 1
        return change

    def gain(self, i: int) -> int:
        """How many more reference bigrams are matched with sentence i."""
        total = 0
        for pair, count in self._change(i).items():
            limit = self.wanted.get(pair, 0)
            if limit:
                total += min(self.have[pair] + count, limit) - min(self.have[pair], limit)
        return total

    def take(self, i: int) -> None:
        for pair, count in self._change(i).items():
            self.have[pair] += count
        if self.ends[i] is not None:
            self.selected.insert(bisect(self.selected, i), i)


def oracle(
    sentences: Sequence[str], targets: Sequence[str], budget: int, length: Length, words: Words = ascii_words
) -> list[int]:
    """Greedily what raises ROUGE-2 recall against the targets most for its length, then filled up from the top."""
    recall = _Recall(sentences, targets, words)
    lengths = [length(sentence) for sentence in sentences]
    pool = list(range(len(sentences)))
    taken: list[int] = []
    texts: set[str] = set()
    used = 0
    while True:
        best, best_gain, kept = -1, 0, []
        for i in pool:
            if used + lengths[i] > budget or sentences[i] in texts:
                continue
            gain = recall.gain(i)
            if gain == 0:
                continue
            kept.append(i)
            # Gains for their length, compared without rounding: the first of equals wins.
            if gain > 0 and (best < 0 or gain * lengths[best] > best_gain * lengths[i]):
                best, best_gain = i, gain
        if best < 0:
            return _fill(taken, sentences, lengths, budget, used)
        recall.take(best)
        taken.append(best)
        texts.add(sentences[best])
        used += lengths[best]
        pool = [i for i in kept if i != best]


def taught(
    sentences: Sequence[str], targets: Sequence[str], budget: int, length: Length, words: Words = stemmed_words
) -> list[int]:
    """What a filter is taught to keep: greedily as the oracle, but the best sentence of all is taken, it ends where
    that one would reach the budget, and nothing is filled up, so what has nothing to do with the targets is never kept.
    A first sentence that is too long is kept alone."""
    recall = _Recall(sentences, targets, words)
    lengths = [length(sentence) for sentence in sentences]
    taken: list[int] = []
    used = 0
    while True:
        pool = [(i, recall.gain(i)) for i in range(len(sentences)) if i not in taken]
        gains = [(gain / lengths[i], -i) for i, gain in pool if gain > 0]
        if not gains:
            return sorted(taken)
        best = -max(gains)[1]
        if taken and used + lengths[best] >= budget:
            return sorted(taken)
        recall.take(best)
        taken.append(best)
        used += lengths[best]


def learned(sentences: Sequence[str], scores: Sequence[float], budget: int, length: Length) -> list[int]:
    """By descending score of any model until the first sentence that does not fit."""
    if len(scores) != len(sentences):
        raise AssayError(f"{len(scores)} scores for {len(sentences)} sentences; give one for each")
    if not all(map(math.isfinite, scores)):  # they have no order, so nothing could be chosen by them
        bad = next(i for i, score in enumerate(scores) if not math.isfinite(score))
        raise AssayError(f"score {bad + 1} is {scores[bad]}; give a finite number for each sentence")
    chosen: list[int] = []
    used = 0
    for i in sorted(range(len(sentences)), key=lambda i: (-scores[i], i)):
        size = length(sentences[i])
        if chosen and used + size > budget:
            break
        chosen.append(i)
        used += size
    return sorted(chosen)


def plain_targets(example: Example) -> list[str]:
    """The references as the oracle compares them: without markers, statements one after the other."""
    return [remove_markers(text.replace("<sent>", " ")) for text in example.references]


def sentence_pairs(examples: Sequence[Example], budget: int = BUDGET, special: int = 2) -> list[Example]:
    """What a filter learns from: a ranking a source, its sentences the candidates, those that it is taught gold."""
    made = []
    for example in examples:
        sentences = list(dict.fromkeys(split_sentences(example.source or "", language=example.language)))
        kept = set(taught(sentences, plain_targets(example), budget, whitespace_length(special)))
        if 0 < len(kept) < len(sentences):
            labels = [int(i in kept) for i in range(len(sentences))]
            given = Sentences(candidates=sentences, labels=labels).plain()
            made.append(Example(id=example.id, source="keep", input=given, split=example.split))
    if examples and not made:
        raise AssayError(
            f"a filter has nothing to learn: in none of {len(examples)} sources ({examples[0].id} first) does the "
            f"oracle keep some sentences and leave others out, at {budget} words; give longer sources, with references"
        )
    return made
