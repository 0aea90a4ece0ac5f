"""Normalisation of tercom, the program of TER, before a text is split at white space, as in sacrebleu."""

from __future__ import annotations

import re

from assay.text.tokenize import without_entities

CJK_PUNCTUATION = r"[\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb]"
WIDE_PUNCTUATION = r"[\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09]"
CJK = (
    r"[\u4e00-\u9fff\u3400-\u4dbf]",
    r"[\u31c0-\u31ef\u2e80-\u2eff]",
    r"[\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f]",
    r"[\u3200-\u3f22]",
)
KANA = (r"\u3040-\u309f", r"\u30a0-\u30ff", r"\u31f0-\u31ff")


def tercom_text(text: str, lower: bool, normalized: bool, no_punct: bool, asian: bool) -> str:
    """Split off punctuation and resolve entities (`normalized`), then remove punctuation (`no_punct`); `asian` does
    both for Chinese and Japanese, too."""
    text = text.rstrip()
    if not text:
        return ""
    if lower:
        text = text.lower()
    if normalized:
        text = _normalized(text)
        if asian:
            text = _spread(text)
    if no_punct:
        text = re.sub(r"[.,?:;!\"()]", "", text)
        if asian:
            text = re.sub(f"{CJK_PUNCTUATION}|{WIDE_PUNCTUATION}", "", text)
    return text


def _normalized(text: str) -> str:
    """Apply the rules of tercom."""
    text = without_entities(text.replace("\n-", "").replace("\n", " "))
    text = re.sub(r"([{-~\[-` -&(-+:-@/])", r" \1 ", f" {text} ")
    text = re.sub(r"'s$", " 's", text.replace("'s ", " 's "))
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    return re.sub(r"([0-9])(-)", r"\1 \2 ", text)


def _spread(text: str) -> str:
    """Apply the rules of tercom for Chinese and Japanese."""
    for block in CJK:
        text = re.sub(f"({block})", r" \1 ", text)
    for block in KANA:
        text = re.sub(f"(^|^[{block}])([{block}]+)(?=$|^[{block}])", r"\1 \2 ", text)
    for marks in (CJK_PUNCTUATION, WIDE_PUNCTUATION):
        text = re.sub(f"({marks})", r" \1 ", text)
    return text
