"""How options are written in a signature: numbers in full, files by content, rules as they applied to the items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.records.files import digest_of
from assay.text.abbreviations import list_of

if TYPE_CHECKING:
    from assay.models.weights import Weights

MISSING_FILE = "gone"
"""Written in place of the digest of a file that cannot be read."""
PACKAGES = ("version", "syllables", "libraries", "sacrebleu")
"""Entries that name package versions; stored statistics may come from other versions."""


def word(value: Any) -> str:
    """Return the value of an option as signatures write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(value + 0.0)  # -0.0 and 0.0 are written alike
    return "none" if value is None else str(value)


def content_digest(read: Callable[[], Iterable[str]]) -> str:
    """Return a digest of what `read` returns, independent of file name and place; `MISSING_FILE` if unreadable."""
    try:
        return digest_of(list(read()))
    except AssayError:
        return MISSING_FILE


def label_of(model: Weights) -> str:
    """Return name and digest of the weights of a model; `MISSING_FILE` if they are not here."""
    try:
        return model.label
    except AssayError:
        return MISSING_FILE


def tally(counts: Mapping[str, int]) -> str:
    """Return the single name (`de`), or where items differ the count of each: `de*20+en*12`."""
    names = sorted(name for name in counts if counts[name])
    return "+".join(f"{name}*{counts[name]}" for name in names) if len(names) > 1 else "".join(names)


def signed_tokenizer(signature: str, rules: Mapping[str, int]) -> str:
    """Replace `tokenizer:auto` by the rule that applied, or by the number of items per rule."""
    applied = tally(rules)
    return re.sub(r"(?<=\|tokenizer:)[^|]*", f"auto[{applied}]" if "*" in applied else applied, signature)


def signed_splitter(signature: str, languages: Sequence[str | None]) -> str:
    """Add to the splitter `multilingual` the languages whose abbreviation lists it used."""
    if ":multilingual" not in signature:
        return signature
    lists = tally(Counter(list_of(language) if language else "guessed" for language in languages))
    return re.sub(r"(?<=:multilingual)(\[[^]]*\])?(?=\||$)", f"[{lists}]", signature)


def same_choices(now: str, stored: str) -> bool:
    """Return whether a stored signature has every option of the present one, ignoring the metric name, package versions
    and files that cannot be read any more."""
    known = set(stored.split("|"))
    return all(
        ":" not in choice
        or choice in known
        or choice.partition(":")[0] in PACKAGES
        or choice.endswith(f":{MISSING_FILE}")
        for choice in now.split("|")
    )
