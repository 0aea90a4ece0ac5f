"""Outputs in another language than their references, by script and by frequent words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.records.items import Items

LOOKED_AT = 500
"""Number of items that are checked."""
BEGINNING = 600
"""Characters of a text that are read."""
FEWEST_WORDS = 3
"""Frequent words that a text needs, so that its language is known."""
SCRIPTS = (
    ("Japanese", 0x3040, 0x30FF), ("Korean", 0xAC00, 0xD7AF), ("Chinese", 0x4E00, 0x9FFF), ("Russian", 0x400, 0x4FF),
    ("Arabic", 0x600, 0x6FF), ("Thai", 0xE00, 0xE7F), ("Greek", 0x370, 0x3FF), ("Hebrew", 0x590, 0x5FF),
    ("Hindi", 0x900, 0x97F),
)  # fmt: skip
"""A frequent language of each script, with its range of characters; Japanese first, which also has Chinese ones."""
FREQUENT = {
    "English": "the and of to is that was with for are were this which from has have his their been",
    "German": "der die und das ist nicht mit den ein eine auf für dem sich auch wurde werden sind",
    "French": "le les des une est dans pour que qui sur avec pas sont cette aux été plus ont",
    "Spanish": "el los las una por con para del que como está fue más son pero sus también",
    "Italian": "il di che per una sono della con non più alla dei gli è anche nel stato",
    "Portuguese": "o os uma não com para dos em que por foi mais também são ao da pela",
    "Dutch": "de het een van en is niet op dat met zijn voor aan werd ook bij wordt",
}  # fmt: skip
OTHER_SCRIPTS = frozenset(language for language, _, _ in SCRIPTS)
LATIN = "Latin letters"
"""What is known of a text that is too short for its language."""
FEWEST_LETTERS = 10
WORDS = {language: frozenset(words.split()) for language, words in FREQUENT.items()}


def language_of(text: str) -> str | None:
    """Return the most likely language of a text; None if it is too short or unclear."""
    text = text[:BEGINNING]
    letters = [ord(letter) for letter in filter(str.isalpha, text)]
    if not letters:
        return None
    for language, first, last in () if text.isascii() else SCRIPTS:  # no script has letters of ASCII
        share = sum(first <= letter <= last for letter in letters) / len(letters)
        if share > (0.1 if language == "Japanese" else 0.5):
            return language
    counts: Counter[str] = Counter()
    words = text.lower().split()
    for language, frequent in WORDS.items():
        counts[language] = sum(map(frequent.__contains__, words))
    (best, most), (_, second) = counts.most_common(2)
    return best if most >= FEWEST_WORDS and most > 1.5 * second else None


def _is_latin(text: str) -> bool:
    """Return whether nearly all letters of a text are those of ASCII, and there are enough to tell."""
    letters = [letter for letter in text[:BEGINNING] if letter.isalpha()]
    return len(letters) >= FEWEST_LETTERS and sum(map(str.isascii, letters)) > 0.9 * len(letters)


def find_languages(items: Items) -> Iterator[str]:
    """Yield a warning if most outputs are in another language than their references."""
    outputs: Sequence[str] = items.outputs[:LOOKED_AT]
    pairs: Counter[tuple[str, str]] = Counter()
    known = 0
    for output, example in zip(outputs, items.examples[:LOOKED_AT], strict=True):
        mine = language_of(output)
        theirs = {language_of(reference) for reference in example.references[:4]} - {None}
        if mine in OTHER_SCRIPTS and not theirs and example.references and all(map(_is_latin, example.references[:4])):
            theirs = {LATIN}
        if mine is None or not theirs:
            continue
        known += 1
        if mine not in theirs:
            pairs[mine, min(str(each) for each in theirs)] += 1
    other = sum(pairs.values())
    if known and other >= max(1, 0.2 * known):
        (mine, theirs_), _ = pairs.most_common(1)[0]
        yield (
            f"{items.system}: {other} of {known} outputs look like another language than their references "
            f"({mine}, not {theirs_}); check that the files belong together"
        )
