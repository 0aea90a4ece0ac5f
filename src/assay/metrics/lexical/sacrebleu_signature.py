"""Signatures of BLEU, chrF and TER in the format of sacrebleu."""

from __future__ import annotations

from functools import lru_cache

SACREBLEU_TOKENIZERS = ("intl", "zh", "ja-mecab", "ko-mecab")
"""Tokenizers that sacrebleu itself runs, so that its version can change the score."""


@lru_cache
def _version() -> str:
    from importlib.metadata import version

    return version("sacrebleu")


def sacrebleu_signature(name: str, nrefs: str, by: str, **choices: object) -> str:
    """Return a signature in the format of sacrebleu: `bleu|nrefs:1|case:mixed|...|version:assay-0.1.0`."""
    words = {True: "yes", False: "no"}
    described = [f"{key}:{words[value] if isinstance(value, bool) else value}" for key, value in choices.items()]
    cut = [f"sacrebleu:{_version()}"] if choices.get("tok") in SACREBLEU_TOKENIZERS else []
    return "|".join([name, f"nrefs:{nrefs if nrefs.isdigit() else 'var'}", *described, *cut, f"version:{by}"])
