"""What the signatures of BLEU, chrF and TER share with sacrebleu's: the same choices in the same words and order."""

from __future__ import annotations

from functools import lru_cache

ITS_OWN = ("intl", "zh", "ja-mecab", "ko-mecab")
"""Tokenizers for which sacrebleu itself is asked, so that its version can change the number."""


@lru_cache
def _version() -> str:
    from importlib.metadata import version

    return version("sacrebleu")


def sacrebleu_signature(name: str, nrefs: str, by: str, **choices: object) -> str:
    """`bleu|nrefs:1|case:mixed|...|version:assay-0.1.0`: the metric, sacrebleu's words, and who computed it."""
    words = {True: "yes", False: "no"}
    described = [f"{key}:{words[value] if isinstance(value, bool) else value}" for key, value in choices.items()]
    cut = [f"sacrebleu:{_version()}"] if choices.get("tok") in ITS_OWN else []
    return "|".join([name, f"nrefs:{nrefs if nrefs.isdigit() else 'var'}", *described, *cut, f"version:{by}"])
