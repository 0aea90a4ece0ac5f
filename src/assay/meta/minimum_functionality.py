"""What any output must be, whatever it was asked: the minimum functionality of a generator, a yes or a no each."""

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
"""So many words in a row, said so often, are a loop."""
LEFTOVER = re.compile(
    r"</?s>|<(?:unk|pad|bos|eos|sep|mask|extra_id_\d+|\|[\w ]+\|)>|\[(?:UNK|PAD|SEP|CLS|MASK)\]|\{\{?\w+\}?\}"
)
ENDS = re.compile(r"[.!?…。！？।؟][\"'”’)\]»]*\s*$")
Check = Callable[[Example, str], str | None]
"""What is wrong with an output; empty if nothing, None if it cannot be asked."""


def _answers(example: Example, output: str) -> str | None:
    return "" if WORD.search(output) else "says nothing"


def _no_loop(example: Example, output: str) -> str | None:
    words = WORD.findall(output.lower())
    runs = Counter(zip(*(words[i:] for i in range(LOOP)), strict=False))
    run, times = max(runs.items(), key=lambda item: item[1], default=((), 0))
    return f"says {' '.join(run)!r} {times} times" if times >= TIMES else ""


def _no_leftovers(example: Example, output: str) -> str | None:
    found = LEFTOVER.search(output)
    return f"has {found[0]}" if found else ""


def _finished(example: Example, output: str) -> str | None:
    if not output.strip() or not example.references or not all(ENDS.search(text) for text in example.references):
        return None
    return "" if ENDS.search(output) else "ends in the middle of a sentence"


def _given(example: Example) -> str:
    """All that the input says, as one text."""
    structured = json.dumps(example.input, ensure_ascii=False) if example.input else ""
    return f"{example.source or ''} {structured}".replace("_", " ")


def _numbers_given(example: Example, output: str) -> str | None:
    said = cardinals(output, years=True, language=example.language)
    given = _given(example)
    if not said or not given.strip():
        return None
    known = {number.value for number in cardinals(given, years=True, language=example.language)}
    new = [number.text for number in said if number.value not in known and number.text not in given]
    return f"says {new[0]}, which the input does not" if new else ""


def _names_given(example: Example, output: str) -> str | None:
    said = names_in(output)
    given = _given(example).lower()
    if not said or not given.strip():
        return None
    new = [match[0] for match in said if not all(word in given for word in WORD.findall(match[0].lower()))]
    return f"names {new[0]}, which the input does not" if new else ""


CHECKS: dict[str, tuple[str, Check]] = {
    "answers": ("the output has a word", _answers),
    "no-loop": (f"no {LOOP} words in a row are said {TIMES} times", _no_loop),
    "no-leftovers": ("no tokens or placeholders of a model are left in it", _no_leftovers),
    "finished": ("it ends with a mark, as its references do", _finished),
    "numbers-given": ("every number of it stands in the input", _numbers_given),
    "names-given": ("every name of it stands in the input, word by word", _names_given),
}
