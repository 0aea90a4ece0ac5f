"""Sets of metrics that go together, by task. What a suite's metric needs and does not find is listed as skipped."""

from __future__ import annotations

WORDS = ("ngrams", "msttr", "lengths")

SUITES: dict[str, tuple[str, ...]] = {
    "default": ("rouge", "bleu", "chrf", *WORDS),
    "gem-light": ("bleu:gem", "chrf", "rouge:gem", *WORDS),
    "summarization": ("rouge:stemmer=true", "chrf", *WORDS),
    "data-to-text": ("bleu", "chrf++", "rouge", *WORDS),
    "simplification": ("bleu", "chrf", "rouge", *WORDS),
}
