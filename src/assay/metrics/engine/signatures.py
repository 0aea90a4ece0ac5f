"""How choices stand in a signature: numbers in full, files by what is in them, rules by what the items made of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from assay.errors import AssayError
from assay.records.files import digest_of
from assay.text.abbreviations import list_of

GONE = "gone"
"""What stands for a file that cannot be read."""
PACKAGES = ("version", "syllables", "libraries", "sacrebleu")
"""What is said of packages: another version of them may have made what is stored."""


def word(value: Any) -> str:
    """The value of an option."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(value + 0.0)  # 0 and -0 are one number
    return "none" if value is None else str(value)


def content_digest(read: Callable[[], Iterable[str]]) -> str:
    """A digest of what is read from a file, so that neither its name nor its place counts; `GONE` if it cannot be."""
    try:
        return digest_of(list(read()))
    except AssayError:
        return GONE


def tally(counts: Mapping[str, int]) -> str:
    """`de`, or where items differ how many are of which: `de*20+en*12`."""
    held = sorted(name for name in counts if counts[name])
    return "+".join(f"{name}*{counts[name]}" for name in held) if len(held) > 1 else "".join(held)


def signed_tokenizer(signature: str, rules: Mapping[str, int]) -> str:
    """`tokenizer:auto` as the rule that it came to, or as how many items went by which."""
    found = tally(rules)
    return re.sub(r"(?<=\|tokenizer:)[^|]*", f"auto[{found}]" if "*" in found else found, signature)


def signed_splitter(signature: str, languages: Sequence[str | None]) -> str:
    """The splitter `multilingual` with the languages by whose abbreviations it went."""
    if ":multilingual" not in signature:
        return signature
    lists = tally(Counter(list_of(language) if language else "guessed" for language in languages))
    return re.sub(r"(?<=:multilingual)(\[[^]]*\])?(?=\||$)", f"[{lists}]", signature)


def same_choices(now: str, stored: str) -> bool:
    """Whether a stored signature has every choice that the present one names, whatever version of a package it is of;
    the name of the metric is no choice. A file that is gone cannot be asked."""
    held = set(stored.split("|"))
    return all(
        ":" not in choice or choice in held or choice.partition(":")[0] in PACKAGES or choice.endswith(f":{GONE}")
        for choice in now.split("|")
    )
