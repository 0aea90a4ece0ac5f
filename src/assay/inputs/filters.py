"""Select sentences of a long source within a token budget: lead, oracle or learned."""

from __future__ import annotations

import itertools
import math
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Sequence

from assay.errors import AssayError, first_line
from assay.extras import not_installed
from assay.inputs.marked import shown
from assay.inputs.schema import schema
from assay.models.hub import may_download
from assay.models.trust import check_refusal, code_options
from assay.records.kinds import Sentences
from assay.records.types import Example
from assay.text.english import stemmed_words
from assay.text.sentences import split_sentences
from assay.text.tokenize import ascii_words

Words = Callable[[str], list[str]]
Length = Callable[[str], int]

BUDGET = 512
"""Budget in words of the oracle when training a filter."""


def whitespace_length(special: int = 0) -> Length:
    """Return the words of a sentence plus the special tokens of a model's tokenizer."""
    return lambda sentence: len(sentence.split()) + special


def tokenizer_length(name: str) -> Length:
    """Return the tokens of a sentence by a Hugging Face tokenizer, including special tokens."""
    try:
        from transformers import AutoTokenizer  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise AssayError(f"tokenizer {name}: {not_installed(['transformers'], 'neural')}") from None
    may_download(name)
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, **code_options())  # type: ignore[no-untyped-call, unused-ignore]
    except (OSError, ValueError) as error:
        check_refusal(name, error)
        raise AssayError(f"tokenizer {name}: not found ({first_line(error)}); pass a folder") from None
    return lambda sentence: len(tokenizer.encode(sentence))


def lead(sentences: Sequence[str], budget: int, length: Length) -> list[int]:
    """Select from the start to the first sentence that does not fit; always the first one; skip repeated ones."""
    return _fill([], sentences, [length(sentence) for sentence in sentences], budget, 0)


def _fill(taken: list[int], sentences: Sequence[str], lengths: Sequence[int], budget: int, used: int) -> list[int]:
    """Add sentences from the start of the document; an empty selection gets the first one even if too long."""
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
    """Reference bigrams in the selected sentences in document order, updated sentence by sentence."""

    def __init__(self, sentences: Sequence[str], targets: Sequence[str], words: Words) -> None:
        reference = words("\n".join(targets))
        self.wanted = Counter(itertools.pairwise(reference))
        split = [words(sentence) for sentence in sentences]
        self.ends = [(tokens[0], tokens[-1]) if tokens else None for tokens in split]
        self.inner = [Counter(pair for pair in itertools.pairwise(tokens) if pair in self.wanted) for tokens in split]
        self.have: Counter[tuple[str, str]] = Counter()
        self.selected: list[int] = []  # only sentences with words, in document order

    def _change(self, i: int) -> Counter[tuple[str, str]]:
        """Return the bigrams gained and lost by inserting sentence i between its neighbours."""
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
        """Return the number of additional reference bigrams that sentence i matches."""
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
    """Select greedily by gain in ROUGE-2 recall per length, then add sentences from the start."""
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
            # Gains per length, compared without rounding; ties go to the first.
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
    """Select training labels of a filter: greedily like the oracle, but always the best sentence, up to the first
    that would reach the budget, and without adding sentences from the start. A first sentence that is too long is
    selected alone."""
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
    """Select by descending score of a model up to the first sentence that does not fit."""
    if len(scores) != len(sentences):
        raise AssayError(f"{len(scores)} scores for {len(sentences)} sentences; pass one per sentence")
    if not all(map(math.isfinite, scores)):  # NaN and infinity cannot be ranked
        bad = next(i for i, score in enumerate(scores) if not math.isfinite(score))
        raise AssayError(f"score {bad + 1} is {scores[bad]}; pass a finite number for each sentence")
    chosen: list[int] = []
    used = 0
    for i in sorted(range(len(sentences)), key=lambda i: (-scores[i], i)):
        size = length(sentences[i])
        if chosen and used + size > budget:
            break
        chosen.append(i)
        used += size
    return sorted(chosen)


def plain_targets(example: Example, named: str = "") -> list[str]:
    """Return the references for the oracle: without the markers of a schema (default: FOMC's), statements
    concatenated."""
    known = schema(named)
    texts = [shown(text.replace("<sent>", " "), "without markers", known) for text in example.references]
    return [" ".join(text.split()) for text in texts]


def sentence_pairs(
    examples: Sequence[Example], budget: int = BUDGET, special: int = 2, schema: str = ""
) -> list[Example]:
    """Return training data of a filter: one ranking per source, with sentences as candidates and labels as gold."""
    made = []
    for example in examples:
        sentences = list(dict.fromkeys(split_sentences(example.source or "", language=example.language)))
        kept = set(taught(sentences, plain_targets(example, schema), budget, whitespace_length(special)))
        if 0 < len(kept) < len(sentences):
            labels = [int(i in kept) for i in range(len(sentences))]
            structure = Sentences(candidates=sentences, labels=labels).plain()
            made.append(Example(id=example.id, source="keep", input=structure, split=example.split))
    if examples and not made:
        raise AssayError(
            f"no training data for a filter: with {budget} words the oracle keeps all sentences or none of each of "
            f"{len(examples)} sources (first: {examples[0].id}); pass longer sources with references"
        )
    return made
