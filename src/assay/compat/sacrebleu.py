"""The interface of `sacrebleu`: BLEU, chrF and TER of a corpus or a sentence, with its result objects.

References are transposed as in sacrebleu: one list per set of references, each with one text per output.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from assay.errors import AssayError
from assay.metrics.engine.base import SumMetric
from assay.metrics.engine.statistics import Floats
from assay.metrics.lexical.bleu import Bleu
from assay.metrics.lexical.chrf import Chrf
from assay.metrics.lexical.ter import Ter
from assay.records.items import Items
from assay.records.types import Example

Streams = Sequence[Sequence[str | None]]
ORDER = 4


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Streams,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = False,
) -> Any:
    """Return corpus BLEU as a `sacrebleu.metrics.bleu.BLEUScore`.

    >>> from assay.compat import sacrebleu
    >>> round(sacrebleu.corpus_bleu(["the cat sat on the mat"], [["the cat sat on a mat"]]).score, 2)
    53.73
    """
    return BLEU(
        lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    ).corpus_score(hypotheses, references)


def raw_corpus_bleu(hypotheses: Sequence[str], references: Streams, smooth_value: float | None = 0.1) -> Any:
    """Return corpus BLEU of tokenized texts with floor smoothing."""
    return corpus_bleu(hypotheses, references, "floor", smooth_value, True, False, "none", True)


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = True,
) -> Any:
    """Return BLEU of one output."""
    return BLEU(
        lowercase, False, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    ).sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Streams,
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> Any:
    """Return corpus chrF as a `sacrebleu.metrics.chrf.CHRFScore`."""
    made = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return made.corpus_score(hypotheses, references)


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> Any:
    """Return chrF of one output."""
    made = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return made.sentence_score(hypothesis, references)


def corpus_ter(
    hypotheses: Sequence[str],
    references: Streams,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> Any:
    """Return corpus TER as a `sacrebleu.metrics.ter.TERScore`."""
    return TER(normalized, no_punct, asian_support, case_sensitive).corpus_score(hypotheses, references)


def sentence_ter(
    hypothesis: str,
    references: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> Any:
    """Return TER of one output."""
    return TER(normalized, no_punct, asian_support, case_sensitive).sentence_score(hypothesis, references)


class _Scorer(ABC):
    """Base of the three classes: `corpus_score`, `sentence_score` and `get_signature`."""

    metric: SumMetric

    def corpus_score(self, hypotheses: Sequence[str], references: Streams) -> Any:
        """Return the score of a corpus."""
        items = to_items(hypotheses, references)
        self._nrefs = "var" if len({len(each) for each in items.references}) > 1 else str(len(items.references[0]))
        return self._score(self.metric.summands(self.metric.statistics(items)).sum(axis=0))

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Any:
        """Return the score of one output against its references."""
        if not isinstance(hypothesis, str) or isinstance(references, str):
            raise TypeError("the hypothesis is one string, and its references are a list of strings")
        return self.corpus_score([hypothesis], [[text] for text in references])

    def get_signature(self) -> str:
        """Return the signature of the last score; it names assay as the implementation."""
        return self.metric.signature(getattr(self, "_nrefs", "1"))

    @abstractmethod
    def _score(self, sums: Floats) -> Any:
        """Return the sums as the result object of sacrebleu."""


class BLEU(_Scorer):
    """`sacrebleu.metrics.BLEU`."""

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
    ) -> None:
        if max_ngram_order != ORDER:
            raise AssayError(f"max_ngram_order={max_ngram_order}: only {ORDER} is supported. Use sacrebleu.")
        usual = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}.get(trg_lang, "13a")
        made: Any = Bleu
        self.metric: Bleu = made(lowercase, tokenize or usual, smooth_method, smooth_value, effective_order)

    def _score(self, sums: Floats) -> Any:
        from sacrebleu.metrics.bleu import BLEUScore

        values = self.metric.values(sums[None, :])
        length, reference, *counts = (int(count) for count in sums)
        correct, total = counts[:ORDER], counts[ORDER:]
        if self.metric.smoothing == "add-k" and any(correct):  # sacrebleu includes smoothing in the counts
            more: Any = 1 if self.metric.smooth_value is None else self.metric.smooth_value
            correct[1:], total[1:] = ([count + more for count in each[1:]] for each in (correct, total))
        return BLEUScore(
            score=float(values["bleu"][0]),
            counts=correct,
            totals=total,
            precisions=[float(values[f"bleu.precision{n}"][0]) for n in range(1, ORDER + 1)],
            bp=float(values["bleu.brevity"][0]),
            sys_len=length,
            ref_len=reference,
        )


class CHRF(_Scorer):
    """`sacrebleu.metrics.CHRF`."""

    def __init__(
        self,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> None:
        self.metric: Chrf = Chrf(
            char_order=char_order,
            word_order=word_order,
            beta=beta,
            lowercase=lowercase,
            whitespace=whitespace,
            eps_smoothing=eps_smoothing,
        )

    def _score(self, sums: Floats) -> Any:
        from sacrebleu.metrics.chrf import CHRFScore

        score = float(self.metric.values(sums[None, :])["chrf"][0])
        return CHRFScore(score, self.metric.char_order, self.metric.word_order, int(self.metric.beta))


class TER(_Scorer):
    """`sacrebleu.metrics.TER`."""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self.metric: Ter = Ter(case_sensitive, normalized, no_punct, asian_support, references_twice=normalized)

    def _score(self, sums: Floats) -> Any:
        from sacrebleu.metrics.ter import TERScore

        edits, length = (float(value) for value in sums)
        return TERScore(float(self.metric.values(sums[None, :])["ter"][0]), edits, length)


def to_items(hypotheses: Sequence[str], references: Streams) -> Items:
    """Return outputs with their references, which sacrebleu transposes; None marks a missing reference."""
    if isinstance(hypotheses, str) or not all(isinstance(text, str) for text in hypotheses):
        raise TypeError("hypotheses are a list of strings")
    if isinstance(references, str) or any(isinstance(stream, str) for stream in references):
        raise TypeError("references are a list of lists of strings, one list for each set of references")
    if any(len(stream) != len(hypotheses) for stream in references):
        raise EOFError("Source and reference streams have different lengths!")
    examples = []
    for number, texts in enumerate(zip_longest(*references)):
        present = tuple(text for text in texts if text is not None)
        if not present:
            raise RuntimeError(f"output {number + 1} has no reference: all are None")
        examples.append(Example(id=str(number), references=present))
    if not examples:
        raise RuntimeError("there is nothing to score")
    return Items(tuple(hypotheses), tuple(examples))
