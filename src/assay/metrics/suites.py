"""Sets of metrics that go together, by task. What a suite's metric needs and does not find is listed as skipped."""

from __future__ import annotations

WORDS = ("ngrams", "msttr", "lengths")

SUITES: dict[str, tuple[str, ...]] = {
    "default": ("rouge", "bleu", "chrf", *WORDS),
    "gem-light": (
        "bleu:gem",
        "chrf",
        "rouge:gem",
        *WORDS,
        "ttr",
        "yules_i",
        "nist",
        "cider",
        "local_recall",
        "sari:gem",
    ),
    "summarization": ("rouge:stemmer=true", "chrf", *WORDS, "repetition", "novelty"),
    "data-to-text": ("bleu", "chrf++", "rouge", "nist", "ter", *WORDS, "local_recall"),
    "simplification": ("sari", "bleu", "chrf", "rouge", "fkgl", "rewriting", *WORDS),
}
