"""Minimum functionality tests: requirements that any output of a generator must meet."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable

from assay.challenges.manipulations.meaning import names_in
from assay.records.types import Example
from assay.text.cardinals import cardinals
from assay.text.word_differences import WORD

LOOP, TIMES = 4, 3
"""Length in words, and number of repetitions, of a loop."""
LEFTOVER = re.compile(
    r"</?s>|<(?:unk|pad|bos|eos|sep|mask|extra_id_\d+|\|[\w ]+\|)>|\[(?:UNK|PAD|SEP|CLS|MASK)\]|\{\{?\w+\}?\}"
)
ENDS = re.compile(r"[.!?…。！？।؟][\"'”’)\]»]*\s*$")
Check = Callable[[Example, str], str | None]
"""Returns what is wrong with an output; empty if nothing, None if the test does not apply."""


def _answers(example: Example, output: str) -> str | None:
    return "" if WORD.search(output) else "has no word"


def _no_loop(example: Example, output: str) -> str | None:
    words = WORD.findall(output.lower())
    runs = Counter(zip(*(words[i:] for i in range(LOOP)), strict=False))
    run, times = max(runs.items(), key=lambda item: item[1], default=((), 0))
    return f"repeats {' '.join(run)!r} {times} times" if times >= TIMES else ""


def _no_leftovers(example: Example, output: str) -> str | None:
    match = LEFTOVER.search(output)
    return f"contains {match[0]}" if match else ""


def _finished(example: Example, output: str) -> str | None:
    if not output.strip() or not example.references or not all(ENDS.search(text) for text in example.references):
        return None
    return "" if ENDS.search(output) else "ends in the middle of a sentence"


def _input_text(example: Example) -> str:
    """Return the whole input as one text."""
    structured = json.dumps(example.input, ensure_ascii=False) if example.input else ""
    return f"{example.source or ''} {structured}".replace("_", " ")


def _numbers_given(example: Example, output: str) -> str | None:
    numbers = cardinals(output, years=True, language=example.language)
    text = _input_text(example)
    if not numbers or not text.strip():
        return None
    known = {number.value for number in cardinals(text, years=True, language=example.language)}
    new = [number.text for number in numbers if number.value not in known and number.text not in text]
    return f"contains {new[0]}, which is not in the input" if new else ""


def _names_given(example: Example, output: str) -> str | None:
    names = names_in(output)
    text = _input_text(example).lower()
    if not names or not text.strip():
        return None
    new = [match[0] for match in names if not all(word in text for word in WORD.findall(match[0].lower()))]
    return f"names {new[0]}, which is not in the input" if new else ""


CHECKS: dict[str, tuple[str, Check]] = {
    "answers": ("the output has a word", _answers),
    "no-loop": (f"no sequence of {LOOP} words occurs {TIMES} times", _no_loop),
    "no-leftovers": ("no special tokens or placeholders of a model", _no_leftovers),
    "finished": ("the output ends with punctuation, as its references do", _finished),
    "numbers-given": ("every number is in the input", _numbers_given),
    "names-given": ("every word of a name is in the input", _names_given),
}
