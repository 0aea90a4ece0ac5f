"""Remedies of error messages in the words of a config: `assay run` has none of the options that read one file."""

from __future__ import annotations

import re

ALLOW = re.compile(r"(?:with|use) --allow-missing")
SKIP = re.compile(r",? or (?:leave|skip)[^.]* with --skip-bad")
JOIN = re.compile(r",? or name the field they equal with --join-on COLUMN=FIELD")


def for_config(error: Exception) -> str:
    """Return the message of an error with remedies that a config has.

    >>> from assay.errors import AssayError
    >>> for_config(AssayError("a.jsonl:3: not JSON. Fix the line, or leave it out with --skip-bad."))
    'a.jsonl:3: not JSON. Fix the line.'
    >>> for_config(AssayError("Add the outputs, or score the common items with --allow-missing."))
    'Add the outputs, or score the common items with `allow_missing = true` at the top of the config.'
    """
    text = ALLOW.sub("with `allow_missing = true` at the top of the config", str(error))
    return JOIN.sub("", SKIP.sub("", text))
