"""The alternative annotator test (Calderon, Reichart and Dror, 2025): winning rates and advantage probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.datasets.alttest import HUMANS, MODELS, labels_of
from assay.meta.reproduce.cells import Cell, cell, read_rows, require_files
from assay.stats.alternative_annotator import Alignment, Scoring, alternative_annotator_test

SETTINGS: dict[str, tuple[Scoring, float]] = {
    "framing": ("accuracy", 0.15), "cebab_aspects": ("accuracy", 0.1), "summeval": ("rmse", 0.2),
    "10k_prompts": ("rmse", 0.15), "cebab_stars": ("rmse", 0.1), "kilogram": ("accuracy", 0.1),
}  # fmt: skip
"""Alignment and epsilon of each data set, as in the released notebook; kilogram is not in it."""
# winning rate and advantage probability, as printed by the released notebook
PRINTED = """
framing gemini_flash | 1.00 0.83
framing gemini_pro | 1.00 0.91
framing gpt-4o | 1.00 0.92
framing llama-31 | 0.50 0.80
framing gpt-4o-mini | 1.00 0.87
framing mistral-v03 | 0.25 0.80
cebab_aspects gemini_flash | 0.70 0.91
cebab_aspects gemini_pro | 0.90 0.94
cebab_aspects gpt-4o | 0.90 0.93
cebab_aspects llama-31 | 0.60 0.89
cebab_aspects gpt-4o-mini | 0.50 0.90
cebab_aspects mistral-v03 | 0.10 0.81
summeval gemini_flash | 0.00 0.46
summeval gemini_pro | 0.00 0.44
summeval gpt-4o | 0.00 0.48
summeval llama-31 | 0.00 0.58
summeval gpt-4o-mini | 0.00 0.54
summeval mistral-v03 | 0.00 0.62
10k_prompts gemini_flash | 0.31 0.67
10k_prompts gemini_pro | 0.08 0.63
10k_prompts gpt-4o | 0.69 0.76
10k_prompts llama-31 | 0.15 0.67
10k_prompts gpt-4o-mini | 0.92 0.80
10k_prompts mistral-v03 | 0.15 0.67
cebab_stars gemini_flash | 0.60 0.82
cebab_stars gemini_pro | 0.80 0.87
cebab_stars gpt-4o | 0.90 0.90
cebab_stars llama-31 | 0.60 0.85
cebab_stars gpt-4o-mini | 0.90 0.89
cebab_stars mistral-v03 | 0.50 0.83
"""
WORDS = "similarity of words in place of sentence vectors, which the paper uses for free descriptions; not printed"


def alttest(folder: Path) -> list[Cell]:
    """Return the winning rate and the advantage probability of every model on every data set."""
    printed = dict(read_rows(PRINTED))
    return [each for subset in SETTINGS for each in _subset(folder / "alttest" / subset, subset, printed)]


def _subset(folder: Path, subset: str, printed: Mapping[str, Sequence[str | None]]) -> Iterator[Cell]:
    people, models = require_files(folder, HUMANS, MODELS)
    humans = labels_of(people)
    scoring, epsilon = SETTINGS[subset]
    align: Scoring | Alignment = _overlap if subset == "kilogram" else scoring
    for model, labels in labels_of(models).items():
        result = alternative_annotator_test(labels, humans, align, epsilon)
        known = printed.get(f"{subset} {model}", [None, None])
        note = WORDS if subset == "kilogram" else f"epsilon {epsilon:g}, {len(result.annotators)} annotators"
        table = f"{subset} (epsilon {epsilon:g})"
        yield cell(table, model, "winning rate", known[0], result.winning_rate, note)
        yield cell(table, model, "advantage probability", known[1], result.advantage_probability, note)


def _overlap(label: float | str, others: Sequence[float | str]) -> float:
    """Return the mean share of words that a description has in common with the others (Dice)."""
    own = set(str(label).lower().strip("*. ").split())
    texts = [set(str(other).lower().split()) for other in others]
    return sum(2 * len(own & text) / max(1, len(own) + len(text)) for text in texts) / len(texts)
