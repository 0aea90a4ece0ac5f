"""Six manipulations that lower a readability grade without better writing (Tanprasert and Kauchak 2021).

Words are separated by white space; a period or `the` is inserted or replaces a word."""

from __future__ import annotations

from random import Random

from assay.challenges.manipulations.base import CORE, Manipulation, Passage, exchange, pieces, wordy


def _insert(text: str, word: str, draw: Random) -> str | None:
    parts = pieces(text)
    if not parts:
        return None
    place = draw.randint(0, (len(parts) + 1) // 2)
    if 2 * place > len(parts):
        return "".join([*parts, " ", word])
    return "".join([*parts[: 2 * place], word, " ", *parts[2 * place :]])


def _replace_longest(text: str) -> str | None:
    parts = pieces(text)
    places = wordy(parts)
    if not places:
        return None

    def length(place: int) -> int:
        core = CORE.search(parts[place])
        return len(core[0]) if core else 0

    longest = max(places, key=length)  # the first of several of equal length
    parts[longest] = exchange(parts[longest], "the")
    return "".join(parts)


def _replace_any(text: str, word: str, draw: Random) -> str | None:
    parts = pieces(text)
    places = wordy(parts)
    if not places:
        return None
    place = draw.choice(places)
    parts[place] = word if word == "." else exchange(parts[place], word)
    return "".join(parts)


def random_period(passage: Passage, draw: Random) -> str | None:
    return _insert(passage.text, ".", draw)


def random_the(passage: Passage, draw: Random) -> str | None:
    return _insert(passage.text, "the", draw)


def replace_longest(passage: Passage, draw: Random) -> str | None:
    return _replace_longest(passage.text)


def replace_rand_period(passage: Passage, draw: Random) -> str | None:
    return _replace_any(passage.text, ".", draw)


def replace_rand_the(passage: Passage, draw: Random) -> str | None:
    return _replace_any(passage.text, "the", draw)


def combination(passage: Passage, draw: Random) -> str | None:
    return _insert(_replace_longest(passage.text) or passage.text, ".", draw)


GAMING = (
    Manipulation("random-period", "a period is inserted at a random position", "worse", random_period),
    Manipulation("random-the", "the word `the` is inserted at a random position", "worse", random_the),
    Manipulation("replace-longest", "the longest word is replaced by `the`", "worse", replace_longest),
    Manipulation("replace-rand-period", "a random word is replaced by a period", "worse", replace_rand_period),
    Manipulation("replace-rand-the", "a random word is replaced by `the`", "worse", replace_rand_the),
    Manipulation(
        "combination",
        "the longest word is replaced by `the`, and a period is inserted at a random position",
        "worse",
        combination,
    ),
)
