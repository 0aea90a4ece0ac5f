"""What BLEU, chrF and TER share with sacrebleu: its signature, letter by letter, without importing it."""

from __future__ import annotations

from functools import lru_cache


@lru_cache
def _version() -> str:
    from importlib.metadata import version

    return version("sacrebleu")


def sacrebleu_signature(nrefs: str, **choices: object) -> str:
    """`nrefs:1|case:mixed|...|version:2.6.0`, as `sacrebleu` itself would print it."""
    words = {True: "yes", False: "no"}
    described = [f"{key}:{words[value] if isinstance(value, bool) else value}" for key, value in choices.items()]
    return "|".join([f"nrefs:{nrefs if nrefs.isdigit() else 'var'}", *described, f"version:{_version()}"])
